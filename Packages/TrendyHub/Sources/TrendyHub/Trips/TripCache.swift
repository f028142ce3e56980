import Foundation
import TrendyModels
import TrendyTrips

/// Cached trips and odometer readings for a few users, updated with later writes.
///
/// Without the cache, each request for the mileage log would read several years of events.
final class TripCache: Sendable {
  private let events = DerivedValueCache<String, MileageEvents>()
  private let trips = DerivedValueCache<String, UserTrips>()

  func trips(of user: String, _ reading: any HubReadTransaction) throws -> UserTrips {
    try trips.value(for: user, reading) { known in
      let basis = try UserTrips.Basis(try events(of: user, reading), reading)
      // Most writes do not affect the mileage log.
      if let known, known.value.basis == basis { return known.value }
      return try UserTrips(basis, user: user)
    }
  }

  private func events(of user: String, _ reading: any HubReadTransaction) throws -> MileageEvents {
    try events.value(for: user, reading) { known in
      let odometerType = try MileageEvents.odometerType(reading, user: user)
      // Update the cached events if the later writes are known and few.
      if let known, known.value.odometerType == odometerType, let changes = try reading.changes(since: known.position) {
        var events = known.value
        try events.update(user: user) { take in
          for entry in changes where entry.kind == SyncedKind.event.name { try take(entry) }
        }
        return events
      }
      var events = MileageEvents(odometerType: odometerType)
      try events.update(user: user) { take in
        try reading.eachEvent(during: Int64.min / 4..<Int64.max / 4) { event, entry in
          if event.sourceType == .trip || event.eventTypeId == odometerType { try take(try entry()) }
        }
      }
      events.version = try reading.state().head
      return events
    }
  }
}

/// Trips and odometer readings in a mileage log.
struct MileageEvents: Sendable {
  /// Id of the event type for odometer readings, or `nil` if the user has none.
  let odometerType: String?
  /// Trips, oldest first.
  private(set) var trips: [TripEvent] = []
  private(set) var odometers: [String: Event] = [:]
  /// Start of each trip by event id, for finding the trip's index.
  private var starts: [String: Date] = [:]
  /// Version of the last write that changed the trips or odometer readings.
  fileprivate(set) var version: Int64 = 0

  init(odometerType: String?) { self.odometerType = odometerType }

  /// Adds or replaces events, and removes those that no longer belong to the log.
  ///
  /// `show` must call its argument once with each changed event, in any order.
  mutating func update(user: String, _ show: (_ take: (HubEntry) throws -> Void) throws -> Void) throws {
    var gone: Set<Int> = []
    var new: [TripEvent] = []
    try show { entry in
      let start = starts.removeValue(forKey: entry.id)
      if let start { gone.insert(place(ofStart: start, id: entry.id)) }
      if odometers.removeValue(forKey: entry.id) != nil || start != nil { version = entry.version }
      guard let event = try event(entry, user: user) else { return }
      version = entry.version
      if let trip = TripEvent(event) {
        new.append(trip.withEndsAlone)
        starts[event.id] = event.timestamp
      } else {
        odometers[event.id] = event
      }
    }
    guard !gone.isEmpty || !new.isEmpty else { return }
    // The existing trips are already sorted, so this takes nearly linear time.
    trips = trips.enumerated().filter { !gone.contains($0.offset) }.map(\.element) + new
    trips.sort { Self.precedes($0, $1.start, id: $1.event.id) }
  }

  /// Returns the entry's event, or `nil` if it does not belong to the log.
  private func event(_ entry: HubEntry, user: String) throws -> Event? {
    let isTrip = entry.fields["source_type"]?.value.stringValue == EventSourceType.trip.rawValue
    let isReading = odometerType != nil && entry.fields["event_type_id"]?.value.stringValue == odometerType
    guard entry.isAlive, isTrip || isReading else { return nil }
    let wire: APIEvent = try entry.decoded(user: user)
    return Event(wire)
  }

  /// Returns a trip's index, or the index at which to insert it.
  private func place(ofStart start: Date, id: String) -> Int {
    var places = trips.startIndex..<trips.endIndex
    while !places.isEmpty {
      let middle = places.lowerBound + places.count / 2
      places =
        Self.precedes(trips[middle], start, id: id) ? middle + 1..<places.upperBound : places.lowerBound..<middle
    }
    return places.lowerBound
  }

  /// Returns whether a trip precedes a start and id. The id is an autoclosure because an event formats it on each
  /// access.
  private static func precedes(_ trip: TripEvent, _ start: Date, id: @autoclosure () -> String) -> Bool {
    trip.start == start ? trip.event.id < id() : trip.start < start
  }

  static func odometerType(_ reading: any HubReadTransaction, user: String) throws -> String? {
    let types = try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max).map { entry -> EventType in
      let wire: APIEventType = try entry.decoded(user: user)
      return EventType(wire)
    }
    return BuiltInType.odometer.present(among: types)?.id
  }
}

extension TripEvent {
  /// The trip with only the first and last coordinates of its route, which would otherwise take up most of the memory.
  fileprivate var withEndsAlone: TripEvent {
    let route = route
    guard route.count > 2 else { return self }
    var trip = self
    trip.route = [route[0], route[route.count - 1]]
    return trip
  }
}
