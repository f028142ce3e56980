import CommandSupport
import TrendyModels

/// Trips that a command answers with.
struct TripList {
  var events: [Event]

  /// In the format asked for; `words` writes one of them for people.
  func show(_ session: Session, words: (TripText) -> Void) {
    let trips = events.map { TripText($0, session: session) }
    switch session.console.format {
    case .json: session.console.document("trendy.trips/1", [("trips", .array(trips.map(\.json)))])
    case .ndjson: for trip in trips { session.console.data("\(trip.json)") }
    case .plain: for trip in trips { session.console.row(trip.plain) }
    case .text: for trip in trips { words(trip) }
    }
  }
}

/// One trip that a command answers with.
struct OneTrip {
  var event: Event

  /// - Parameter isDetailed: whether people read all of it, and not one line that says what was done.
  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    let trip = TripText(event, session: session)
    switch session.console.format {
    case .ndjson where !isDetailed: session.console.data("\(trip.json)")
    case .json, .ndjson: session.console.document("trendy.trip/1", [("trip", trip.json)])
    case .plain: session.console.row(trip.plain)
    case .text where isDetailed: for line in trip.lines { session.console.text(line) }
    case .text: session.console.done(trip.line)
    }
    return .done
  }
}
