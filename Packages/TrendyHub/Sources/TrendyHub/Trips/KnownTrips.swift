import TrendyModels
import TrendyTrips

/// The trips and odometer readings of a few persons, read once and then kept up with what is written: a log of years is not read anew
/// for each entry.
final class KnownTrips: Sendable {
  /// Both by person.
  private let events = KnownValues<String, MileageEvents>()
  private let trips = KnownValues<String, PersonTrips>()

  func trips(of person: String, _ reading: any HubReading) throws -> PersonTrips {
    try trips.value(for: person, reading) { known in
      let basis = try PersonTrips.Basis(try events(of: person, reading), reading)
      // Most of what is written has no part in it.
      if let known, known.value.basis == basis { return known.value }
      return try PersonTrips(basis, person: person)
    }
  }

  private func events(of person: String, _ reading: any HubReading) throws -> MileageEvents {
    try events.value(for: person, reading) { known in
      let odometerType = try MileageEvents.odometerType(reading, person: person)
      // What was kept, with what was written since, where that can be told and is much less than all.
      if let known, known.value.odometerType == odometerType, let changes = try reading.changes(since: known.position) {
        var events = known.value
        for entry in changes where entry.kind == SyncedKind.event.name {
          try events.update(with: entry, person: person)
        }
        return events
      }
      var events = MileageEvents(odometerType: odometerType)
      try reading.eachEvent(during: Int64.min / 4..<Int64.max / 4) { event, entry in
        guard event.sourceType == .trip || event.eventTypeId == odometerType else { return }
        try events.update(with: try entry(), person: person)
      }
      events.version = try reading.state().head
      return events
    }
  }
}

/// What a mileage log rests on, by the ids of events.
struct MileageEvents: Sendable {
  /// The type under which odometers are recorded.
  let odometerType: String?
  private(set) var trips: [String: TripEvent] = [:]
  private(set) var odometers: [String: Event] = [:]
  /// That of the last write that changed any of it.
  fileprivate(set) var version: Int64 = 0

  init(odometerType: String?) { self.odometerType = odometerType }

  /// Takes in an event as it is now, or lets go of one that has no part in the log any more.
  mutating func update(with entry: HubEntry, person: String) throws {
    let wasTrip = trips.removeValue(forKey: entry.id) != nil
    let wasReading = odometers.removeValue(forKey: entry.id) != nil
    if wasTrip || wasReading { version = entry.version }
    guard entry.isAlive else { return }
    let isTrip = entry.fields["source_type"]?.value.stringValue == EventSourceType.trip.rawValue
    guard isTrip || odometerType != nil && entry.fields["event_type_id"]?.value.stringValue == odometerType else {
      return
    }
    version = entry.version
    let wire: APIEvent = try entry.decoded(person: person)
    let event = Event(wire)
    if isTrip {
      trips[event.id] = TripEvent(event)?.withEndsAlone
    } else {
      odometers[event.id] = event
    }
  }

  static func odometerType(_ reading: any HubReading, person: String) throws -> String? {
    let types = try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max).map { entry -> EventType in
      let wire: APIEventType = try entry.decoded(person: person)
      return EventType(wire)
    }
    return BuiltInType.odometer.present(among: types)?.id
  }
}

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
