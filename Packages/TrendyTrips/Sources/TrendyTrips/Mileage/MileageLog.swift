public import TrendyModels
public import TrendyProtocols

/// Mileage log of a user: trips with the names of their places and the odometer readings of their vehicles.
public struct MileageLog: Sendable {
  private let places: [Geofence]
  private let names: [String: String]
  /// Odometer in metres at the start of each trip, by trip id.
  private var odometers: [String: Double] = [:]

  /// Creates a log. `all` contains all of the user's counted trips, oldest first, because odometer readings are
  /// computed from the first trip onwards.
  public init(of all: [TripEvent], vehicles: [Vehicle], places: [Geofence]) {
    self.places = places
    names = Dictionary(vehicles.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    var clock = Dictionary(vehicles.map { ($0.id, $0.startOdometer) }, uniquingKeysWith: { $1 })
    for trip in all {
      guard let id = trip.vehicleId, let metres = clock[id] ?? nil else { continue }
      odometers[trip.event.id] = metres
      clock[id] = metres + trip.distance
    }
  }

  /// Creates a log of all trips in a store.
  public init(store: some DataStoreProtocol) throws {
    self.init(
      of: try store.countedTrips(in: nil), vehicles: try store.vehicles(), places: try store.fetchAllGeofences())
  }

  /// Returns the mileage per vehicle, sorted by name.
  public func byVehicle(_ trips: [TripEvent]) -> [VehicleMileage] {
    Dictionary(grouping: trips) { $0.vehicleId ?? "" }
      .map { id, trips in
        // Use the name stored with the trips if the vehicle has been deleted.
        let name = names[id] ?? trips.last?.carName ?? (id.isEmpty ? "no vehicle" : id)
        return VehicleMileage(vehicleId: id, name: name, mileage: Mileage(of: trips))
      }
      .sorted { ($0.name.lowercased(), $0.vehicleId) < ($1.name.lowercased(), $1.vehicleId) }
  }

  /// Returns the mileage per destination, most trips first. Omits trips that do not end at a place.
  public func byDestination(_ trips: [TripEvent]) -> [(name: String, mileage: Mileage)] {
    Dictionary(grouping: trips) { places.nearest(to: $0.endPlace).first?.name ?? "" }.filter { !$0.key.isEmpty }
      .map { (name: $0.key, mileage: Mileage(of: $0.value)) }
      .sorted { ($1.mileage.trips, $0.name) < ($0.mileage.trips, $1.name) }
  }

  /// Returns the current name of a trip's vehicle, or its name at the time of the trip if the vehicle no longer exists.
  public func vehicleName(of trip: TripEvent) -> String {
    trip.vehicleId.flatMap { names[$0] } ?? trip.carName ?? ""
  }

  /// Returns the row of a trip in a table, for example for `MileageCSVWriter` in TrendyInterchange.
  public func row(_ trip: TripEvent) -> MileageRow {
    let start = odometers[trip.event.id]
    return MileageRow(
      id: trip.event.id, start: trip.start, end: trip.end, from: name(trip.startPlace), to: name(trip.endPlace),
      startPlace: trip.startPlace, endPlace: trip.endPlace, distance: trip.distance,
      category: trip.category?.rawValue ?? "", business: trip.businessDistance, startOdometer: start,
      endOdometer: start.map { $0 + trip.distance },
      vehicle: vehicleName(of: trip), notes: trip.event.notes ?? "", recordedAt: UUIDv7(trip.event.id)?.date)
  }

  private func name(_ place: Coordinate?) -> String {
    places.nearest(to: place).first?.name
      ?? place.map { "\(($0.latitude * 1e5).rounded() / 1e5), \(($0.longitude * 1e5).rounded() / 1e5)" } ?? ""
  }
}

/// Mileage of one vehicle.
public struct VehicleMileage: Hashable, Sendable {
  /// Id of the vehicle, or an empty string for trips without a vehicle.
  public var vehicleId: String
  /// Name of the vehicle.
  public var name: String
  /// Mileage of the vehicle by category.
  public var mileage: Mileage
}
