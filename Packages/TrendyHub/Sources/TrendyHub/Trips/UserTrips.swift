import TrendyModels
import TrendyTrips

struct UserTrips: Sendable {
  /// Trips that count towards the mileage, oldest first.
  let trips: [TripEvent]
  let witnesses: TripWitnesses
  let vehicles: [Vehicle]
  let log: MileageLog
  let basis: Basis
  private let odometerEvents: [Event]

  /// Data from which the log is computed. Two values are equal unless any of the data was written in between.
  struct Basis: Sendable, Equatable {
    let events: MileageEvents
    let vehicles: [HubEntry]
    let places: [HubEntry]

    /// Reads vehicles and places.
    ///
    /// `events` contains the trips and odometer readings of all years, because mileage is computed from the first trip
    /// on.
    init(_ events: MileageEvents, _ reading: any HubReadTransaction) throws {
      self.events = events
      vehicles = try reading.living(kind: SyncedKind.vehicle.name, offset: 0, limit: .max)
      places = try reading.living(kind: SyncedKind.geofence.name, offset: 0, limit: .max)
    }

    /// Compares events only by the version of their last change, because there are many.
    static func == (one: Self, other: Self) -> Bool {
      one.events.version == other.events.version && one.events.odometerType == other.events.odometerType
        && one.vehicles == other.vehicles && one.places == other.places
    }
  }

  init(_ basis: Basis, user: String) throws {
    self.basis = basis
    odometerEvents = basis.events.odometers.values.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
    vehicles = basis.vehicles.compactMap { Vehicle(id: $0.id, fields: $0.fields.mapValues(\.value)) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    let places: [APIGeofence] = try basis.places.map { try $0.decoded(user: user) }
    let witnesses = TripWitnesses(among: basis.events.trips)
    self.witnesses = witnesses
    trips = basis.events.trips.filter(witnesses.counts)
    log = MileageLog(of: trips, vehicles: vehicles, places: places.map { Geofence($0) })
  }

  func check(of vehicle: Vehicle) -> OdometerCheck {
    OdometerCheck(of: vehicle, events: odometerEvents, trips: trips)
  }
}

extension HubEntry {
  func decoded<Wire: Decodable>(user: String) throws -> Wire {
    try ChangeEntryData(rawData: document(user: user)).decode(Wire.self)
  }
}
