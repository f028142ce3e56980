public import TrendyModels
public import TrendyProtocols

/// Mileage log of trips, with the names of their places and the odometer of their vehicle.
public struct MileageLog: Sendable {
  private let places: [Geofence]
  private let names: [String: String]
  /// Metres at the start, by the trip's id.
  private var odometers: [String: Double] = [:]

  /// - Parameters:
  ///   - all: every trip of the person, the oldest first: an odometer is reckoned from the first one on.
  ///   - vehicles: the person's vehicles.
  ///   - places: the person's places.
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

  public init(store: some DataStoreProtocol) throws {
    self.init(
      of: try store.trips(in: nil), vehicles: try store.vehicles(), places: try store.fetchAllGeofences())
  }

  /// How far each vehicle was driven, by name.
  public func byVehicle(_ trips: [TripEvent]) -> [VehicleMileage] {
    Dictionary(grouping: trips) { $0.vehicleId ?? "" }
      .map { id, trips in
        // A vehicle that was deleted since has the name that its trips keep.
        let name = names[id] ?? trips.last?.carName ?? (id.isEmpty ? "no vehicle" : id)
        return VehicleMileage(vehicleId: id, name: name, mileage: Mileage(of: trips))
      }
      .sorted { ($0.name.lowercased(), $0.vehicleId) < ($1.name.lowercased(), $1.vehicleId) }
  }

  /// How far was driven to each place of the person, that with most trips first; where a trip ended at none it counts for none.
  public func byDestination(_ trips: [TripEvent]) -> [(name: String, mileage: Mileage)] {
    Dictionary(grouping: trips) { places.nearest(to: $0.endPlace).first?.name ?? "" }.filter { !$0.key.isEmpty }
      .map { (name: $0.key, mileage: Mileage(of: $0.value)) }
      .sorted { ($1.mileage.trips, $0.name) < ($0.mileage.trips, $1.name) }
  }

  /// The name that the vehicle of a trip has, or had then; empty where it is unknown.
  public func vehicleName(of trip: TripEvent) -> String {
    trip.vehicleId.flatMap { names[$0] } ?? trip.carName ?? ""
  }

  /// The row of a trip, for a table such as that of `MileageCSVWriter` in TrendyInterchange.
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

/// The mileage of one vehicle.
public struct VehicleMileage: Hashable, Sendable {
  /// Empty for trips without a vehicle.
  public var vehicleId: String
  public var name: String
  public var mileage: Mileage
}
