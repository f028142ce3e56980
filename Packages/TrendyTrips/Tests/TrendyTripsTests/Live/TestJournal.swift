import Foundation
import Synchronization
import TrendyModels
import TrendyTrips

/// In-memory event store that can fail during detection.
final class TestJournal: DetectedEventStore {
  struct Ended: Error {}

  struct State {
    var events: [String: Event] = [:]
    var deleted: Set<String> = []
    var geofences: [Geofence] = []
    var stop = TripStop.standard
    var writes = 0
    var writesLeft: Int?
    var beforeWrite: (@Sendable (TestJournal) -> Void)?
  }

  let state = Mutex(State())

  init(geofences: [Geofence] = []) { state.withLock { $0.geofences = geofences } }

  var events: [Event] {
    state.withLock { $0.events.values.sorted { ($0.timestamp, $0.id) < ($1.timestamp, $1.id) } }
  }
  var trips: [Event] { events.filter { $0.sourceType == .trip } }
  var visits: [Event] { events.filter { $0.sourceType == .geofence } }
  var writes: Int { state.withLock { $0.writes } }

  /// Edits an event as the user would.
  func edit(_ id: String, _ change: (inout Event) -> Void) { state.withLock { change(&$0.events[id]!) } }
  func remove(_ id: String) {
    state.withLock {
      $0.events[id] = nil
      $0.deleted.insert(id)
    }
  }
  func set(stop: TripStop) { state.withLock { $0.stop = stop } }
  func set(geofences: [Geofence]) { state.withLock { $0.geofences = geofences } }

  /// Fails all writes after the next `count` writes, as if the process had ended.
  func end(afterWrites count: Int?) { state.withLock { $0.writesLeft = count } }

  /// Runs `act` just before the next write, to simulate a concurrent edit by the user.
  func beforeNextWrite(_ act: @escaping @Sendable (TestJournal) -> Void) { state.withLock { $0.beforeWrite = act } }

  private func write<Result>(_ body: (inout sending State) throws -> Result) throws -> Result {
    let act = state.withLock { state in
      defer { state.beforeWrite = nil }
      return state.beforeWrite
    }
    act?(self)
    return try state.withLock { state in
      if let left = state.writesLeft {
        guard left > 0 else { throw Ended() }
        state.writesLeft = left - 1
      }
      state.writes += 1
      return try body(&state)
    }
  }

  func geofences() throws -> [Geofence] { state.withLock { $0.geofences } }
  func tripStop() throws -> TripStop { state.withLock { $0.stop } }
  func tripTypeId() throws -> String { "trip-type" }
  func event(id: String) throws -> Event? { state.withLock { $0.events[id] } }

  func create(_ event: Event) throws -> Bool {
    try write { state in
      guard !state.deleted.contains(event.id) else { return false }
      precondition(state.events[event.id] == nil, "\(event.id) is created twice")
      // Encode and decode the event, because a hub returns it with the precision of the wire format.
      state.events[event.id] = Event(
        try WireJSON.decode(CreateEventRequest.self, from: WireJSON.encode(event.createRequest)))
      return true
    }
  }

  func update(_ event: Event, from held: Event) throws -> Bool {
    try write { state in
      guard let request = event.updateRequest(from: held), state.events[event.id] == held else { return false }
      state.events[event.id]?.apply(request)
      return true
    }
  }

  func delete(_ held: Event) throws -> Bool {
    try write { state in
      guard state.events[held.id] == held else { return false }
      state.events[held.id] = nil
      state.deleted.insert(held.id)
      return true
    }
  }
}
