import TrendyModels
import TrendyTrips

/// All that a mileage log is made of, out of a person's record.
struct PersonTrips: Sendable {
  /// The oldest first.
  var trips: [TripEvent] { basis.events.trips }
  let vehicles: [Vehicle]
  let log: MileageLog
  let basis: Basis
  private let odometerEvents: [Event]

  /// What it is made from; the same as long as nothing of it is written.
  struct Basis: Sendable, Equatable {
    let events: MileageEvents
    let vehicles: [HubEntry]
    let places: [HubEntry]

    /// - Parameters:
    ///   - events: the trips and the readings of odometers: of all years, as an odometer is reckoned from the first trip on.
    ///   - reading: of the record, for vehicles and places.
    init(_ events: MileageEvents, _ reading: any HubReading) throws {
      self.events = events
      vehicles = try reading.living(kind: SyncedKind.vehicle.name, offset: 0, limit: .max)
      places = try reading.living(kind: SyncedKind.geofence.name, offset: 0, limit: .max)
    }

    /// By versions: events are many.
    static func == (one: Self, other: Self) -> Bool {
      one.events.version == other.events.version && one.events.odometerType == other.events.odometerType
        && one.vehicles == other.vehicles && one.places == other.places
    }
  }

  init(_ basis: Basis, person: String) throws {
    self.basis = basis
    odometerEvents = basis.events.odometers.values.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) }
    vehicles = basis.vehicles.compactMap { Vehicle(id: $0.id, fields: $0.fields.mapValues(\.value)) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    let places: [APIGeofence] = try basis.places.map { try $0.decoded(person: person) }
    log = MileageLog(of: basis.events.trips, vehicles: vehicles, places: places.map { Geofence($0) })
  }

  func check(of vehicle: Vehicle) -> OdometerCheck {
    OdometerCheck(of: vehicle, events: odometerEvents, trips: trips)
  }
}

extension HubEntry {
  func decoded<Wire: Decodable>(person: String) throws -> Wire {
    try ChangeEntryData(rawData: document(person: person)).decode(Wire.self)
  }
}
