import CommandSupport
import TrendyPersistence

struct RepairText {
  let report: RepairReport

  func show(_ console: Console) {
    guard report.wasDamaged else {
      console.text("Nothing to repair.")
      return
    }
    console.sentence(
      "Repaired: \(Quantity(report.savesKept, "save")) recovered from the log, \(report.savesLost) incomplete.")
    for saves in report.lostSaves {
      console.data("  lost: \(Quantity(saves.numbers.count, "save")) at \(saves.path), byte \(saves.offset)")
      for row in Excerpt(saves.rows).shown { console.data("    contained \(row.description)") }
    }
    if report.rowsLost > 0 {
      let rows = Excerpt(report.lostRows)
      console.data(
        "  lost: \(Quantity(report.rowsLost, "row")), damaged or missing; later versions may have been recovered")
      for row in rows.shown { console.data("    \(row.description)") }
      if let rest = rows.rest { console.data(rest) }
    }
    for file in report.setAside { console.text("  moved aside: \(file)") }
  }

  var json: JSONText {
    .object([
      ("was_damaged", .bool(report.wasDamaged)), ("saves_kept", .number(report.savesKept)),
      ("saves_lost", .number(report.savesLost)),
      ("lost_saves", .array(report.lostSaves.map { json($0) })),
      ("rows_lost", .number(report.rowsLost)),
      ("lost_rows", .array(report.lostRows.map { .string($0.description) })),
      ("set_aside", .array(report.setAside.map { .string($0) })),
    ])
  }

  private func json(_ saves: LostSaves) -> JSONText {
    .object([
      ("file", .string(saves.path)), ("offset", .number(saves.offset)), ("saves", .number(saves.numbers.count)),
      ("named", .array(saves.rows.map { .string($0.description) })),
    ])
  }
}
