import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Hub that several devices of a test share. The hub assigns versions to entities and merges them by field. It does not
/// compare stamps, which tests with the real hub cover.
final class SharedHub: Sendable {
  private struct State {
    var head: Int64 = 0
    var entries: [String: ChangeEntry] = [:]
    /// Every write in order, including writes that later writes have replaced.
    var writes: [(version: Int64, key: String)] = []
    /// Outcomes by device and sequence number. A repeated mutation receives the same outcome.
    var outcomes: [String: [Int64: MutationOutcome]] = [:]
    var requests = 0

    mutating func put(_ entry: ChangeEntry) {
      let key = entry.entityType + entry.entityId
      entries[key] = entry
      writes.append((entry.id, key))
      head = max(head, entry.id)
    }
  }

  enum Request: Hashable, Sendable {
    case push
    case changes
    case snapshot
  }

  private let content = Mutex(State())
  private let epochs = [HubEpoch(id: "a", first: 0)]

  var head: Int64 { content.withLock { $0.head } }
  var requests: Int { content.withLock { $0.requests } }

  func living(_ kind: MutationEntityType) -> [String: [String: JSONValue]] {
    content.withLock { state in
      let entries = state.entries.values.filter { $0.entityType == kind.rawValue && !$0.isDelete }
      return Dictionary(uniqueKeysWithValues: entries.map { ($0.entityId, $0.data?.rawData ?? [:]) })
    }
  }

  /// Writes an entry as another device would. Its version must exceed all earlier versions.
  func put(_ entry: ChangeEntry) { content.withLock { $0.put(entry) } }

  func count(_ request: Request) { content.withLock { $0.requests += 1 } }

  func push(_ batch: PushBatch) -> PushBatchResult {
    content.withLock { state in
      let device = batch.position.device
      let outcomes = batch.mutations.map { mutation in
        let sequence = mutation.sequence ?? 0
        if let known = state.outcomes[device]?[sequence] { return known }
        let outcome = Self.judge(mutation, device, &state)
        state.outcomes[device, default: [:]][sequence] = outcome
        return outcome
      }
      return PushBatchResult(outcomes: outcomes, position: HubPosition(head: state.head, epochs: epochs))
    }
  }

  func changes(_ request: FeedRequest) -> ChangeFeedResponse {
    content.withLock { state in
      var page: [ChangeEntry] = []
      for write in state.writes where write.version > request.cursor && page.count <= request.limit {
        // A rewritten entity appears only at its last version.
        if let entry = state.entries[write.key], entry.id == write.version { page.append(entry) }
      }
      let hasMore = page.count > request.limit
      if hasMore { page.removeLast() }
      return ChangeFeedResponse(
        changes: page, nextCursor: hasMore ? page.last?.id ?? 0 : state.head, hasMore: hasMore,
        position: HubPosition(head: state.head, epochs: epochs))
    }
  }

  func snapshot() -> SnapshotAnswer {
    content.withLock { state in
      .entries(
        HubSnapshot(
          position: HubPosition(head: state.head, epochs: epochs),
          entries: state.entries.values.sorted { $0.id < $1.id }))
    }
  }

  private static func judge(_ mutation: PendingMutation, _ device: String, _ state: inout State) -> MutationOutcome {
    let key = mutation.entityType.rawValue + mutation.entityId
    func refuse(_ type: String) -> MutationOutcome {
      .refused(ProblemDetails(type: "urn:trendy:error:\(type)", title: "Refused", status: 409))
    }
    guard let changes = try? FieldChange.changes(of: mutation) else { return refuse("invalid") }
    if let type = changes["event_type_id"]?.value.stringValue,
      state.entries[MutationEntityType.eventType.rawValue + type]?.isDelete ?? true
    {
      return refuse("parent_deleted")
    }
    let held = state.entries[key]
    if mutation.operation == .create, let held, NaturalIdentifier.isNatural(mutation.entityId) {
      return .merged(version: held.id)
    }
    if mutation.operation == .update, held?.isDelete ?? true { return refuse("entity_deleted") }
    var data = held?.data?.rawData ?? ["id": .string(mutation.entityId), "user_id": "u"]
    for (name, change) in changes { data[name] = change.value }
    let version = state.head + 1
    var entry = ChangeEntry(
      id: version, entityType: mutation.entityType.rawValue, operation: mutation.operation.rawValue,
      entityId: mutation.entityId, data: ChangeEntryData(rawData: data),
      marks: [FieldVersion.others: FieldVersion(version: version, stamp: version, author: device)])
    if mutation.operation == .delete { entry.deletedAt = DeterministicDate.jan1_2024 }
    state.put(entry)
    return .accepted(version: version)
  }
}

/// Connection of one device to a ``SharedHub``. The connection can fail before or after the hub has processed the
/// request.
struct SharedHubClient: ForwardingNetworkClient {
  typealias Fault = @Sendable (SharedHub.Request) throws -> Void

  let base: MockNetworkClient
  let hub: SharedHub
  let before: Fault
  let after: Fault

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult { try ask(.push) { hub.push(batch) } }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    try ask(.changes) { hub.changes(request) }
  }
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer { try ask(.snapshot) { hub.snapshot() } }

  private func ask<Answer>(_ request: SharedHub.Request, _ answer: () -> Answer) throws -> Answer {
    hub.count(request)
    try before(request)
    let answer = answer()
    try after(request)
    return answer
  }
}
