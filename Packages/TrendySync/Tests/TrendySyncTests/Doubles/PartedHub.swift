import Synchronization
import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Hub that sends its snapshot in parts of two entries and runs scripted changes between the parts.
final class PartedHub: Sendable {
  struct State {
    var entries: [String: ChangeEntry] = [:]
    var head: Int64 = 0
    var epochs = [HubEpoch(id: "a", first: 1)]
    /// Compaction horizon: a request with a lower cursor fails with `cursor_expired`.
    var horizon: Int64 = 0
    /// Changes to make before a part is sent, by the index of the request. Each change is made once.
    var before: [Int: @Sendable (inout State) throws -> Void] = [:]
    var parts: [String?] = []
    var wholes = 0
    var pushed: [PendingMutation] = []

    mutating func put(_ entry: ChangeEntry) {
      entries[entry.entityType + entry.entityId] = entry
      head = max(head, entry.id)
    }

    mutating func forget(_ kind: MutationEntityType, _ id: String) { entries[kind.rawValue + id] = nil }

    var position: HubPosition { HubPosition(head: head, epochs: epochs) }
  }

  static let partSize = 2
  private let content: Mutex<State>

  init(_ entries: [ChangeEntry]) {
    var state = State()
    for entry in entries { state.put(entry) }
    content = Mutex(state)
  }

  var state: State { content.withLock { $0 } }
  func set(_ change: (inout State) -> Void) { content.withLock { change(&$0) } }
  func takeParts() -> [String?] {
    content.withLock { state in
      defer { state.parts = [] }
      return state.parts
    }
  }

  private static func rank(_ entry: ChangeEntry) -> Int { SyncedKind.named(entry.entityType)?.rank ?? .max }

  fileprivate func part(_ request: SnapshotRequest) throws -> SnapshotPart {
    try content.withLock { state in
      let number = state.parts.count
      state.parts.append(request.part)
      try state.before.removeValue(forKey: number)?(&state)
      let words = request.part?.split(separator: ".") ?? []
      let isOfThisLife = words.last.map(String.init) == state.epochs.last?.id
      let (rank, version) = isOfThisLife ? (Int(words[0]) ?? 0, Int64(words[1]) ?? 0) : (0, 0)
      let all = state.entries.values.sorted { (Self.rank($0), $0.id) < (Self.rank($1), $1.id) }
      let rest = all.filter { (Self.rank($0), $0.id) > (rank, version) }
      let entries = Array(rest.prefix(Self.partSize))
      let last = entries.count < rest.count ? entries.last : nil
      var spans: [SnapshotSpan] = []
      for kind in SyncedKind.all where kind.rank >= rank && kind.rank <= last.map(Self.rank) ?? .max {
        let isLast = last.map { Self.rank($0) == kind.rank } ?? false
        spans.append(
          SnapshotSpan(
            kind: kind.name, after: kind.rank == rank ? version : 0, through: isLast ? last?.id ?? 0 : state.head))
      }
      return SnapshotPart(
        answer: .entries(HubSnapshot(position: state.position, entries: entries)), spans: spans,
        next: last.map { "\(Self.rank($0)).\($0.id).\(state.epochs.last?.id ?? "")" })
    }
  }

  fileprivate func whole() -> SnapshotAnswer {
    content.withLock { state in
      state.wholes += 1
      return .entries(HubSnapshot(position: state.position, entries: Array(state.entries.values)))
    }
  }

  fileprivate func changes(_ request: FeedRequest) throws -> ChangeFeedResponse {
    try content.withLock { state in
      if request.cursor > state.head { throw Self.problem(ProblemDetails.logReset, 409) }
      if let position = request.position, state.epochs.epoch(of: position.seen)?.id != position.epoch ?? "a" {
        throw Self.problem(ProblemDetails.logReset, 409)
      }
      if request.cursor < state.horizon { throw Self.problem("urn:trendy:error:cursor_expired", 410) }
      let changes = state.entries.values.filter { $0.id > request.cursor }.sorted { $0.id < $1.id }
      return ChangeFeedResponse(
        changes: changes, nextCursor: state.head, hasMore: false, position: state.position)
    }
  }

  fileprivate func push(_ batch: PushBatch) throws -> PushBatchResult {
    try content.withLock { state in
      if batch.position.seen > state.head { throw Self.problem(ProblemDetails.logReset, 409) }
      state.pushed += batch.mutations
      let outcomes = batch.mutations.map { _ in
        state.head += 1
        return MutationOutcome.accepted(version: state.head)
      }
      return PushBatchResult(outcomes: outcomes, position: state.position)
    }
  }

  private static func problem(_ type: String, _ status: Int) -> APIError {
    .problem(ProblemDetails(type: type, title: "Position unknown", status: status), retryAfter: nil)
  }
}

struct PartedHubClient: ForwardingNetworkClient {
  let base: MockNetworkClient
  let hub: PartedHub

  func checkHealth() async throws {}
  func push(_ batch: PushBatch) async throws -> PushBatchResult { try hub.push(batch) }
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse { try hub.changes(request) }
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer { hub.whole() }
  func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart { try hub.part(request) }
}
