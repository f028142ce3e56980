import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// Sync status of the store.
///
/// The status is read from the store and the files next to it, so reading it needs no network and includes syncs by
/// other processes.
struct SyncStatusReport {
  let account: Account?
  let waiting: Int
  let oldest: Date?
  let conflicts: Int
  /// Counts of pending and accepted mutations and of parked entries.
  let counts: SyncCounts
  /// Number of pending mutations that were sent but not answered.
  let inFlight: Int
  /// Hub version in the last response, or `nil` if unknown.
  let head: Int64?
  let cursor: Int64?
  private let runs: [SyncRun]
  private let isAgentThere: Bool
  private let session: Session

  init(container: AppContainer, session: Session) throws {
    let store = container.makeStore()
    account = try container.accountFile.load()
    counts = try store.syncCounts()
    waiting = counts.pending
    // Sent mutations are at the front of the queue, at most one batch of them.
    let front = try store.firstPendingMutations(500)
    oldest = front.first?.createdAt
    inFlight = front.count { $0.sequence != nil }
    conflicts = try container.recorder.openConflicts().count
    cursor = try store.syncCursor()
    head = try store.syncMemory().flatMap { $0.generation > 0 ? $0.seen : nil }
    runs = container.syncHistory.load()
    isAgentThere = container.agent.isHeard
    self.session = session
  }
}

extension SyncStatusReport {
  /// Returns the status as a sentence, such as `Synced with hub.example at 17:48.`, or `nil` without a hub.
  static func sentence(container: AppContainer, session: Session) throws -> String? {
    guard let account = try container.accountFile.load() else { return nil }
    let local = session.local
    let last = container.syncHistory.load().lastSync.map { date in
      local.startOfDay(date) == local.startOfDay(session.now) ? local.time(date) : local.dayAndTime(date)
    }
    let waiting = try container.makeStore().syncCounts().pending
    guard waiting > 0 else { return "Synced with \(account.hubName)\(last.map { " at \($0)" } ?? "")." }
    let changes = "\(Quantity(waiting, "change")) pending for \(account.hubName)"
    return last.map { "\(changes); last sync \($0)." } ?? "\(changes); never synced."
  }

  var lastSync: Date? { runs.lastSync }
  var lastError: String? { runs.last?.error }

  /// Number of hub versions that this device has yet to receive, or `nil` if there are none.
  var behind: Int64? {
    guard let head, let cursor, head > cursor else { return nil }
    return head - cursor
  }

  /// Time of the next automatic sync, or `nil` without an agent or a hub.
  private var nextTry: Date? {
    guard account != nil, isAgentThere else { return nil }
    return runs.last?.nextTry
  }

  /// Whether the hub accepted this device's token in the last answered sync, or `nil` if unknown.
  private var isTokenGood: Bool? { account == nil ? nil : runs.last { $0.isTokenGood != nil }?.isTokenGood }

  private var breaker: CircuitBreakerState {
    guard let pause = runs.last?.pausedUntil else { return .closed }
    return session.now < pause ? .open : .halfOpen
  }

  /// Status on one line, as in `hub.example · 3 changes pending (oldest 4 min) · last sync 10:02`.
  var line: String {
    guard let account else {
      return
        "not connected to a hub. To connect: trendy connect URL CODE"
    }
    var parts = [account.hubName, waiting == 0 ? "nothing pending" : "\(Quantity(waiting, "change")) pending"]
    if let oldest { parts[1] += " (oldest \(DurationPhrase.words(max(0, session.now.timeIntervalSince(oldest)))))" }
    parts.append(lastSync.map { "last sync \(session.local.dayAndTime($0))" } ?? "never synced")
    if isTokenGood == false { parts.append("token rejected") }
    if conflicts > 0 { parts.append("\(Quantity(conflicts, "conflict"))") }
    return parts.joined(separator: " · ")
  }

  /// Lines with details to print below ``line``.
  var details: [String] {
    var lines: [String] = []
    if let account { lines.append("Account:  \(account.user), device \(ShortID.of(account.deviceId))") }
    if let head {
      let gap = behind.map { "\(Quantity(Int($0), "version")) not yet received" } ?? "all received"
      lines.append("Hub:      version \(head)\(asOf), \(gap)")
    }
    if inFlight > 0 {
      lines.append("Tried:    \(Quantity(inFlight, "pending change")) sent without a response from the hub")
    }
    if counts.accepted > 0 {
      lines.append("Accepted: \(Quantity(counts.accepted, "change")) not yet confirmed by the feed")
    }
    if counts.parked > 0 {
      lines.append(
        "Parked:   \(Quantity(counts.parked, "entry", "entries")) waiting for related data or a newer version of trendy"
      )
    }
    if let last = runs.last, let error = last.error {
      lines.append("Last try: \(session.local.dayAndTime(last.endedAt)), failed: \(error)")
    }
    if let pause = runs.last?.pausedUntil {
      lines.append(
        breaker == .open
          ? "Paused:   until \(session.local.dayAndTime(pause)), as requested by the hub"
          : "Paused:   the next sync checks whether the hub accepts changes again")
    }
    if account != nil { lines.append("Next try: \(nextTryInWords)") }
    if conflicts > 0 { lines.append("Resolve:  trendy sync conflicts") }
    return lines
  }

  /// Time of the hub's last response, as in ` as of Fri 20 Nov 10:02`, or an empty string if there was none.
  private var asOf: String {
    runs.last { $0.isTokenGood == true }.map { " as of \(session.local.dayAndTime($0.endedAt))" } ?? ""
  }

  private var nextTryInWords: String {
    guard isAgentThere else { return "not scheduled, because no agent is running. Sync now: trendy sync" }
    guard let nextTry else { return "when the agent has started" }
    let wait = nextTry.timeIntervalSince(session.now)
    return wait <= 0 ? "now" : "in \(DurationPhrase.words(wait)), at \(session.local.time(nextTry))"
  }

  var json: JSONText {
    func moment(_ date: Date?) -> JSONText { .string(date.map { session.local.rfc3339($0) }) }
    return .object([
      ("hub", .string(account?.hubName)), ("person", .string(account?.user)),
      ("device_id", .string(account?.deviceId)), ("key_ok", isTokenGood.map { .bool($0) } ?? .null),
      ("waiting", .number(waiting)), ("oldest_waiting", moment(oldest)), ("in_flight", .number(inFlight)),
      ("accepted", .number(counts.accepted)), ("parked", .number(counts.parked)), ("conflicts", .number(conflicts)),
      ("cursor", cursor.map { .number($0) } ?? .null), ("head", head.map { .number($0) } ?? .null),
      ("behind", .number(behind ?? 0)), ("last_sync", moment(lastSync)), ("last_try", moment(runs.last?.endedAt)),
      ("last_error", .string(lastError)), ("agent", .bool(isAgentThere)), ("next_try", moment(nextTry)),
      ("breaker", .string(breaker.word)), ("breaker_until", moment(breaker == .open ? runs.last?.pausedUntil : nil)),
    ])
  }
}

extension [SyncRun] {
  fileprivate var lastSync: Date? { last { $0.error == nil }?.endedAt }
}

extension CircuitBreakerState {
  fileprivate var word: String {
    switch self {
    case .closed: "closed"
    case .open: "open"
    case .halfOpen: "half_open"
    }
  }
}
