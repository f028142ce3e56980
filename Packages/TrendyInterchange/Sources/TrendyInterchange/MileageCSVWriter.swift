public import TrendyFoundation
public import TrendyModels

/// Writes a mileage log as CSV (RFC 4180) with 19 columns and one row per trip.
///
/// The columns have the same order as in ZeroClick's spreadsheet, but with English headers. Distances are in kilometres
/// with at most four decimal places. Dates are written as `2026-11-20` and times as `08:30`, in the given zone. Lines
/// end with CRLF.
public struct MileageCSVWriter: Sendable {
  /// Headers of the columns in order.
  public static let columns = [
    "ID", "Date", "Departure", "Arrival", "From", "To", "From Lat", "From Lon", "To Lat", "To Lon", "Distance (km)",
    "Type", "Business (km)", "Private (km)", "Start odometer (km)", "End odometer (km)", "Vehicle", "Notes", "Created",
  ]

  private let secondsFromGMT: @Sendable (Date) -> Int

  /// Creates a writer. `secondsFromGMT` returns the UTC offset of the time zone at a time, in seconds.
  public init(secondsFromGMT: @escaping @Sendable (Date) -> Int) { self.secondsFromGMT = secondsFromGMT }

  /// Returns the table for these rows, with a header row.
  public func string(_ rows: some Sequence<MileageRow>) -> String {
    var text = Self.line(Self.columns)
    for row in rows { text += Self.line(cells(of: row)) }
    return text
  }

  private func cells(of row: MileageRow) -> [String] {
    let start = local(row.start)
    return [
      row.id, start.day, start.time, local(row.end).time, row.from, row.to, Self.degrees(row.startPlace?.latitude),
      Self.degrees(row.startPlace?.longitude), Self.degrees(row.endPlace?.latitude),
      Self.degrees(row.endPlace?.longitude), Self.kilometres(row.distance), row.category,
      Self.kilometres(row.business), Self.kilometres(row.business.map { row.distance - $0 }),
      Self.kilometres(row.startOdometer), Self.kilometres(row.endOdometer), row.vehicle, row.notes,
      row.recordedAt.map { local($0) }.map { "\($0.day) \($0.time)" } ?? "",
    ]
  }

  private func local(_ date: Date) -> (day: String, time: String) {
    let shifted = RFC3339.string(from: date.addingTimeInterval(Double(secondsFromGMT(date))))
    return (String(shifted.prefix(10)), String(shifted.dropFirst(11).prefix(5)))
  }

  private static func kilometres(_ metres: Double?) -> String {
    DecimalText.finite(metres).map { DecimalText.string($0 / 1000, 4) } ?? ""
  }

  private static func degrees(_ value: Double?) -> String {
    DecimalText.finite(value).map { DecimalText.string($0, 7) } ?? ""
  }

  private static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ cell: String) -> String {
    // Add a leading apostrophe to prevent spreadsheets from evaluating the cell as a formula.
    let text = cell.first.map { "=+@\t".contains($0) } == true || isWordAfterMinus(cell) ? "'" + cell : cell
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Whether the cell starts with a minus sign but is not a number, such as `-2+3` or `-cmd`.
  private static func isWordAfterMinus(_ cell: String) -> Bool { cell.hasPrefix("-") && Double(cell) == nil }
}
