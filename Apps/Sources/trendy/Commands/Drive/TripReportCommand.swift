import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripReportCommand: Command {
  static let spec = CommandSpec(
    "trip report", summary: "Show the distances driven in a month by vehicle and category.", group: .drive,
    examples: ["trip report", "trip report --month 2026-10"], options: TripSelection.options,
    columns: ["vehicle id", "vehicle", "trips", "metres", "business metres", "private metres", "unclassified metres"])

  struct Answer {
    var total: Mileage
    /// Totals by vehicle, sorted by name.
    var rows: [VehicleMileage]
  }

  private let span: (name: String, range: Range<Date>)
  private let selection: TripSelection

  init(_ session: Session) throws {
    span = try session.month()
    selection = TripSelection(session, range: span.range)
  }

  func act(_ session: Session) throws -> Answer {
    let store = try session.openStore().makeStore()
    let trips = try selection.countedTrips(in: store)
    return Answer(total: Mileage(of: trips), rows: try MileageLog(store: store).byVehicle(trips))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson:
      session.console.document(
        "trendy.report/1",
        [
          ("from", .string(session.local.rfc3339(span.range.lowerBound))),
          ("to", .string(session.local.rfc3339(span.range.upperBound))),
          ("vehicles", .array(answer.rows.map(\.json))), ("total", .object(answer.total.members)),
        ])
    case .plain: for row in answer.rows { session.console.row(row.plain) }
    case .text:
      session.console.text("\(span.name): \(answer.total.line(session.units))")
      if answer.rows.count > 1 {
        for row in answer.rows { session.console.text("  \(row.name): \(row.mileage.line(session.units))") }
      }
    }
    return .done
  }
}

extension VehicleMileage {
  fileprivate var json: JSONText {
    .object([("vehicle_id", .string(vehicleId.isEmpty ? nil : vehicleId)), ("name", .string(name))] + mileage.members)
  }

  fileprivate var plain: [String] {
    [vehicleId, name, "\(mileage.trips)"]
      + [mileage.total, mileage.business, mileage.private, mileage.unclassified].map { JSONText.number($0).description }
  }
}

extension Mileage {
  fileprivate var members: [(String, JSONText)] {
    func tenths(_ metres: Double) -> JSONText { .number((metres * 10).rounded() / 10) }
    return [
      ("trips", .number(trips)), ("total_m", tenths(total)), ("business_m", tenths(business)),
      ("private_m", tenths(self.private)), ("unclassified_m", tenths(unclassified)),
    ]
  }

  fileprivate func line(_ units: Units) -> String {
    var parts = [
      Quantity(trips, "trip").description, units.distance(total),
      "business \(units.distance(business))", "private \(units.distance(self.private))",
    ]
    if unclassified > 0 { parts.append("unclassified \(units.distance(unclassified))") }
    return parts.joined(separator: "  ")
  }
}
