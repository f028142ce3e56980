import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Mileage log of trips, with the names of their places and the odometer of their vehicle.
struct MileageLog {
  private let places: [Geofence]
  private let names: [String: String]
  /// Metres at the start, by the trip's id.
  private var odometers: [String: Double] = [:]

  init(store: any DataStoreProtocol) throws {
    places = try store.fetchAllGeofences()
    let vehicles = try store.vehicles()
    names = Dictionary(vehicles.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    // Reckoned from the first trip on: all have to be read, also of one month.
    var clock = Dictionary(vehicles.map { ($0.id, $0.startOdometer) }, uniquingKeysWith: { $1 })
    for trip in try store.trips(in: nil) {
      guard let id = trip.vehicleId, let metres = clock[id] ?? nil else { continue }
      odometers[trip.event.id] = metres
      clock[id] = metres + trip.distance
    }
  }

  /// A row for each trip, with days and times of this zone.
  func csv(of trips: [TripEvent], in local: LocalTime) -> String {
    MileageCSVWriter { local.components(of: $0).secondsFromGMT }.string(trips.map(row))
  }

  /// The name that the vehicle of a trip has, or had then; empty where it is unknown.
  func vehicleName(of trip: TripEvent) -> String {
    trip.vehicleId.flatMap { names[$0] } ?? trip.carName ?? ""
  }

  private func row(_ trip: TripEvent) -> MileageRow {
    let start = odometers[trip.event.id]
    return MileageRow(
      id: trip.event.id, start: trip.start, end: trip.end, from: name(trip.startPlace), to: name(trip.endPlace),
      startPlace: trip.startPlace, endPlace: trip.endPlace, distance: trip.distance,
      category: trip.category?.rawValue ?? "", business: trip.businessDistance, startOdometer: start,
      endOdometer: start.map { $0 + trip.distance },
      vehicle: vehicleName(of: trip), notes: trip.event.notes ?? "", recordedAt: UUIDv7(trip.event.id)?.date)
  }

  private func name(_ place: Coordinate?) -> String {
    places.around(place).first?.name
      ?? place.map { "\(($0.latitude * 1e5).rounded() / 1e5), \(($0.longitude * 1e5).rounded() / 1e5)" } ?? ""
  }
}
