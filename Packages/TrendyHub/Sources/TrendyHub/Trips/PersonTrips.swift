import TrendyModels
import TrendyTrips

/// All that a mileage log is made of, out of a person's record.
struct PersonTrips: Sendable {
  /// The oldest first.
  let trips: [TripEvent]
  let vehicles: [Vehicle]
  let log: MileageLog
  private let odometerEvents: [Event]

  /// Reads the whole record, a part at a time: an odometer is reckoned from the first trip on.
  init(_ reading: any HubReading, person: String) throws {
    func all<Wire: Decodable>(_ kind: SyncedKind) throws -> [Wire] {
      try reading.living(kind: kind.name, offset: 0, limit: .max).map { try $0.decoded(person: person) }
    }
    let types: [APIEventType] = try all(.eventType)
    let odometerType = BuiltInType.odometer.present(among: types.map { EventType($0) })?.id
    var entries: [HubEntry] = []
    try reading.eachLiving(kind: SyncedKind.event.name, during: Int64.min / 4..<Int64.max / 4) { entry in
      let isTrip = entry.fields["source_type"]?.value.stringValue == EventSourceType.trip.rawValue
      guard isTrip || odometerType != nil && entry.fields["event_type_id"]?.value.stringValue == odometerType
      else { return }
      entries.append(entry)
    }
    let events = try entries.reversed().map { entry -> Event in
      let wire: APIEvent = try entry.decoded(person: person)
      return Event(wire)
    }
    trips = events.compactMap { TripEvent($0)?.withEndsAlone }
      .sorted { ($0.start, $0.event.id) < ($1.start, $1.event.id) }
    odometerEvents = events.filter { $0.sourceType != .trip }
    vehicles = try reading.living(kind: SyncedKind.vehicle.name, offset: 0, limit: .max)
      .compactMap { Vehicle(id: $0.id, fields: $0.fields.mapValues(\.value)) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    let places: [APIGeofence] = try all(.geofence)
    log = MileageLog(of: trips, vehicles: vehicles, places: places.map { Geofence($0) })
  }

  func check(of vehicle: Vehicle) -> OdometerCheck {
    OdometerCheck(of: vehicle, events: odometerEvents, trips: trips)
  }
}

/// What is known of one record whatever is asked of it.
struct NoKey: Hashable, Sendable {}

extension TripEvent {
  /// With no more of its route than where it ends: of many trips it is most of what there is to hold.
  fileprivate var withEndsAlone: TripEvent {
    let route = route
    guard route.count > 2 else { return self }
    var trip = self
    trip.route = [route[0], route[route.count - 1]]
    return trip
  }
}

extension HubEntry {
  func decoded<Wire: Decodable>(person: String) throws -> Wire {
    try ChangeEntryData(rawData: document(person: person)).decode(Wire.self)
  }
}
