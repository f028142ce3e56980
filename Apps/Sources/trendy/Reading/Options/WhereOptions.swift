import CommandSupport
import TrendyModels
import TrendyTrips

/// Options for an event's location: a place or a position.
struct WhereOptions {
  static let all = [
    OptionSpec("--place", value: "name", kind: .place, help: "name of the place"),
    OptionSpec("--position", value: "lat,lon", kind: .text, help: "position: 51.9270,4.3620"),
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
