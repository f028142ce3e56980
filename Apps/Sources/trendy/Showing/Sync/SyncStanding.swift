import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// How sync stands, as the store and the files beside it tell: without the network, and whoever syncs, in whatever process.
struct SyncStanding {
  let account: Account?
  let waiting: Int
  let oldest: Date?
  let conflicts: Int
  /// What else lies in the store for sync.
  let counts: SyncCounts
  /// Of those that wait, what was sent and not answered.
  let inFlight: Int
  /// The hub's head, as of its last answer.
  let head: Int64?
  let cursor: Int64?
  private let runs: [SyncRun]
  /// Whether somebody syncs in the background.
  private let isAgentThere: Bool
  private let session: Session

  init(container: AppContainer, session: Session) throws {
    let store = container.makeStore()
    account = try container.accountFile.load()
    counts = try store.syncCounts()
    waiting = counts.pending
    // What was sent lies at the front, and is never more than one batch.
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

extension SyncStanding {
  /// `Everything is on hub.example (17:48).`; `nil` without a hub.
  ///
  /// For commands that say it beside something else: it reads no more than that takes, and nothing where there is no hub.
  static func sentence(container: AppContainer, session: Session) throws -> String? {
    guard let account = try container.accountFile.load() else { return nil }
    let local = session.local
    let last = container.syncHistory.load().lastSync.map { date in
      local.startOfDay(date) == local.startOfDay(session.now) ? local.time(date) : local.dayAndTime(date)
    }
    let waiting = try container.makeStore().syncCounts().pending
    guard waiting > 0 else { return "Everything is on \(account.hubName)\(last.map { " (\($0))" } ?? "")." }
    let changes = "\(Quantity(waiting, "change waits", "changes wait")) for \(account.hubName)"
    return last.map { "\(changes); last sync \($0)." } ?? "\(changes); never synced."
  }

  var lastSync: Date? { runs.lastSync }
  var lastError: String? { runs.last?.error }

  /// How far the feed was read short of the hub's head; `nil` where it was read to its end.
  var behind: Int64? {
    guard let head, let cursor, head > cursor else { return nil }
    return head - cursor
  }

  /// When the agent tries next; `nil` where nobody does by himself.
  private var nextTry: Date? {
    guard account != nil, isAgentThere else { return nil }
    return runs.last?.nextTry
  }

  /// What the hub said last of this device's token.
  private var isTokenGood: Bool? { account == nil ? nil : runs.last { $0.isTokenGood != nil }?.isTokenGood }

  /// As the breaker of who synced last has it.
  private var breaker: CircuitBreakerState {
    guard let pause = runs.last?.pausedUntil else { return .closed }
    return session.now < pause ? .open : .halfOpen
  }

  /// `hub.example   3 waiting (oldest 4m)   last sync 10:02   cursor 88214   key ok`.
  var line: String {
    guard let account else {
      return
        "not connected; \(waiting) change\(waiting == 1 ? "" : "s") would go to a hub. Pair with one: trendy connect URL CODE"
    }
    var parts = [account.hubName, "\(waiting) waiting"]
    if let oldest { parts[1] += " (oldest \(DurationPhrase.words(max(0, session.now.timeIntervalSince(oldest)))))" }
    parts.append(lastSync.map { "last sync \(session.local.dayAndTime($0))" } ?? "never synced")
    if let cursor { parts.append("cursor \(cursor)") }
    if let isTokenGood { parts.append(isTokenGood ? "key ok" : "key refused") }
    if conflicts > 0 { parts.append("\(conflicts) to decide") }
    return parts.joined(separator: "   ")
  }

  /// What there is to say beyond the line.
  var details: [String] {
    var lines: [String] = []
    if let account { lines.append("Account:  \(account.person), this device \(account.deviceId)") }
    if let head {
      let gap = behind.map { ": \($0) of its versions have not been read" } ?? ", all read"
      lines.append("Hub:      at version \(head)\(asOf)\(gap)")
    }
    if inFlight > 0 {
      lines.append("Sent:     \(inFlight) of the waiting, and no answer yet; they are asked for again")
    }
    if counts.accepted > 0 { lines.append("Accepted: \(counts.accepted) that have not come back yet") }
    if counts.parked > 0 {
      lines.append(
        "Parked:   \(counts.parked), until what they belong to comes, or a version of trendy that reads them")
    }
    if let last = runs.last, let error = last.error {
      lines.append("Last try: \(session.local.dayAndTime(last.endedAt)): \(error)")
    }
    if let pause = runs.last?.pausedUntil {
      lines.append(
        breaker == .open
          ? "Breaker:  open: the hub asked to be left alone until \(session.local.dayAndTime(pause))"
          : "Breaker:  half open: the next try shows whether the hub takes changes again")
    }
    if account != nil { lines.append("Next try: \(nextTryInWords)") }
    if conflicts > 0 { lines.append("Decide:   trendy sync conflicts") }
    return lines
  }

  /// Since when nothing newer is known.
  private var asOf: String {
    runs.last { $0.isTokenGood == true }.map { " as of \(session.local.dayAndTime($0.endedAt))" } ?? ""
  }

  private var nextTryInWords: String {
    guard isAgentThere else { return "none by itself: no agent runs (trendyd run). Now: trendy sync" }
    guard let nextTry else { return "when the agent has begun" }
    let wait = nextTry.timeIntervalSince(session.now)
    return wait <= 0 ? "now" : "in \(DurationPhrase.words(wait)), at \(session.local.time(nextTry))"
  }

  var json: JSONText {
    func moment(_ date: Date?) -> JSONText { .string(date.map { session.local.rfc3339($0) }) }
    return .object([
      ("hub", .string(account?.hubName)), ("person", .string(account?.person)),
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
  /// When the last ended that did not fail.
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
