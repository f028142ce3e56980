import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Scripted hub that sends versions.
final class HubDouble: Sendable {
  struct State {
    var head: Int64 = 3
    var epochs = [HubEpoch(id: "a", first: 0)]
    /// Hub time in milliseconds since 1970, or `nil` if the hub does not send it.
    var now: Int64?
    var snapshot: [ChangeEntry] = []
    var pages: [[ChangeEntry]] = []
    /// Outcomes of the next mutations, in order. Further mutations are accepted, each at the next version.
    var outcomes: [MutationOutcome] = []
    var lost: [Int: [String]] = [:]
    /// Errors of the next requests, one per request. A `nil` element lets its request succeed.
    var pushErrors: [APIError?] = []
    var pullErrors: [APIError?] = []
    var isForked = false
    /// Whether the hub behaves like an empty hub without versions.
    var isPlain = false
    /// Called while a feed request is in progress.
    var onPull: (@Sendable () throws -> Void)?
    var batches: [PushBatch] = []
    var pulls: [FeedRequest] = []
    var snapshots = 0

    fileprivate var position: HubPosition? {
      isPlain ? nil : HubPosition(head: head, epochs: epochs, now: now)
    }
  }

  private let content = Mutex(State())

  var state: State { content.withLock { $0 } }
  func set(_ change: (inout State) -> Void) { content.withLock { change(&$0) } }

  fileprivate func push(_ batch: PushBatch) throws -> PushBatchResult {
    return try content.withLock { state in
      state.batches.append(batch)
      if !state.pushErrors.isEmpty, let error = state.pushErrors.removeFirst() { throw error }
      var answer = PushBatchResult(outcomes: [], lost: state.lost)
      state.lost = [:]
      answer.isForked = state.isForked
      for _ in batch.mutations {
        if !state.outcomes.isEmpty {
          answer.outcomes.append(state.outcomes.removeFirst())
        } else if state.isForked {
          answer.outcomes.append(.tryLater(retryAfter: nil))
        } else {
          state.head += 1
          answer.outcomes.append(.accepted(version: state.head))
        }
      }
      state.isForked = false
      answer.position = state.position
      return answer
    }
  }

  fileprivate func changes(_ request: FeedRequest) throws -> ChangeFeedResponse {
    try state.onPull?()
    return try content.withLock { state in
      state.pulls.append(request)
      if !state.pullErrors.isEmpty, let error = state.pullErrors.removeFirst() { throw error }
      let page = state.pages.isEmpty ? [] : state.pages.removeFirst()
      let hasMore = !state.pages.isEmpty
      let next = hasMore ? page.last?.id ?? request.cursor : max(state.head, page.last?.id ?? 0, request.cursor)
      state.head = max(state.head, next)
      return ChangeFeedResponse(
        changes: page, nextCursor: next, hasMore: hasMore, position: state.position)
    }
  }

  fileprivate func takeSnapshot() -> SnapshotAnswer {
    content.withLock { state in
      state.snapshots += 1
      guard let position = state.position else {
        return .lists(Snapshot(cursor: state.head))
      }
      return .entries(HubSnapshot(position: position, entries: state.snapshot))
    }
  }
}

struct VersionedHubClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let hub: HubDouble

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult { try hub.push(batch) }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse { try hub.changes(request) }
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer { hub.takeSnapshot() }
}

extension ChangeEntry {
  static func type(_ id: String, _ version: Int64, name: String = "Coffee", incarnation: Int64 = 0) -> ChangeEntry {
    entry(
      .eventType, id, version, ["name": .string(name), "color": "#000000", "icon": "cup"], incarnation: incarnation)
  }

  static func event(
    _ id: String, _ version: Int64, of type: String = "T", notes: JSONValue = nil, incarnation: Int64 = 0
  ) -> ChangeEntry {
    entry(
      .event, id, version,
      ["event_type_id": .string(type), "timestamp": "2024-01-01T00:00:00.000Z", "notes": notes],
      incarnation: incarnation)
  }

  static func tombstone(
    _ kind: MutationEntityType, _ id: String, _ version: Int64, _ data: [String: JSONValue]? = nil,
    incarnation: Int64 = 0
  ) -> ChangeEntry {
    var entry = entry(kind, id, version, data ?? [:], incarnation: incarnation)
    entry.operation = "delete"
    entry.deletedAt = DeterministicDate.jan1_2024
    if data == nil { entry.data = nil }
    return entry
  }

  static func entry(
    _ kind: MutationEntityType, _ id: String, _ version: Int64, _ fields: [String: JSONValue], incarnation: Int64 = 0
  ) -> ChangeEntry {
    ChangeEntry(
      id: version, entityType: kind.rawValue, operation: "update", entityId: id,
      data: ChangeEntryData(rawData: fields.merging(["id": .string(id), "user_id": "u"]) { $1 }),
      incarnation: incarnation,
      marks: [FieldVersion.others: FieldVersion(version: version, stamp: version * 10, author: "other")])
  }
}
