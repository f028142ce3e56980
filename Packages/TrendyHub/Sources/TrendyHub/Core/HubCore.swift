public import Foundation
public import TrendyModels

/// The hub's merge rules: applies writes to one user's state and returns their outcomes.
///
/// Stateless and deterministic: state is read and written through the transaction, and the time is a parameter.
public struct HubCore: Hashable, Sendable {
  /// Default quota, for users without an individual one.
  public var quota: HubQuota

  public init(quota: HubQuota = HubQuota()) { self.quota = quota }

  /// A core without quota, for events that the hub detects in readings it has already stored.
  var unlimited: HubCore { HubCore(quota: HubQuota(rows: HubQuota.unlimited, bytes: HubQuota.unlimited)) }

  // MARK: A device's push

  /// Mutations from one device, with the position that the device reports.
  public struct Push: Sendable {
    public var position: DevicePosition
    public var mutations: [SentMutation]

    public init(position: DevicePosition, mutations: [SentMutation]) {
      self.position = position
      self.mutations = mutations
    }
  }

  /// Outcomes of a push.
  public struct PushResult: Hashable, Sendable {
    /// Outcomes in the order of the mutations. If a fork was detected, only the outcomes before the fork.
    public var outcomes: [OutcomeEnvelope]
    /// Problem of kind `device_forked` if the push was stopped because two stores use one device identity, otherwise
    /// `nil`.
    public var fork: Problem?
    /// The user's state after the push.
    public var state: HubState
  }

  /// Applies a device's mutations in order, each exactly once.
  ///
  /// A mutation whose sequence number was used before receives its stored outcome. The quota is checked once for the
  /// whole push, so that a deletion makes room for mutations that precede it.
  ///
  /// - Throws: The errors of ``check(_:in:)``, or `HubQuotaError`. The transaction must then be rolled back.
  public func push(_ push: Push, in transaction: any HubTransaction, now: Date) throws -> PushResult {
    let device = push.position.device
    try transaction.prefetch(push.mutations.flatMap(\.keys), device: device)
    try check(push.position, in: transaction)
    let writer = try HubWriter(transaction, now: now, quota: quota)
    let known = try transaction.mark(device: device)
    var mark = known
    var outcomes: [OutcomeEnvelope] = []
    var fork: Problem?
    try transaction.forgetOutcomes(device: device, through: push.position.acknowledgedThrough)
    for mutation in push.mutations {
      if mutation.sequence <= mark {
        guard let stored = try transaction.outcome(device: device, sequence: mutation.sequence),
          stored.digest == mutation.digest
        else {
          fork = .forked("sequence number \(mutation.sequence) was used before, for another mutation or too long ago")
          break
        }
        outcomes.append(OutcomeEnvelope(sequence: mutation.sequence, stored.verdict))
        continue
      }
      guard mutation.sequence == mark + 1 else {
        fork = .forked("expected sequence number \(mark + 1), found \(mutation.sequence)")
        break
      }
      let verdict: MergeResult
      switch mutation.content {
      case .failure(let problem): verdict = .refused(problem)
      case .success(let content): verdict = try judge(content, device: device, writer)
      }
      outcomes.append(OutcomeEnvelope(sequence: mutation.sequence, verdict))
      mark = mutation.sequence
      try transaction.putOutcome(
        device: device, sequence: mark, StoredOutcome(digest: mutation.digest, verdict: verdict))
    }
    if mark > known { try transaction.setMark(device: device, mark) }
    try writer.finish()
    if let contact = contact(
      device: device, cursor: nil, seen: push.position.said, after: try transaction.contact(device: device),
      in: writer.state, now: now)
    {
      try transaction.putContact(contact)
    }
    return PushResult(outcomes: outcomes, fork: fork, state: writer.state)
  }

  // MARK: One write

  /// Applies one mutation. A refusal is an outcome, whereas storage and quota errors are thrown.
  public func judge(
    _ mutation: HubMutation, device: String, in transaction: any HubTransaction, now: Date
  ) throws -> MergeResult {
    let writer = try HubWriter(transaction, now: now, quota: quota)
    let verdict = try judge(mutation, device: device, writer)
    try writer.finish()
    return verdict
  }

  func judge(_ mutation: HubMutation, device: String, _ writer: HubWriter) throws -> MergeResult {
    do {
      return try MutationMerger(mutation, device: device, writer: writer).run()
    } catch let problem as Problem {
      return .refused(problem)
    }
  }

  // MARK: The feed

  /// One page of the feed.
  public struct Page: Hashable, Sendable {
    public var lines: [SerializedEntry]
    public var nextCursor: Int64
    public var hasMore: Bool
    public var state: HubState
  }

  /// Returns the feed entries after a cursor.
  ///
  /// - Parameters:
  ///   - cursor: Version after which the page begins.
  ///   - limit: Maximum number of entries, 1 to 500.
  ///   - isBootstrap: Whether the device has no entries yet and therefore cannot miss a tombstone.
  ///   - reading: A read transaction for the user.
  /// - Throws: A problem of kind `log_reset` if the cursor is above the head, or `cursor_expired` if it is below the
  ///   horizon.
  public func page(
    after cursor: Int64, limit: Int, isBootstrap: Bool = false, in reading: any HubReadTransaction
  ) throws -> Page {
    // Read the head first: an entry written in the meantime is then either in the page or after the cursor.
    let state = try reading.state()
    guard cursor <= state.head else {
      throw Problem.logReset("this hub is at version \(state.head) and never assigned version \(cursor)")
    }
    guard cursor >= state.horizon || isBootstrap else {
      throw Problem(
        "cursor_expired", status: 410, title: "Position too old",
        detail:
          "deletions up to version \(state.horizon) are no longer in the feed, and this cursor is \(cursor): load a snapshot"
      )
    }
    var lines = try reading.lines(after: cursor, limit: limit + 1)
    let hasMore = lines.count > limit
    if hasMore { lines.removeLast() }
    let last = lines.last?.version ?? cursor
    return Page(
      lines: lines, nextCursor: hasMore ? last : max(state.head, last), hasMore: hasMore, state: state)
  }

  // MARK: A snapshot in parts

  /// Position at which a snapshot continues.
  public struct SnapshotPlace: Hashable, Sendable {
    /// Kind of the next entries, or `nil` for the kinds unknown to this version, which come last.
    public var kind: String?
    /// Version after which entries of this kind are still missing. Later kinds are missing entirely.
    public var version: Int64

    public init(kind: String?, version: Int64) {
      self.kind = kind
      self.version = version
    }
  }

  /// One bounded response of a snapshot.
  public struct SnapshotPart: Sendable {
    public var lines: [SerializedEntry]
    /// For each kind in the part, the range of versions that the part covers completely.
    public var spans: [SnapshotSpan]
    /// Position of the next part, or `nil` if this is the last one.
    public var next: SnapshotPlace?
    public var state: HubState
  }

  /// Returns one part of a snapshot.
  ///
  /// An entity written between two parts receives a version above all existing ones, so it appears in a later part
  /// unless its kind is already complete, and always in the feed after the first part's head. Therefore no live entity
  /// is missed, although the hub keeps no state between parts.
  ///
  /// - Parameters:
  ///   - place: Position at which the part begins, or `nil` for the first part.
  ///   - bytes: Size at which the part ends. The last entry may exceed it.
  ///   - reading: A read transaction for the user.
  /// - Throws: A ``Problem`` of kind `invalid` if the position's kind is unknown.
  public func snapshotPart(
    from place: SnapshotPlace?, bytes: Int, in reading: any HubReadTransaction
  ) throws -> SnapshotPart {
    let state = try reading.state()
    var part = SnapshotPart(lines: [], spans: [], next: nil, state: state)
    var left = bytes
    let kinds = SyncedKind.all.map(\.name) + [nil]
    let first = try place.map { place in
      guard let index = kinds.firstIndex(of: place.kind) else {
        throw Problem.invalid("part: unknown kind \"\(place.kind?.prefix(40) ?? "")\"")
      }
      return index
    }
    for index in (first ?? 0)..<kinds.count where part.next == nil {
      let kind = kinds[index]
      let after = index == first ? place?.version ?? 0 : 0
      let lines = try reading.lines(ofKind: kind, after: after, bytes: left)
      part.lines += lines
      left -= lines.reduce(0) { $0 + $1.text.count }
      // The part is full. More entries of this kind or of later kinds may follow.
      if left <= 0 { part.next = SnapshotPlace(kind: kind, version: lines.last?.version ?? after) }
      if let kind {
        part.spans.append(
          SnapshotSpan(kind: kind, after: after, through: part.next?.version ?? max(after, state.head)))
      }
    }
    return part
  }

  /// Begins a new epoch of the hub's storage for this user and returns the new state.
  public func begin(epoch: String, in transaction: any HubTransaction) throws -> HubState {
    var state = try transaction.state()
    let standing = try transaction.contacts().sorted { $0.at > $1.at }.prefix(HubState.maxActiveContacts)
    state.begin(epoch, standing: Set(standing.flatMap(\.epochs)))
    try transaction.setState(state)
    return state
  }
}
