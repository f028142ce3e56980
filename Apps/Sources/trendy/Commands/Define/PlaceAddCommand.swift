import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

/// `trendy place add`
struct PlaceAddCommand: Command {
  static let spec = CommandSpec(
    "place add", .one("name", .text, "name"), .oneOrMore("lat,lon", .text, "latitude and longitude"),
    summary: "Add a place; stays there are recorded as visits.", group: .define,
    examples: ["place add Home 52.3702,4.8952", "place add Office 52.36,4.90 --radius 120"],
    options: PlaceOptions.all, columns: .placeColumns)

  private let name: String
  private let coordinate: Coordinate
  private let options: PlaceOptions

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    try PlaceOptions.check(name: name, session)
    // `52.37 4.89` and `52.37, 4.89` as well as `52.37,4.89`.
    let words = session.arguments.positionals.dropFirst().map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
    coordinate = try PlaceOptions.coordinate(words.joined(separator: ","), session)
    options = try PlaceOptions(session)
  }

  func act(_ session: Session) throws -> OnePlace {
    let container = try session.openStore()
    let store = container.makeStore()
    if try store.fetchAllGeofences().contains(where: { $0.name.lowercased() == name.lowercased() }) {
      throw session.usageError("A place '\(name)' already exists")
    }
    var place = Geofence(
      id: container.makeID(), name: name, latitude: coordinate.latitude, longitude: coordinate.longitude,
      // A skip place covers a larger area, such as a car park.
      radius: options.role == "skip" ? 200 : 100)
    try options.apply(to: &place, in: store)
    if place.eventTypeEntryId == nil { place.eventTypeEntryId = try container.record.type(.visit).id }
    try container.record.perform("place add \(place.name)", [.place(place)])
    return try OnePlace(place, in: container.makeStore())
  }

  func show(_ answer: OnePlace, _ session: Session) -> ExitCode { answer.show(session) }
}
