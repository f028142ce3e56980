import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Hub that responds with JSON text. It can send values that the Swift types cannot represent.
final class WireHub: Sendable {
  struct State {
    /// Lines of the snapshot, header first.
    var snapshot = [WireHub.header(head: 3)]
    /// Next feed pages. Without further pages, feed requests return an empty page at the head.
    var pages: [String] = []
    /// Next responses to a push. Without further responses, each mutation is accepted at the next version.
    var answers: [String] = []
    var head: Int64 = 3
    var now: Int64?
    var batches: [PushBatch] = []
    var pulls: [FeedRequest] = []
    var snapshots = 0
  }

  private let content = Mutex(State())

  var state: State { content.withLock { $0 } }
  func set(_ change: (inout State) -> Void) { content.withLock { change(&$0) } }

  /// Returns the JSON members that every response contains. Omits `now` if it is `nil`.
  static func position(head: Int64, now: String? = nil, first: String = "1") -> String {
    #""epoch":"a","epochs":[{"id":"a","first":\#(first)}],"head":\#(head)"# + (now.map { #","now":\#($0)"# } ?? "")
  }

  static func header(head: Int64, count: Int = 0) -> String {
    #"{"count":\#(count),"cursor":\#(head),\#(position(head: head))}"#
  }

  static func page(_ changes: [String], next: Int64, now: String? = nil, first: String = "1") -> String {
    #"{"changes":[\#(changes.joined(separator: ","))],"has_more":false,"next_cursor":\#(next),"#
      + position(head: next, now: now, first: first) + "}"
  }

  static func type(_ id: String, _ version: Int64) -> String {
    #"{"id":\#(version),"entity_type":"event_type","entity_id":"\#(id)","operation":"create","#
      + #""data":{"id":"\#(id)","user_id":"u","name":"Coffee","color":"red","icon":"cup"},"#
      + #""marks":{"*":[\#(version),10,"other"]}}"#
  }

  /// Returns an event of type `T`. Numbers are inserted into the text unchanged.
  static func event(
    _ id: String, _ version: Int64, notes: String = "", stamp: String = "10", base: String? = nil,
    incarnation: String = "0"
  ) -> String {
    #"{"id":\#(version),"entity_type":"event","entity_id":"\#(id)","operation":"update","incarnation":\#(incarnation),"#
      + #""data":{"id":"\#(id)","user_id":"u","event_type_id":"T","timestamp":"2024-01-01T00:00:00.000Z","#
      + #""notes":"\#(notes)"},"marks":{"*":[\#(base ?? "\(version)"),\#(stamp),"other"]}}"#
  }

  fileprivate func changes(_ request: FeedRequest) throws -> ChangeFeedResponse {
    let text = content.withLock { state in
      state.pulls.append(request)
      let now = state.now.map { "\($0)" }
      return state.pages.isEmpty
        ? Self.page([], next: max(state.head, request.cursor), now: now) : state.pages.removeFirst()
    }
    return try WireJSON.decode(ChangeFeedResponse.self, from: Data(text.utf8))
  }

  fileprivate func push(_ batch: PushBatch) throws -> PushBatchResult {
    let request = PushRequest(batch)
    let text = content.withLock { state in
      state.batches.append(batch)
      if !state.answers.isEmpty { return state.answers.removeFirst() }
      let outcomes = request.mutations.map { mutation in
        state.head += 1
        return #"{"seq":\#(mutation.sequence),"status":"accepted","version":\#(state.head)}"#
      }
      return #"{"outcomes":[\#(outcomes.joined(separator: ","))],"#
        + Self.position(head: state.head, now: state.now.map { "\($0)" }) + "}"
    }
    return try WireJSON.decode(PushResponse.self, from: Data(text.utf8)).answer(to: request.mutations)
  }

  /// Fails with status 400 for a named part, because this hub has no named parts.
  fileprivate func part(_ request: SnapshotRequest) throws -> SnapshotPart {
    if let part = request.part {
      throw APIError.problem(ProblemDetails(title: "Invalid", status: 400, detail: "part: \(part)"), retryAfter: nil)
    }
    let header = try WireJSON.decode(SnapshotHeader.self, from: Data(state.snapshot[0].utf8))
    return SnapshotPart(answer: try snapshot(), spans: header.spans, next: header.next)
  }

  fileprivate func snapshot() throws -> SnapshotAnswer {
    let lines = content.withLock { state in
      state.snapshots += 1
      return state.snapshot
    }
    let header = try WireJSON.decode(SnapshotHeader.self, from: Data(lines[0].utf8))
    guard let position = header.position else { throw APIError.decodingError("the snapshot has no position") }
    let entries = try lines.dropFirst().map { try WireJSON.decode(ChangeEntry.self, from: Data($0.utf8)) }
    return .entries(HubSnapshot(position: position, entries: entries))
  }
}

struct WireHubClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let hub: WireHub

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult { try hub.push(batch) }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse { try hub.changes(request) }
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer { try hub.snapshot() }
  func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart { try hub.part(request) }
}
