import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Running trip that the user started by hand. Reports exclude it until it ends.
struct RunningTrip {
  let running: RunningEvent
  var trip: TripEvent

  /// Creates a running trip, which has neither an end nor a distance yet.
  init(_ trip: TripEvent, markId: String) {
    var event = trip.event
    event.sourceType = .manual
    event.endDate = nil
    for key in [TripRecord.PropertyKey.distance, .duration, .averageSpeed] { event.properties[key.rawValue] = nil }
    running = RunningEvent(event, markId: markId)
    self.trip = trip
  }

  /// Returns the running trip in the store, if there is one.
  init?(in store: any DataStoreProtocol) throws {
    guard let type = BuiltInType.trip.present(among: try store.fetchAllEventTypes()),
      let running = try RunningEvent.all(in: store).first(where: { $0.event.eventTypeId == type.id })
    else { return nil }
    var event = running.event
    event.sourceType = .trip
    guard let trip = TripEvent(event) else { return nil }
    self.running = running
    self.trip = trip
  }

  static func present(in store: any DataStoreProtocol) throws -> RunningTrip {
    guard let trip = try RunningTrip(in: store) else {
      throw CommandError(
        "No trip is running", hint: "Start one: trendy trip start", exit: .notFound)
    }
    return trip
  }

  /// Returns the detected trip that overlaps the running trip by at least half of the shorter one's duration, if there
  /// is one.
  func found(until end: Date, in store: any DataStoreProtocol) throws -> TripEvent? {
    func share(_ other: TripEvent) -> Double {
      let common = min(end, other.end).timeIntervalSince(max(trip.start, other.start))
      let shorter = min(end.timeIntervalSince(trip.start), other.end.timeIntervalSince(other.start))
      return shorter > 0 ? common / shorter : 0
    }
    let span = trip.start.addingTimeInterval(-86_400)..<max(end, trip.start.addingTimeInterval(1))
    return try store.trips(in: span).filter { $0.event.id != trip.event.id && share($0) >= 0.5 }
      .max { share($0) < share($1) }
  }
}
