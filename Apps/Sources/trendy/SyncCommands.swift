import TrendyAgent
import AgentLink
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
      path: ["connect"], arguments: "<url> <code>", summary: "Pair this store with a hub, and sync.", group: .sync,
      examples: ["connect https://hub.example 4821-0937", "connect https://hub.example 4821-0937 --name phone"],
      options: ConnectOptions.all
    ) { session in
      _ = try session.positionals(2...2, missing: "the hub's address and the pairing code")
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["disconnect"], arguments: "", summary: "Forget the hub. What was recorded stays, and what waits.",
      group: .sync,
      examples: ["disconnect"]
    ) {
      session in
      _ = try session.positionals(0...0, missing: "nothing")
      return try disconnect(session)
    },
    Command(
      path: ["sync"], arguments: "[now]", summary: "Bring this store and the hub to one state, now.", group: .sync,
      examples: ["sync", "sync --quiet"]
    ) { session in
      let words = session.arguments.positionals
      guard words.isEmpty || words == ["now"] else {
        let near = Suggestion.nearest(to: words[0], among: ["now", "status", "history", "conflicts", "repair"])
        throw session.usageError(
          "There is no 'sync \(words[0])'", hint: near.map { "Did you mean 'trendy sync \($0)'?" })
      }
      return try NetworkProgram.replaceThisProcess(with: session)
    },
    Command(
      path: ["sync", "status"], arguments: "", summary: "What waits, where the hub is, when it was last asked.",
      group: .sync,
      examples: ["sync status"]
    ) {
      session in
      try syncStatus(session)
    },
    Command(
      path: ["status"], arguments: "", summary: "The store, what it holds, and how sync stands.", group: .care,
      examples: ["status", "status --json"]
    ) { session in
      let container = try session.openStore()
      let store = container.makeStore()
      let counts = [
        ("events", try store.events(in: nil, ofType: nil, limit: nil).count),
        ("event_types", try store.fetchAllEventTypes().count), ("places", try store.fetchAllGeofences().count),
      ]
      let sync = try SyncStanding(container: container, session: session)
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

  private static func disconnect(_ session: Session) throws -> ExitCode {
    let container = try session.openStore()
    let account = try container.accountFile.load()
    let waiting = try container.makeStore().syncCounts().pending
    if let account {
      try container.accountFile.disconnect(account)
      container.agent.send()
    }
    if session.console.isJSON {
      session.console.document(
        "trendy.disconnect/1", [("hub", .string(account?.hubName)), ("waiting", .number(waiting))])
    }
    guard let account else {
      session.console.done("This store is connected to no hub.")
      return .done
    }
    session.console.done("Disconnected from \(account.hubName). What was recorded stays here.")
    if waiting > 0 {
      session.console.done(
        "\(waiting) change\(waiting == 1 ? " waits" : "s wait") for it, and stay\(waiting == 1 ? "s" : "").")
    }
    session.console.done("Go on with the same account, here or at its new address:  trendy connect URL CODE")
    session.console.done("End the token at the hub:  trendyd token revoke \(account.deviceId)")
    return .done
  }

  private static func syncStatus(_ session: Session) throws -> ExitCode {
    let sync = try SyncStanding(container: session.openStore(), session: session)
    switch session.console.format {
    case .json, .ndjson:
      session.console.document("trendy.sync_status/1", [("sync", sync.json)])
    case .plain:
      session.console.row([sync.account?.hubName ?? "", "\(sync.waiting)", "\(sync.conflicts)", "\(sync.cursor ?? 0)"])
    case .text:
      session.console.text(sync.line)
      for line in sync.details { session.console.text(line) }
    }
    return .done
  }
}
