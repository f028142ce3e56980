import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendySync

extension Command {
  static let syncCommands: [Command] = [
    Command(
      path: ["connect"], arguments: "<url> <code>", summary: "Pair this store with a hub, and sync.",
      options: ConnectOptions.all
    ) { session in
      _ = try session.positionals(2...2, missing: "the hub's address and the pairing code")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["sync"], arguments: "[now]", summary: "Bring this store and the hub to one state, now."
    ) { session in
      let words = session.arguments.positionals
      guard words.isEmpty || words == ["now"] else {
        let near = Suggestion.nearest(to: words[0], among: ["now", "status", "history", "conflicts"])
        throw session.usageError(
          "There is no 'sync \(words[0])'", hint: near.map { "Did you mean 'trendy sync \($0)'?" })
      }
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(path: ["sync", "status"], arguments: "", summary: "What waits, where the hub is, when it was last asked.") {
      session in
      try syncStatus(session)
    },
    Command(path: ["status"], arguments: "", summary: "The store, what it holds, and how sync stands.") { session in
      let container = try session.openStore()
      let store = container.makeStore()
      let counts = [
        ("events", try store.events(in: nil, ofType: nil, limit: nil).count),
        ("event_types", try store.fetchAllEventTypes().count), ("places", try store.fetchAllGeofences().count),
      ]
      let sync = try SyncState(container: container, session: session)
      if session.console.isJSON {
        session.console.document(
          "trendy.status/1",
          [
            ("store", .string(session.storeDirectory.path)), ("holds", .object(counts.map { ($0.0, .number($0.1)) })),
            ("sync", sync.json),
          ])
        return .done
      }
      if session.console.format == .plain {
        session.console.row([session.storeDirectory.path] + counts.map { "\($0.1)" } + ["\(sync.waiting)"])
        return .done
      }
      session.console.text("Store: \(session.storeDirectory.path)")
      session.console.text(
        "Holds: \(counts.map { "\($0.1) \($0.0.replacing("_", with: " "))" }.joined(separator: ", "))")
      session.console.text("Sync:  \(sync.line)")
      return .done
    },
  ]

  private static func syncStatus(_ session: Session) throws -> ExitCode {
    let sync = try SyncState(container: session.openStore(), session: session)
    switch session.console.format {
    case .json, .ndjson:
      session.console.document("trendy.sync_status/1", [("sync", sync.json)])
    case .plain: session.console.row([sync.hub ?? "", "\(sync.waiting)", "\(sync.conflicts)", "\(sync.cursor ?? 0)"])
    case .text:
      session.console.text(sync.line)
      if let behind = sync.behind {
        session.console.text("Behind:   \(behind) of the hub's versions have not been read")
      }
      if sync.inFlight > 0 {
        session.console.text("Sent:     \(sync.inFlight) of the waiting, and no answer yet; they are asked for again")
      }
      if let error = sync.lastError { session.console.text("Last try: \(error)") }
      if sync.conflicts > 0 { session.console.text("Decide:   trendy sync conflicts") }
    }
    return .done
  }
}

/// How sync stands, as the store and the files beside it tell.
private struct SyncState {
  let hub: String?
  let person: String?
  let waiting: Int
  let oldest: Date?
  let conflicts: Int
  let parked: Int
  /// Of those that wait, what was sent and not answered.
  let inFlight: Int
  /// The hub's head, as of its last answer.
  let head: Int64?
  let cursor: Int64?
  let lastSync: Date?
  let lastError: String?
  private let session: Session

  init(container: AppContainer, session: Session) throws {
    let store = container.makeStore()
    let account = try container.accountFile.load()
    let mutations = try store.fetchPendingMutations()
    let runs = container.syncHistory.load()
    hub = account?.hubName
    person = account?.person
    waiting = mutations.count
    oldest = mutations.map(\.createdAt).min()
    inFlight = mutations.count { $0.sequence != nil }
    conflicts = try container.recorder.openConflicts().count
    parked = try store.syncCounts().parked
    cursor = try store.syncCursor()
    head = try store.syncMemory().flatMap { $0.generation > 0 ? $0.seen : nil }
    lastSync = runs.last { $0.error == nil }?.endedAt
    lastError = runs.last?.error
    self.session = session
  }

  /// How far the feed was read short of the hub's head; `nil` where it was read to its end.
  var behind: Int64? {
    guard let head, let cursor, head > cursor else { return nil }
    return head - cursor
  }

  /// `hub.example   3 waiting (oldest 4m)   last sync 10:02   cursor 88214`.
  var line: String {
    guard let hub else {
      return "not connected; \(waiting) changes would go to a hub. Pair with one: trendy connect URL CODE"
    }
    var parts = [hub, "\(waiting) waiting"]
    if let oldest { parts[1] += " (oldest \(TimePhrase.words(session.now.timeIntervalSince(oldest))))" }
    parts.append(lastSync.map { "last sync \(session.local.dayAndTime($0))" } ?? "never synced")
    if let cursor { parts.append("cursor \(cursor)") }
    if conflicts > 0 { parts.append("\(conflicts) to decide") }
    return parts.joined(separator: "   ")
  }

  var json: JSONText {
    .object([
      ("hub", .string(hub)), ("person", .string(person)), ("waiting", .number(waiting)),
      ("oldest_waiting", .string(oldest.map { session.local.rfc3339($0) })), ("conflicts", .number(conflicts)),
      ("parked", .number(parked)), ("in_flight", .number(inFlight)), ("cursor", cursor.map { .number($0) } ?? .null),
      ("head", head.map { .number($0) } ?? .null), ("behind", .number(behind ?? 0)),
      ("last_sync", .string(lastSync.map { session.local.rfc3339($0) })), ("last_error", .string(lastError)),
    ])
  }
}
