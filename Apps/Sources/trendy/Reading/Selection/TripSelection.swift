import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Selection of trips by time range and vehicle.
struct TripSelection {
  static let options = [
    OptionSpec("--month", value: "month", kind: .month, help: "month or year: 2026-11, 2026 (default: this month)"),
    OptionSpec("--vehicle", value: "name", kind: .vehicle, help: "only trips with this vehicle"),
  ]

  /// `nil` for all trips.
  private let range: Range<Date>?
  private let vehicleName: String?

  /// Reads `--vehicle`; a `nil` range selects all trips.
  init(_ session: Session, range: Range<Date>?) {
    self.range = range
    vehicleName = session.arguments.value("--vehicle")
  }

  /// Returns the trips that count, oldest first.
  func countedTrips(in store: any DataStoreProtocol) throws -> [TripEvent] {
    try ofVehicle(in: store, store.countedTrips)
  }

  /// Returns trips, oldest first, with witnesses.
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
