import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// The trips of a span of time, or all; of one vehicle, or of all.
struct TripSelection {
  static let options = [
    OptionSpec("--month", value: "month", kind: .month, help: "2026-11, or a year: 2026 (this month)"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "its trips alone"),
  ]

  /// `nil` for all of time.
  private let range: Range<Date>?
  private let vehicleName: String?

  /// - Parameter range: `nil` for all of time.
  init(_ session: Session, range: Range<Date>?) {
    self.range = range
    vehicleName = session.arguments.value("--vehicle")
  }

  /// The oldest first.
  func trips(in store: any DataStoreProtocol) throws -> [TripEvent] {
    let vehicle = try vehicleName.map { try Lookup(store: store).vehicle($0) }
    return try store.trips(in: range).filter { vehicle == nil || $0.vehicleId == vehicle?.id }
  }
}
