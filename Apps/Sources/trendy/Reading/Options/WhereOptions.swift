import CommandSupport
import TrendyModels
import TrendyTrips

/// Where an event was, as a command line says it: at a place by its name, or at a position.
struct WhereOptions {
  static let all = [
    OptionSpec("--place", value: "name", kind: .place, help: "where it was: the name of a place"),
    OptionSpec("--position", value: "lat,lon", kind: .text, help: "where it was: 51.9270,4.3620"),
  ]

  private let placeName: String?
  private let position: Coordinate?

  init(_ session: Session) throws(CommandError) {
    placeName = session.arguments.value("--place")
    if let text = session.arguments.value("--position") {
      position = try PlaceOptions.coordinate(text, session)
    } else {
      position = nil
    }
  }

  /// What is not said stays.
  /// - Throws: ``CommandError`` with exit 66 for a place that is not known.
  func apply(to event: inout Event, among places: [Geofence]) throws(CommandError) {
    let named: Geofence?
    if let placeName { named = try Lookup.place(placeName, among: places) } else { named = nil }
    guard let position = position ?? named?.coordinate else { return }
    event.locationLatitude = position.latitude
    event.locationLongitude = position.longitude
    let place = named ?? places.nearest(to: position).first
    event.geofenceId = place?.id
    event.locationName = place?.name
  }
}
