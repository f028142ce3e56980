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
    if session.console.isJSON {
      session.console.document(
        "trendy.doctor/1",
        [
          ("store", .string(session.storeDirectory.path)), ("rows", .number(checkup.rows)),
          ("findings", .array(checkup.findings.map { .string($0) })),
          (
            "repair",
            repair.map { report in
              .object([
                ("was_damaged", .bool(report.wasDamaged)), ("saves_kept", .number(report.savesKept)),
                ("saves_lost", .number(report.savesLost)), ("set_aside", .array(report.setAside.map { .string($0) })),
              ])
            } ?? .null
          ),
        ])
      return
    }
    if let repair, repair.wasDamaged {
      session.console.text(
        "Repaired: \(repair.savesKept) saves are whole and kept, \(repair.savesLost) are not whole in any file.")
      for file in repair.setAside { session.console.text("  set aside: \(file)") }
    } else if repair != nil {
      session.console.text("There was nothing to repair.")
    }
    if checkup.findings.isEmpty {
      session.console.text("The store at \(session.storeDirectory.path) is whole: \(checkup.rows) rows were read.")
    }
    for finding in checkup.findings { session.console.data("- \(finding)") }
  }
}
