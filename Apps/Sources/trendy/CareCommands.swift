import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync

extension Command {
  static let careCommands: [Command] = [
    Command(
      path: ["doctor"], arguments: "",
      summary: "Look through the whole store, compare it with the hub, and say what is wrong.", group: .care,
      examples: ["doctor", "doctor --repair"],
      options: [
        OptionSpec(
          "--repair",
          help:
            "save all that is whole into new files and set the damaged ones aside; set right what differs from the hub"),
        OptionSpec("--local", help: "do not ask the hub"),
      ]
    ) { session in
      _ = try session.positionals(0...0, missing: "nothing")
      var repair: RepairReport?
      let checkup: StoreCheckup
      do {
        if session.arguments.has("--repair") {
          repair = try StoreCheckup.repair(storeDirectory: session.storeDirectory)
        }
        checkup = try StoreCheckup(storeDirectory: session.storeDirectory)
      } catch StorageError.missing {
        throw CommandError.noStore(at: session.storeDirectory.path)
      }
      // What is damaged is repaired first: a sync would only meet it.
      let hub = checkup.findings.isEmpty ? try HubCheckup(session) : nil
      show(checkup, repair, hub, session: session)
      return checkup.findings.isEmpty && hub?.agrees != false ? .done : .no
    },
    Command(
      path: ["backup"], arguments: "<file>", summary: "Write everything that is here into one file, whatever goes on.",
      group: .data,
      examples: ["backup trendy.backup", "backup trendy.backup --yes"],
      options: [OptionSpec("--yes", help: "replace a file that is there")]
    ) { session in
      let file = try file(of: session)
      let backup: StoreBackup.Summary
      do {
        backup = try StoreParts(storeDirectory: session.storeDirectory).backUp(
          to: file, isReplacing: session.arguments.has("--yes"))
      } catch StorageError.missing where !DeviceRecord.exists(at: session.storeDirectory) {
        throw CommandError.noStore(at: session.storeDirectory.path)
      } catch StorageError.exists(let path) {
        throw CommandError.fileExists(at: path, isReplacing: session.arguments.has("--yes"))
      }
      if session.console.isJSON {
        session.console.document("trendy.backup/1", json(backup, file: file, session: session))
      } else {
        session.console.done("Backed up \(contents(backup)) to \(file).")
        session.console.done("The pairing with a hub is not in it. To bring it back: trendy restore \(file)")
      }
      return .done
    },
    Command(
      path: ["restore"], arguments: "<file> | <id>...",
      summary: "Put a backup in the place of what is here; or bring back what was deleted, by its id.", group: .data,
      examples: ["restore trendy.backup --yes", "restore 0199f3c2"],
      options: [OptionSpec("--yes", help: "a backup: even if something is here; it is kept aside")]
    ) { session in
      if let deleted = try session.deletedEntities() { return try session.restore(deleted) }
      let file = try file(of: session)
      let parts = StoreParts(storeDirectory: session.storeDirectory)
      let backup = try StoreBackup.check(file)
      guard try session.arguments.has("--yes") || !parts.isUsed() else {
        throw CommandError(
          "There is a store with something in it at \(session.storeDirectory.path)",
          hint:
            "Nothing was restored. --yes puts the backup of \(made(backup, session)) in its place, and keeps it aside.",
          exit: .cannotCreate)
      }
      let report = try parts.restore(from: file)
      AgentSignal(storeDirectory: session.storeDirectory).send()
      show(report, file: file, session: session)
      return .done
    },
  ]

  private static func file(of session: Session) throws(CommandError) -> String {
    let path = try session.positionals(1...1, missing: "the file")[0]
    var isFolder = false
    if path.isEmpty || (FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder) {
      throw session.usageError("'\(path)' is no file", hint: "Give the name of a file.")
    }
    return path
  }

  private static func made(_ backup: StoreBackup.Summary, _ session: Session) -> String {
    session.local.rfc3339(Date(timeIntervalSince1970: Double(backup.madeMillis) / 1000))
  }

  private static func contents(_ backup: StoreBackup.Summary) -> String {
    "\(many(backup.records.values.reduce(0, +), "row")) (\(many(backup.bytes, "byte")))"
  }

  private static func json(
    _ backup: StoreBackup.Summary, file: String, session: Session
  ) -> [(String, JSONText)] {
    [
      ("file", .string(file)), ("made_at", .string(made(backup, session))), ("bytes", .number(backup.bytes)),
      ("rows", .object(backup.records.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
    ]
  }

  private static func show(_ report: StoreBackup.RestoreReport, file: String, session: Session) {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendy.restore/1",
        json(report.summary, file: file, session: session) + [("kept", .array(report.kept.map { .string($0) }))])
      return
    }
    console.done("Restored \(contents(report.summary)) of \(made(report.summary, session)).")
    for path in report.kept { console.text("What was here before is kept in \(path)") }
    console.done(
      "If it syncs with a hub: the hub takes this for a copy, gives it a new identity at the next sync, and brings back what it has."
    )
  }

  private static func show(
    _ checkup: StoreCheckup, _ repair: RepairReport?, _ hub: HubCheckup?, session: Session
  ) {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendy.doctor/1",
        [
          ("store", .string(session.storeDirectory.path)), ("rows", .number(checkup.files.records)),
          ("files", .number(checkup.files.files)), ("bytes", .number(checkup.files.bytes)),
          ("cut_bytes", .number(checkup.files.cutBytes)),
          ("findings", .array(checkup.findings.map(json))),
          ("set_aside", .array(checkup.files.setAside.map { .string($0) })), ("repair", repair.map(json) ?? .null),
          ("hub", hub?.json ?? .null),
        ])
      return
    }
    if let repair, repair.wasDamaged {
      show(repair, console: console)
    } else if repair != nil {
      console.text("There was nothing to repair.")
    }
    if checkup.findings.isEmpty {
      console.text(
        "The store at \(session.storeDirectory.path) is whole: \(many(checkup.files.records, "row")) in \(many(checkup.files.files, "file"))."
      )
    }
    for finding in checkup.findings.prefix(mostShown) {
      console.data("- \(finding.place)\(finding.what)")
      console.data("  \(finding.advice)")
    }
    showRest(of: checkup.findings.count, console: console)
    if checkup.files.cutBytes > 0 {
      console.text(
        "A save that never finished (\(checkup.files.cutBytes) bytes) is left out; nobody was told that it was saved.")
    }
    if !checkup.files.setAside.isEmpty {
      console.text(
        "Kept aside in the same folder: \(checkup.files.setAside.joined(separator: ", ")). Remove them when you need them no more."
      )
    }
    for line in hub?.lines ?? [] { console.text(line) }
  }

  /// What is more is counted, not listed.
  private static let mostShown = 20

  private static func showRest(of count: Int, console: Console) {
    if count > mostShown { console.data("… and \(count - mostShown) more: --json lists them") }
  }

  private static func show(_ repair: RepairReport, console: Console) {
    console.text(
      "Repaired. Of the log, \(many(repair.savesKept, "save")) kept, \(repair.savesLost) not whole in any file.")
    for saves in repair.lostSaves {
      console.data("  lost: \(many(saves.numbers.count, "save")) at \(saves.path), byte \(saves.offset)")
      for row in saves.rows.prefix(mostShown) { console.data("    it named \(row.description)") }
    }
    if repair.rowsLost > 0 {
      console.data(
        "  lost: \(many(repair.rowsLost, "row")), damaged or gone; where one was changed later, that may be kept")
      for row in repair.lostRows.prefix(mostShown) { console.data("    \(row.description)") }
      showRest(of: repair.lostRows.count, console: console)
    }
    for file in repair.setAside { console.text("  set aside: \(file)") }
  }

  private static func json(_ finding: StoreFinding) -> JSONText {
    .object([
      ("kind", .string(finding.kind.rawValue)), ("file", .string(finding.path)),
      ("offset", finding.offset.map { .number($0) } ?? .null), ("what", .string(finding.what)),
      ("advice", .string(finding.advice)),
    ])
  }

  private static func json(_ report: RepairReport) -> JSONText {
    .object([
      ("was_damaged", .bool(report.wasDamaged)), ("saves_kept", .number(report.savesKept)),
      ("saves_lost", .number(report.savesLost)),
      (
        "lost_saves",
        .array(
          report.lostSaves.map { saves in
            .object([
              ("file", .string(saves.path)), ("offset", .number(saves.offset)), ("saves", .number(saves.numbers.count)),
              ("named", .array(saves.rows.map { .string($0.description) })),
            ])
          })
      ),
      ("rows_lost", .number(report.rowsLost)),
      ("lost_rows", .array(report.lostRows.map { .string($0.description) })),
      ("set_aside", .array(report.setAside.map { .string($0) })),
    ])
  }
}

extension Session {
  /// What the words name of what was deleted; `nil` where one is a file, or looks like one.
  fileprivate func deletedEntities() throws -> [DeletedEntity]? {
    let words = arguments.positionals
    guard !words.isEmpty, DeviceRecord.exists(at: storeDirectory),
      !words.contains(where: { $0.isEmpty || $0.contains("/") || FileManager.default.fileExists(atPath: $0) })
    else { return nil }
    let recorder = try openStore().recorder
    let deleted = try MutationEntityType.allCases.filter { $0 != .conflict }.flatMap { try recorder.deleted($0) }
    return try words.map { word in
      let matches = deleted.filter { $0.id == word || $0.id.lowercased().hasPrefix(word.lowercased()) }
      guard matches.count == 1 else {
        throw CommandError(
          matches.isEmpty
            ? "There is no file '\(word)', and nothing that was deleted has such an id"
            : "\(matches.count) ids of what was deleted begin with '\(word)'",
          hint: "trendy list --deleted shows what can be brought back.", exit: .notFound)
      }
      return matches[0]
    }
  }

  fileprivate func restore(_ deleted: [DeletedEntity]) throws -> ExitCode {
    let container = try openStore()
    // What others hang on comes first.
    for entity in deleted.filter({ $0.kind == .eventType }) + deleted.filter({ $0.kind != .eventType }) {
      try container.recorder.restore(entity.kind, id: entity.id)
    }
    container.agent.send()
    if console.isJSON {
      console.document("trendy.restored/1", [("restored", .array(deleted.map { .string($0.id) }))])
    }
    let text = EventText(session: self, types: try container.makeStore().fetchAllEventTypes())
    for entity in deleted {
      let name = entity.fields["name"]?.stringValue ?? entity.fields["label"]?.stringValue ?? entity.id
      let kind = entity.kind.rawValue.replacing("_", with: " ")
      console.done("Restored: \(entity.event.map { text.line($0) } ?? "\(kind) \(name)")")
    }
    return .done
  }
}
