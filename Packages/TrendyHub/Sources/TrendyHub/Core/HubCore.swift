public import Foundation
public import TrendyModels

/// The hub's semantics: what a write does to one person's state, and what it is answered.
///
/// It keeps nothing, reads no clock and waits for nothing: state comes and goes through the transaction, time as `now`.
/// Called twice with the same state and input it does the same.
public struct HubCore: Hashable, Sendable {
  /// Of every person without one of their own.
  public var quota: HubQuota

  public init(quota: HubQuota = HubQuota()) { self.quota = quota }

  /// The same for what a person is not refused: findings in what was taken from them already.
  var unlimited: HubCore { HubCore(quota: HubQuota(rows: HubQuota.unlimited, bytes: HubQuota.unlimited)) }

  // MARK: A device's push

  public struct Push: Sendable {
    public var position: DevicePosition
    public var mutations: [SentMutation]

    public init(position: DevicePosition, mutations: [SentMutation]) {
      self.position = position
      self.mutations = mutations
    }
  }

  public struct PushResult: Hashable, Sendable {
    /// In order; of a forked device those before the fork was seen.
    public var outcomes: [OutcomeEnvelope]
    /// Why the rest was not judged: two stores use one identity.
    public var fork: Problem?
    /// After the push.
    public var state: HubState
  }

  /// Judges a device's mutations in their order, each exactly once.
  ///
  /// Against the quota they count as a whole: deletions make room for what was sent before them.
  /// - Throws: as ``check(_:in:)``, and where the quota is exceeded; then nothing is done.
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
          fork = .forked("sequence \(mutation.sequence) was judged before, with other content or long ago")
          break
        }
        outcomes.append(OutcomeEnvelope(sequence: mutation.sequence, stored.verdict))
        continue
      }
      guard mutation.sequence == mark + 1 else {
        fork = .forked("sequence \(mutation.sequence) came, \(mark + 1) was expected")
        break
      }
      let verdict: HubVerdict
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

  /// Judges one write and carries it out. A refusal is an outcome; what is thrown is the storage's.
  public func judge(
    _ mutation: HubMutation, device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubVerdict {
    let writer = try HubWriter(transaction, now: now, quota: quota)
    let verdict = try judge(mutation, device: device, writer)
    try writer.finish()
    return verdict
  }

  func judge(_ mutation: HubMutation, device: String, _ writer: HubWriter) throws -> HubVerdict {
    do {
      return try Judgement(mutation, device: device, writer: writer).run()
    } catch let problem as Problem {
      return .refused(problem)
    }
  }

  // MARK: The feed

  public struct Page: Hashable, Sendable {
    public var lines: [HubLine]
    public var nextCursor: Int64
    public var hasMore: Bool
    public var state: HubState
  }

  /// The entries after a position, at most `limit`, which is 1 to 500.
  ///
  /// Who asks to bootstrap holds nothing yet, so that no tombstone can be missing.
  /// - Throws: a problem of kind `log_reset` for a position this hub never gave, `cursor_expired` for one below the horizon.
  public func page(
    after cursor: Int64, limit: Int, isBootstrap: Bool = false, in reading: any HubReading
  ) throws -> Page {
    // The head is read first: an entry that is written meanwhile is then in the page or after the cursor, never between.
    let state = try reading.state()
    guard cursor <= state.head else {
      throw Problem.logReset("this hub stands at \(state.head) and never gave \(cursor)")
    }
    guard cursor >= state.horizon || isBootstrap else {
      throw Problem(
        "cursor_expired", status: 410, title: "Position too old",
        detail:
          "what was deleted up to \(state.horizon) is no longer told one by one, and this is \(cursor): take a snapshot"
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

  /// Where a snapshot goes on.
  public struct SnapshotPlace: Hashable, Sendable {
    /// `nil` for all kinds together that this version does not know, which come last.
    public var kind: String?
    /// What is above this version of the kind, and all kinds after it, is still to come.
    public var version: Int64

    public init(kind: String?, version: Int64) {
      self.kind = kind
      self.version = version
    }
  }

  public struct SnapshotPart: Sendable {
    public var lines: [HubLine]
    /// Of the kinds that it names entries of, or found to have none: all entries with these versions are in it.
    public var spans: [SnapshotSpan]
    /// `nil` at the end.
    public var next: SnapshotPlace?
    public var state: HubState
  }

  /// The entries from a place on, `nil` from the first, that fill `bytes`.
  ///
  /// What is written between two parts has then a version above all that was there: it stands in a later part where its kind is
  /// not through yet, and in any case in the feed after the head of the first part. So nothing is missed that lives all the
  /// while, and a part needs nothing of those before it.
  public func snapshotPart(
    from place: SnapshotPlace?, bytes: Int, in reading: any HubReading
  ) throws -> SnapshotPart {
    let state = try reading.state()
    var part = SnapshotPart(lines: [], spans: [], next: nil, state: state)
    var left = bytes
    let kinds = SyncedKind.all.map(\.name) + [nil]
    let first = try place.map { place in
      guard let index = kinds.firstIndex(of: place.kind) else {
        throw Problem.invalid("part: no kind is called \"\(place.kind?.prefix(40) ?? "")\"")
      }
      return index
    }
    for index in (first ?? 0)..<kinds.count where part.next == nil {
      let kind = kinds[index]
      let after = index == first ? place?.version ?? 0 : 0
      let lines = try reading.lines(ofKind: kind, after: after, bytes: left)
      part.lines += lines
      left -= lines.reduce(0) { $0 + $1.text.count }
      // Full: there may be more, of this kind or another.
      if left <= 0 { part.next = SnapshotPlace(kind: kind, version: lines.last?.version ?? after) }
      if let kind {
        part.spans.append(
          SnapshotSpan(kind: kind, after: after, through: part.next?.version ?? max(after, state.head)))
      }
    }
    return part
  }

  /// Begins a new life of the hub for this person: whoever knows the list of lives can tell whether the hub was restored.
  public func begin(epoch: String, in transaction: any HubTransaction) throws -> HubState {
    var state = try transaction.state()
    let standing = try transaction.contacts().sorted { $0.at > $1.at }.prefix(HubState.mostStanding)
    state.begin(epoch, standing: Set(standing.flatMap(\.lives)))
    try transaction.setState(state)
    return state
  }
}
