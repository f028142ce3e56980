import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TripList {
  let trips: [TripEvent]
  private let places: [Geofence]
  private let witnesses: TripWitnesses

  init(_ trips: [TripEvent], in store: any DataStoreProtocol) throws {
    self.trips = trips
    witnesses = try store.witnesses(among: trips)
    places = try store.fetchAllGeofences()
  }

  func texts(_ session: Session) -> [TripText] {
    trips.map { TripText($0, witnesses: witnesses, places: places, session: session) }
  }

  func show(_ session: Session, words: (TripText) -> Void) {
    let texts = texts(session)
    switch session.console.format {
    case .json: session.console.document("trendy.trips/1", [("trips", .array(texts.map(\.json)))])
    case .ndjson: for trip in texts { session.console.data("\(trip.json)") }
    case .plain: for trip in texts { session.console.row(trip.plain) }
    case .text: for trip in texts { words(trip) }
    }
  }
}

struct OneTrip {
  private let list: TripList

  init(_ trip: TripEvent, in store: any DataStoreProtocol) throws { list = try TripList([trip], in: store) }

  var event: Event { list.trips[0].event }

  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    let trip = list.texts(session)[0]
    switch session.console.format {
    case .ndjson where !isDetailed: session.console.data("\(trip.json)")
    case .json, .ndjson: session.console.document("trendy.trip/1", [("trip", trip.json)])
    case .plain: session.console.row(trip.plain)
    case .text where isDetailed:
      for line in trip.lines + trip.picture(for: session.console.terminal) { session.console.text(line) }
    case .text: session.console.done(trip.line)
    }
    return .done
  }
}
