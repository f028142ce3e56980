import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TripSelection {
  static let options = [
    OptionSpec("--month", value: "month", kind: .month, help: "month or year: 2026-11, 2026 (default: this month)"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "only trips with this vehicle"),
  ]

  /// Time range, or `nil` for all trips.
  private let range: Range<Date>?
  private let vehicleName: String?

  /// Creates a selection from `--vehicle` and a time range, which is `nil` for all trips.
  init(_ session: Session, range: Range<Date>?) {
    self.range = range
    vehicleName = session.arguments.value("--vehicle")
  }

  /// Returns the selected trips, oldest first. If a drive was recorded several times, returns only one of its trips.
  func countedTrips(in store: any DataStoreProtocol) throws -> [TripEvent] {
    try ofVehicle(in: store, store.countedTrips)
  }

  /// Returns the selected trips, oldest first, including all recordings of the same drive.
  func trips(in store: any DataStoreProtocol) throws -> [TripEvent] {
    try ofVehicle(in: store, store.trips)
  }

  private func ofVehicle(
    in store: any DataStoreProtocol, _ read: (Range<Date>?) throws -> [TripEvent]
  ) throws -> [TripEvent] {
    let vehicle = try vehicleName.map { try Lookup(store: store).vehicle($0) }
    return try read(range).filter { vehicle == nil || $0.vehicleId == vehicle?.id }
  }
}
