import Foundation
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
        try events.update(person: person) { take in
          for entry in changes where entry.kind == SyncedKind.event.name { try take(entry) }
        }
        return events
      }
      var events = MileageEvents(odometerType: odometerType)
      try events.update(person: person) { take in
        try reading.eachEvent(during: Int64.min / 4..<Int64.max / 4) { event, entry in
          if event.sourceType == .trip || event.eventTypeId == odometerType { try take(try entry()) }
        }
      }
      events.version = try reading.state().head
      return events
    }
  }
}

/// The trips and the readings of odometers on which a mileage log rests.
struct MileageEvents: Sendable {
  /// The type under which odometers are recorded.
  let odometerType: String?
  /// The oldest first.
  private(set) var trips: [TripEvent] = []
  /// Readings of odometers, by their ids.
  private(set) var odometers: [String: Event] = [:]
  /// When each trip begins, by its id: where it stands among the trips.
  private var starts: [String: Date] = [:]
  /// That of the last write that changed any of it.
  fileprivate(set) var version: Int64 = 0

  init(odometerType: String?) { self.odometerType = odometerType }

  /// Takes in events as they are now, and lets go of those that have no part in the log any more.
  /// - Parameters:
  ///   - person: whose they are.
  ///   - show: shows each event once, in any order.
  mutating func update(person: String, _ show: (_ take: (HubEntry) throws -> Void) throws -> Void) throws {
    var gone: Set<Int> = []
    var new: [TripEvent] = []
    try show { entry in
      let start = starts.removeValue(forKey: entry.id)
      if let start { gone.insert(place(ofStart: start, id: entry.id)) }
      if odometers.removeValue(forKey: entry.id) != nil || start != nil { version = entry.version }
      guard let event = try event(entry, person: person) else { return }
      version = entry.version
      if let trip = TripEvent(event) {
        new.append(trip.withEndsAlone)
        starts[event.id] = event.timestamp
      } else {
        odometers[event.id] = event
      }
    }
    guard !gone.isEmpty || !new.isEmpty else { return }
    // They are in order but for the new ones, which a sort of runs makes use of.
    trips = trips.enumerated().filter { !gone.contains($0.offset) }.map(\.element) + new
    trips.sort { Self.precedes($0, $1.start, id: $1.event.id) }
  }

  /// The event of an entry; `nil` where it has no part in the log.
  private func event(_ entry: HubEntry, person: String) throws -> Event? {
    let isTrip = entry.fields["source_type"]?.value.stringValue == EventSourceType.trip.rawValue
    let isReading = odometerType != nil && entry.fields["event_type_id"]?.value.stringValue == odometerType
    guard entry.isAlive, isTrip || isReading else { return nil }
    let wire: APIEvent = try entry.decoded(person: person)
    return Event(wire)
  }

  /// Where a trip stands, or would.
  private func place(ofStart start: Date, id: String) -> Int {
    var places = trips.startIndex..<trips.endIndex
    while !places.isEmpty {
      let middle = places.lowerBound + places.count / 2
      places =
        Self.precedes(trips[middle], start, id: id) ? middle + 1..<places.upperBound : places.lowerBound..<middle
    }
    return places.lowerBound
  }

  /// An event makes its id each time that it is asked for.
  private static func precedes(_ trip: TripEvent, _ start: Date, id: @autoclosure () -> String) -> Bool {
    trip.start == start ? trip.event.id < id() : trip.start < start
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
