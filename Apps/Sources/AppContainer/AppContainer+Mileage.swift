import CommandSupport
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels
public import TrendyProtocols
import TrendySync
public import TrendyTrips

extension AppContainer {
  /// The person's vehicles, by name.
  public static func vehicles(in store: any DataStoreProtocol) throws -> [Vehicle] {
    try store.fetchRecords(kind: .vehicle).compactMap { Vehicle(id: $0.id, fields: $0.fields) }
      .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  /// The person's own trip rules, in the order in which they are asked.
  public static func tripRules(in store: any DataStoreProtocol) throws -> [TripRule] {
    try store.fetchRecords(kind: .tripRule).compactMap { TripRule(id: $0.id, fields: $0.fields) }
      .sorted { ($0.position, $0.id) < ($1.position, $1.id) }
  }

  /// The places that hold a coordinate, the nearest first; 150 m count where the place is smaller.
  public static func places(at place: Coordinate?, among places: [Geofence]) -> [Geofence] {
    guard let place else { return [] }
    return places.map { ($0, Geodesic.distanceMeters(from: $0.coordinate, to: place)) }
      .filter { $0.1 <= max(150, $0.0.radius) }
      .sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.map(\.0)
  }

  /// The rule that decides on a trip as things stand.
  public static func rule(for trip: TripEvent, in store: any DataStoreProtocol) throws -> TripRule? {
    rule(for: trip, among: try tripRules(in: store), places: try store.fetchAllGeofences())
  }

  private static func rule(for trip: TripEvent, among rules: [TripRule], places: [Geofence]) -> TripRule? {
    let ends = [trip.startPlace, trip.endPlace].flatMap { Self.places(at: $0, among: places) }
    return TripRule.deciding(
      TripFacts(
        ends: ends, start: trip.start, secondsFromGMT: secondsFromGMT(at: trip.start, zone: trip.event.timeZone),
        vehicleId: trip.vehicleId, meters: trip.distance), among: rules)
  }

  /// Of the clocks in a zone; of this machine's where it is not known.
  private static func secondsFromGMT(at date: Date, zone: String?) -> Int {
    let local = LocalTime()
    if let zone, zone != local.zoneName, let known = TimeZone(identifier: zone) {
      return known.secondsFromGMT(for: date)
    }
    return local.components(of: date).secondsFromGMT
  }

  /// A trip that was found, with the vehicle it was made with and what it was for; what it has stays.
  /// - Parameter devices: what recorded it.
  public func completed(_ event: Event, devices: [String] = []) throws -> Event {
    let store = makeStore()
    return Self.completed(
      event, devices: devices, vehicles: try Self.vehicles(in: store), rules: try Self.tripRules(in: store),
      places: try store.fetchAllGeofences())
  }

  /// As ``completed(_:devices:)``, wherever the person's vehicles, rules and places are kept.
  public static func completed(
    _ event: Event, devices: [String], vehicles: [Vehicle], rules: [TripRule], places: [Geofence]
  ) -> Event {
    guard var trip = TripEvent(event) else { return event }
    if trip.vehicleId == nil { trip.set(VehicleIdentity(devices: devices, among: vehicles).vehicle) }
    if trip.category == nil, let rule = rule(for: trip, among: rules, places: places) {
      trip.classify(rule.category, by: rule.name)
    }
    return trip.event
  }

  /// The trips of a span of time that begin in it, the oldest first.
  public static func trips(in span: Range<Date>?, in store: any DataStoreProtocol) throws -> [TripEvent] {
    try store.events(in: span, ofType: nil, limit: nil).reversed().compactMap { TripEvent($0) }
  }

  /// The type that readings of a vehicle's clock are recorded as; made the first time it is asked for.
  public func odometerType() throws -> EventType {
    let id = NaturalKey.id(for: "event_type", "odometer")
    func definition(_ key: String, _ label: String, _ kind: PropertyType, _ order: Int) -> PropertyDefinition {
      PropertyDefinition(
        id: NaturalKey.id(for: "property_definition", "odometer", key), eventTypeId: id, key: key, label: label,
        propertyType: kind, displayOrder: order)
    }
    return try type(
      EventType(id: id, name: "Odometer", colorHex: "#7A6F5D", iconName: "◔"),
      definitions: [
        definition("odometer_m", "Odometer", .number, 0), definition("car", "Car", .text, 1),
        definition("vehicle", "Vehicle", .text, 2),
      ])
  }

  public static func odometerReading(_ event: Event) -> (vehicleId: String, reading: OdometerReading)? {
    guard let vehicle = event.properties["vehicle"]?.stringValue,
      let meters = event.properties["odometer_m"]?.doubleValue
    else { return nil }
    return (vehicle, OdometerReading(date: event.timestamp, meters: meters))
  }

  /// Whether the trips of a vehicle account for its clock. What it stood at before its first trip is the first reading.
  public func odometerCheck(of vehicle: Vehicle) throws -> OdometerCheck {
    let store = makeStore()
    let type = try odometerType().id
    var readings = try store.events(in: nil, ofType: type, limit: nil).compactMap { Self.odometerReading($0) }
      .filter { $0.vehicleId == vehicle.id }.map(\.reading)
    let trips = try Self.trips(in: nil, in: store).filter { $0.vehicleId == vehicle.id }
    if let start = vehicle.startOdometer, let first = trips.first {
      readings.append(OdometerReading(date: first.start, meters: start))
    }
    return OdometerCheck(readings: readings, trips: trips)
  }
}
