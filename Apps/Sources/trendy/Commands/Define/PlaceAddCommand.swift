import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

struct PlaceAddCommand: Command {
  static let spec = CommandSpec(
    "place add", .one("name", .text, "name"), .oneOrMore("lat,lon", .text, "latitude and longitude"),
    summary: "Add a place; stays there are recorded as visits.", group: .define,
    examples: ["place add Home 52.3702,4.8952", "place add Office 52.36,4.90 --radius 120"],
    options: PlaceOptions.all + [
      OptionSpec("--relabel", help: "also assign the place to past events inside it that have none")
    ], columns: .placeColumns)

  private let name: String
  private let coordinate: Coordinate
  private let options: PlaceOptions

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    try PlaceOptions.check(name: name, session)
    // Accept `52.37 4.89` and `52.37, 4.89` in addition to `52.37,4.89`.
    let words = session.arguments.positionals.dropFirst().map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
    coordinate = try PlaceOptions.coordinate(words.joined(separator: ","), session)
    options = try PlaceOptions(session)
  }

  struct Answer {
    var place: OnePlace
    /// Number of past events now assigned to the place.
    var relabelled: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    if try store.fetchAllGeofences().contains(where: { $0.name.lowercased() == name.lowercased() }) {
      throw session.usageError("A place '\(name)' already exists")
    }
    var place = Geofence(
      id: container.makeID(), name: name, latitude: coordinate.latitude, longitude: coordinate.longitude,
      // Use a larger default for a place that records no visits, because such a place is usually larger, for example a
      // car park.
      radius: options.role == "skip" ? 200 : 100)
    try options.apply(to: &place, in: store)
    if place.eventTypeEntryId == nil { place.eventTypeEntryId = try container.record.type(.visit).id }
    let events = session.arguments.has("--relabel") ? try store.fetchAllEvents().filter { $0.isUnnamed(in: place) } : []
    let relabelled = events.map { event in
      var event = event
      (event.geofenceId, event.locationName) = (place.id, place.name)
      return event
    }
    try container.record.perform(
      "place add \(place.name)", [.place(place)] + relabelled.map { .event($0) }, before: events.map { .event($0) })
    return Answer(place: try OnePlace(place, in: container.makeStore()), relabelled: events.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.arguments.has("--relabel") {
      session.console.done("Assigned the place to \(Quantity(answer.relabelled, "event")).")
    }
    return answer.place.show(session)
  }
}

extension Event {
  /// Whether the event has no place, and its position is inside this place.
  fileprivate func isUnnamed(in place: Geofence) -> Bool {
    guard geofenceId == nil, locationName == nil, let latitude = locationLatitude, let longitude = locationLongitude
    else {
      return false
    }
    let position = Coordinate(latitude: latitude, longitude: longitude)
    return Geodesic.distanceMeters(from: place.coordinate, to: position) <= place.radius
  }
}
