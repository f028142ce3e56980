public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

extension DataStoreProtocol {
  /// Returns the user's vehicles, sorted by name.
  public func vehicles() throws -> [Vehicle] {
    try fetchRecords(kind: .vehicle).compactMap { Vehicle(id: $0.id, fields: $0.fields) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  /// Returns the user's trip rules in order of precedence.
  public func tripRules() throws -> [TripRule] {
    try fetchRecords(kind: .tripRule).compactMap { TripRule(id: $0.id, fields: $0.fields) }.inAskingOrder
  }

  /// Returns the counted trips that begin in a time span, oldest first. A span of `nil` selects all counted trips.
  public func countedTrips(in span: Range<Date>?) throws -> [TripEvent] {
    let trips = try tripsAround(span)
    let witnesses = TripWitnesses(among: trips)
    return trips.filter { span?.contains($0.start) != false && witnesses.counts($0) }
  }

  /// Returns the witnesses among all stored trips from the period of the given trips.
  public func witnesses(among trips: [TripEvent]) throws -> TripWitnesses {
    let starts = trips.map(\.start)
    guard let first = starts.min(), let last = starts.max() else { return TripWitnesses(among: []) }
    return TripWitnesses(among: try tripsAround(first..<last + 1))
  }

  /// Returns all trips needed to decide which trips in a time span count. A counted trip may begin before or after its
  /// witness.
  private func tripsAround(_ span: Range<Date>?) throws -> [TripEvent] {
    let week: TimeInterval = 7 * 86_400
    return try trips(in: span.map { $0.lowerBound - week..<$0.upperBound + week })
  }

  /// Returns the trips that begin in a time span, oldest first, including witnesses. A span of `nil` selects all.
  public func trips(in span: Range<Date>?) throws -> [TripEvent] {
    try events(in: span, from: [.trip]).reversed().compactMap { TripEvent($0) }
  }
}

extension [TripRule] {
  /// The rules in order of precedence. The first matching rule applies.
  public var inAskingOrder: [TripRule] { sorted { ($0.position, $0.id) < ($1.position, $1.id) } }
}

extension Sequence<Geofence> {
  /// Returns the places that contain the coordinate, nearest first. A radius below 150 m counts as 150 m.
  public func nearest(to coordinate: Coordinate?) -> [Geofence] {
    guard let coordinate else { return [] }
    return map { ($0, Geodesic.distanceMeters(from: $0.coordinate, to: coordinate)) }
      .filter { $0.1 <= Swift.max(150, $0.0.radius) }
      .sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.map(\.0)
  }
}

extension TripEvent {
  /// Returns the rule that applies to the trip, given the rules and places in a store.
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

  /// Sets the vehicle and the category of a trip if they are missing. Events that are not trips are returned unchanged.
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

  /// Returns the UTC offset in seconds of a time zone, or of the system's time zone if `zone` is unknown.
  private static func secondsFromGMT(at date: Date, zone: String?) -> Int {
    let local = LocalTime()
    if let zone, zone != local.zoneName, let known = TimeZone(identifier: zone) {
      return known.secondsFromGMT(for: date)
    }
    return local.components(of: date).secondsFromGMT
  }
}

extension OdometerReading {
  /// Returns the reading in an event of the type ``BuiltInType/odometer``, or `nil` for other events.
  public static func of(_ event: Event) -> (vehicleId: String, reading: OdometerReading)? {
    guard let vehicle = event.packedProperties["vehicle"]?.stringValue,
      let meters = event.packedProperties["odometer_m"]?.doubleValue
    else { return nil }
    return (vehicle, OdometerReading(date: event.timestamp, meters: meters))
  }
}

extension OdometerCheck {
  /// Compares a vehicle's odometer with its trips in a store. The initial odometer value counts as a reading before the
  /// first trip.
  public init(of vehicle: Vehicle, in store: some DataStoreProtocol) throws {
    let type = try BuiltInType.odometer.present(among: store.fetchAllEventTypes())
    let events = try type.map { try store.events(in: nil, ofType: $0.id, limit: nil) } ?? []
    self.init(of: vehicle, events: events, trips: try store.countedTrips(in: nil))
  }

  /// Compares a vehicle's odometer with its trips. `events` contains the odometer events of all vehicles, and `trips`
  /// all of the user's counted trips, oldest first.
  public init(of vehicle: Vehicle, events: [Event], trips: [TripEvent]) {
    var readings = events.compactMap { OdometerReading.of($0) }.filter { $0.vehicleId == vehicle.id }.map(\.reading)
    let trips = trips.filter { $0.vehicleId == vehicle.id }
    // Place the initial value, which has no timestamp, before all trips and readings.
    if let start = vehicle.startOdometer,
      let first = [trips.first?.start, readings.map(\.date).min()].compactMap(\.self).min()
    {
      readings.append(OdometerReading(date: first, meters: start))
    }
    self.init(readings: readings, trips: trips)
  }
}
