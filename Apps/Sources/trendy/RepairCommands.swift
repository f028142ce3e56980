import TrendyAgent
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
  static let repairCommands: [Command] = [
    Command(
      path: ["sync", "repair"], arguments: "", summary: "Set right what sync cannot by itself; a backup is made first.",
      group: .sync,
      examples: ["sync repair --resync", "sync repair --dedupe"],
      options: RepairOptions.all
    ) { session in
      _ = try session.positionals(0...0, missing: "nothing")
      let usesHub = session.arguments.has("--resync") || session.arguments.has("--requeue")
      guard session.arguments.has("--dedupe") else {
        return usesHub ? try NetworkProgram.replaceThisProcess(with: session) : try explainRepair(session)
      }
      if usesHub { throw session.usageError("--dedupe is a repair of its own", hint: "One after the other.") }
      return try removeDoubles(session)
    }
  ]

  private static func explainRepair(_ session: Session) throws -> ExitCode {
    let container = try session.openStore()
    let store = container.makeStore()
    let counts = try store.syncCounts()
    let digest = try store.syncDigest()
    let doubles = try Duplicates.find(among: store.fetchAllEvents()).reduce(0) { $0 + $1.doubles.count }
    if session.console.isJSON {
      session.console.document(
        "trendy.sync_repair/1",
        [
          ("waiting", .number(counts.pending)), ("parked", .number(counts.parked)),
          ("missing_rows", .number(digest?.missing ?? 0)), ("unknown_rows", .number(digest?.strays ?? 0)),
          ("doubles", .number(doubles)),
        ])
      return .done
    }
    session.console.text("Nothing was done. Each of these makes a backup first, and loses nothing that waits:")
    session.console.text(
      "--resync   takes everything anew from the hub; \(many(counts.pending, "change")) that wait\(counts.pending == 1 ? "s" : "") would be laid over it"
    )
    session.console.text("--requeue  asks the hub what it has, and offers again what is here and not there")
    session.console.text(
      "--dedupe   shows \(many(doubles, "event")) that \(doubles == 1 ? "is" : "are") here twice; removes them only with --yes"
    )
    if let digest, digest.missing + digest.strays > 0 {
      session.console.text(
        "Wrong here: \(many(digest.missing, "row")) missing, \(many(digest.strays, "row")) that no hub gave. Both at once: trendy doctor --repair"
      )
    } else {
      session.console.text("Whether this store and the hub agree: trendy doctor")
    }
    return .done
  }

  private static func removeDoubles(_ session: Session) throws -> ExitCode {
    let container = try session.openStore()
    let found = try Duplicates.find(among: container.makeStore().fetchAllEvents())
    let doubles = found.flatMap(\.doubles)
    var backup: String?
    if session.arguments.has("--yes"), !doubles.isEmpty {
      backup = try StoreParts(storeDirectory: session.storeDirectory).backUp(before: "repair")
      try container.record.perform("remove \(many(doubles.count, "double"))", [], before: doubles.map { .event($0) })
    }
    let text = EventText(session: session, types: try container.makeStore().fetchAllEventTypes())
    if session.console.isJSON {
      session.console.document(
        "trendy.doubles/1",
        [
          (
            "doubles",
            .array(
              found.map { group in
                .object([
                  ("kept", text.json(group.kept)), ("doubles", .array(group.doubles.map { text.json($0) })),
                  ("differing", .array(group.differing.map { text.json($0) })),
                ])
              })
          ), ("removed", .bool(backup != nil)), ("backup", .string(backup)),
        ])
      return .done
    }
    for group in found {
      session.console.text(text.line(group.kept))
      for event in group.doubles { session.console.text("  twice:  \(text.line(event))") }
      for event in group.differing { session.console.text("  says something else:  \(text.line(event))") }
    }
    if doubles.isEmpty {
      session.console.text("Nothing is here twice.")
    } else if let backup {
      session.console.done("Removed \(many(doubles.count, "double")). What was here before is kept in \(backup)")
      session.console.done("undo: trendy undo")
    } else {
      session.console.text(
        "Nothing was removed. The \(many(doubles.count, "double")) would be: trendy sync repair --dedupe --yes")
    }
    return .done
  }

  static func many(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
