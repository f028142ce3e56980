import Foundation
import TrendyHub
import TrendyModels

extension PostgresReading {
  private static let rowsAtOnce: Int64 = 512

  func forEachRecord(_ body: (HubRecord) throws -> Void) throws {
    try settle()
    let state = try state()
    if state != HubState() { try body(.state(state)) }
    try forEachEntry(body)
    try forEachPurged(body)
    try forEachKeyedWrite(body)
    let marks = try run(PostgresCall(.readMarks, .text(user)))
    for row in 0..<marks.count { try body(.mark(device: marks.text(row, 0), sequence: marks.int(row, 1))) }
    for contact in try contacts() { try body(.contact(contact)) }
    try forEachOutcome(body)
    for companion in try companions() {
      try body(.companion(companion))
      try forEachNotice(of: companion.id, body)
    }
    let standings = try run(PostgresCall(.readStandings, .text(user)))
    for row in 0..<standings.count { try body(.webhookStanding(Self.standing(standings.data(row, 0)))) }
    for entry in try imports() { try body(.import(entry)) }
  }

  private func forEachEntry(_ body: (HubRecord) throws -> Void) throws {
    var version = Int64.min
    while true {
      let page = try entries(after: version, limit: Int(Self.rowsAtOnce))
      for entry in page { try body(.entry(entry)) }
      guard page.count == Self.rowsAtOnce, let last = page.last else { return }
      version = last.version
    }
  }

  private func forEachPurged(_ body: (HubRecord) throws -> Void) throws {
    try forEachPage(of: .readPurged) { rows, row in
      guard let hash = HubNameHash(rows.text(row, 0)) else { throw PostgresDocument.unreadable("purged") }
      try body(.purged(hash))
    }
  }

  private func forEachKeyedWrite(_ body: (HubRecord) throws -> Void) throws {
    try forEachPage(of: .readKeyedWrites) { rows, row in
      guard let hash = HubNameHash(rows.text(row, 0)) else { throw PostgresDocument.unreadable("keyed_write") }
      try body(
        .keyedWrite(hash, KeyedWrite(digest: rows.text(row, 1), kind: rows.text(row, 2), id: rows.text(row, 3))))
    }
  }

  /// Reads a statement's rows page by page, ordered by the text in the first column.
  private func forEachPage(of statement: PostgresStatement, _ body: (PostgresRows, Int) throws -> Void) throws {
    var last = ""
    while true {
      let rows = try run(PostgresCall(statement, .text(user), .text(last), .int(Self.rowsAtOnce)))
      for row in 0..<rows.count { try body(rows, row) }
      guard rows.count == Self.rowsAtOnce else { return }
      last = rows.text(rows.count - 1, 0)
    }
  }

  private func forEachOutcome(_ body: (HubRecord) throws -> Void) throws {
    var (device, sequence) = ("", Int64.min)
    while true {
      let rows = try run(
        PostgresCall(.readAllOutcomes, .text(user), .text(device), .int(sequence), .int(Self.rowsAtOnce)))
      for row in 0..<rows.count {
        (device, sequence) = (rows.text(row, 0), rows.int(row, 1))
        guard let outcome = StoredOutcome(stored: try PostgresDocument.parse(rows.data(row, 2), of: "outcome")) else {
          throw PostgresDocument.unreadable("outcome")
        }
        try body(.outcome(device: device, sequence: sequence, outcome))
      }
      guard rows.count == Self.rowsAtOnce else { return }
    }
  }

  private func forEachNotice(of companion: String, _ body: (HubRecord) throws -> Void) throws {
    var sequence = Int64.min
    while true {
      let page = try notices(companion: companion, after: sequence, limit: Int(Self.rowsAtOnce))
      for notice in page { try body(.notice(notice, companion: companion)) }
      guard page.count == Self.rowsAtOnce, let last = page.last else { return }
      sequence = last.sequence
    }
  }
}
