import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyPersistence

extension Command {
  static let careCommands: [Command] = [
    Command(
      path: ["doctor"], arguments: "", summary: "Look through the whole store, and say what is wrong.",
      options: [OptionSpec("--repair", help: "save all that is whole into new files and set the damaged ones aside")]
    ) { session in
      guard AppContainer.storeExists(at: session.storeDirectory) else {
        throw CommandError.noStore(at: session.storeDirectory.path)
      }
      var repair: RepairReport?
      if session.arguments.has("--repair") {
        repair = try StoreCheckup.repair(storeDirectory: session.storeDirectory)
      }
      let checkup = try StoreCheckup(storeDirectory: session.storeDirectory)
      show(checkup, repair, session: session)
      return checkup.findings.isEmpty ? .done : .no
    }
  ]

  private static func show(_ checkup: StoreCheckup, _ repair: RepairReport?, session: Session) {
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
    for finding in checkup.findings {
      console.data("- \(finding.place)\(finding.what)")
      console.data("  \(finding.advice)")
    }
    if checkup.files.cutBytes > 0 {
      console.text(
        "A save that never finished (\(checkup.files.cutBytes) bytes) is left out; nobody was told that it was saved.")
    }
    if !checkup.files.setAside.isEmpty {
      console.text(
        "Kept aside in the same folder: \(checkup.files.setAside.joined(separator: ", ")). Remove them when you need them no more."
      )
    }
  }

  /// More rows than this are counted, not listed; `--json` lists all.
  private static let mostRowsShown = 20

  private static func show(_ repair: RepairReport, console: Console) {
    console.text(
      "Repaired. Of the log, \(many(repair.savesKept, "save")) kept, \(repair.savesLost) not whole in any file.")
    for saves in repair.lostSaves {
      console.data("  lost: \(many(saves.numbers.count, "save")) at \(saves.path), byte \(saves.offset)")
      for row in saves.rows.prefix(mostRowsShown) { console.data("    it named \(row.description)") }
    }
    if repair.rowsLost > 0 {
      console.data(
        "  lost: \(many(repair.rowsLost, "row")), damaged or gone; where one was changed later, that may be kept")
      for row in repair.lostRows.prefix(mostRowsShown) { console.data("    \(row.description)") }
      if repair.lostRows.count > mostRowsShown {
        console.data("    … and \(repair.lostRows.count - mostRowsShown) more: --json lists them")
      }
    }
    for file in repair.setAside { console.text("  set aside: \(file)") }
  }

  private static func many(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

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
