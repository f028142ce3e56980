import TrendyModels
import TrendyTrips

extension TripEvent {
  /// Returns the ends and average speed of the trip as an API document.
  func summary(_ places: [Geofence]) -> JSONValue {
    [
      "id": .string(event.id), "start_place": Self.end(startPlace, places), "end_place": Self.end(endPlace, places),
      "speed_mps": averageSpeed.map { .double(($0 * 10).rounded() / 10) } ?? .null,
    ]
  }

  /// Returns one end of a trip as an API document with the place that contains it, or `null` if the end is unknown.
  static func end(_ coordinate: Coordinate?, _ places: [Geofence]) -> JSONValue {
    guard let coordinate else { return .null }
    let place = places.nearest(to: coordinate).first
    return [
      "latitude": .double((coordinate.latitude * 1e6).rounded() / 1e6),
      "longitude": .double((coordinate.longitude * 1e6).rounded() / 1e6),
      "geofence_id": place.map { .string($0.id) } ?? .null, "name": place.map { .string($0.name) } ?? .null,
    ]
  }
}

extension HubReadTransaction {
  func geofences() throws -> [Geofence] {
    try living(kind: SyncedKind.geofence.name, offset: 0, limit: .max).map {
      let wire: APIGeofence = try $0.decoded(user: "")
      return Geofence(wire)
    }
  }

  func summaries(of events: [HubEntry]) throws -> JSONValue {
    let trips = try events.trips()
    let places = trips.isEmpty ? [] : try geofences()
    return .array(trips.map { $0.summary(places) })
  }
}

extension [HubEntry] {
  func trips() throws -> [TripEvent] {
    try filter { $0.fields["source_type"]?.value.stringValue == EventSourceType.trip.rawValue }.compactMap { entry in
      let wire: APIEvent = try entry.decoded(user: "")
      return TripEvent(Event(wire))
    }
  }
}

extension HubSchema {
  static let tripEnd = HubSchema.nullable(
    .object([
      .required("latitude", .number(-90...90)), .required("longitude", .number(-180...180)),
      .required("geofence_id", .nullable(.string)), .required("name", .nullable(.string)),
    ]))

  static let tripSummary = HubSchema.object([
    .required("id", .string), .required("start_place", tripEnd), .required("end_place", tripEnd),
    .required("speed_mps", .nullable(.number(0...Double.greatestFiniteMagnitude))),
  ])
}
