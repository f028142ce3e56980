public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension DataStoreProtocol {
  /// The person's vehicles, by name.
  public func vehicles() throws -> [Vehicle] {
    try fetchRecords(kind: .vehicle).compactMap { Vehicle(id: $0.id, fields: $0.fields) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  /// The person's own trip rules, in the order in which they are asked.
  public func tripRules() throws -> [TripRule] {
    try fetchRecords(kind: .tripRule).compactMap { TripRule(id: $0.id, fields: $0.fields) }.inAskingOrder
  }

  /// The trips that begin in a span of time, the oldest first; `nil` for all.
  public func trips(in span: Range<Date>?) throws -> [TripEvent] {
    try events(in: span, from: [.trip]).reversed().compactMap { TripEvent($0) }
  }
}

extension [TripRule] {
  /// The first that fits decides.
  public var inAskingOrder: [TripRule] { sorted { ($0.position, $0.id) < ($1.position, $1.id) } }
}

extension Sequence<Geofence> {
  /// Those that hold a coordinate, the nearest first; 150 m count where the place is smaller.
  public func nearest(to coordinate: Coordinate?) -> [Geofence] {
    guard let coordinate else { return [] }
    return map { ($0, Geodesic.distanceMeters(from: $0.coordinate, to: coordinate)) }
      .filter { $0.1 <= Swift.max(150, $0.0.radius) }
      .sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.map(\.0)
  }
}

extension TripEvent {
  /// The rule that decides on it as things stand in a store.
  public func rule(in store: some DataStoreProtocol) throws -> TripRule? {
    rule(among: try store.tripRules(), places: try store.fetchAllGeofences())
  }

  func rule(among rules: [TripRule], places: [Geofence]) -> TripRule? {
    TripRule.deciding(
      TripFacts(
        ends: [startPlace, endPlace].flatMap { places.nearest(to: $0) }, start: start,
        secondsFromGMT: Self.secondsFromGMT(at: start, zone: event.timeZone), vehicleId: vehicleId, meters: distance,
        hasOffice: places.contains { $0.role == TripRule.officeRole }),
      among: rules)
  }

  /// A trip's event with the vehicle it was made with and what it was for; what it has stays, and so does what is no trip. `devices` are
  /// all names of what recorded it.
  public static func completing(
    _ event: Event, devices: [String], vehicles: [Vehicle], rules: [TripRule], places: [Geofence]
  ) -> Event {
    guard var trip = TripEvent(event) else { return event }
    if trip.vehicleId == nil { trip.set(VehicleIdentity(devices: devices, among: vehicles).vehicle) }
    if trip.category == nil, let rule = trip.rule(among: rules, places: places) {
      trip.classify(rule.category, by: rule.name)
    }
    return trip.event
  }

  /// Of the clocks in a zone; of this machine's where it is not known.
  private static func secondsFromGMT(at date: Date, zone: String?) -> Int {
    let local = LocalTime()
    if let zone, zone != local.zoneName, let known = TimeZone(identifier: zone) {
      return known.secondsFromGMT(for: date)
    }
    return local.components(of: date).secondsFromGMT
  }
}

extension OdometerReading {
  /// What an event of the type ``BuiltInType/odometer`` says; `nil` for others.
  public static func of(_ event: Event) -> (vehicleId: String, reading: OdometerReading)? {
    guard let vehicle = event.packedProperties["vehicle"]?.stringValue,
      let meters = event.packedProperties["odometer_m"]?.doubleValue
    else { return nil }
    return (vehicle, OdometerReading(date: event.timestamp, meters: meters))
  }
}

extension OdometerCheck {
  /// Whether the trips of a vehicle account for its odometer. What it stood at before its first trip is the first reading.
  public init(of vehicle: Vehicle, in store: some DataStoreProtocol) throws {
    let type = try BuiltInType.odometer.present(among: store.fetchAllEventTypes())
    let events = try type.map { try store.events(in: nil, ofType: $0.id, limit: nil) } ?? []
    self.init(of: vehicle, events: events, trips: try store.trips(in: nil))
  }

  /// - Parameters:
  ///   - vehicle: whose odometer it is.
  ///   - events: those of the type ``BuiltInType/odometer``, of all vehicles.
  ///   - trips: every trip of the person, the oldest first.
  public init(of vehicle: Vehicle, events: [Event], trips: [TripEvent]) {
    var readings = events.compactMap { OdometerReading.of($0) }.filter { $0.vehicleId == vehicle.id }.map(\.reading)
    let trips = trips.filter { $0.vehicleId == vehicle.id }
    if let start = vehicle.startOdometer, let first = trips.first {
      readings.append(OdometerReading(date: first.start, meters: start))
    }
    self.init(readings: readings, trips: trips)
  }
}
