import AgentLink
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
    "place add", .one("name", .text, "the name"), .one("lat,lon", .text, "where it is"),
    summary: "Make a place; coming and going there is recorded as a visit.", group: .define,
    examples: ["place add Home 52.3702,4.8952", "place add Office 52.36,4.90 --radius 120"],
    options: [
      OptionSpec("--radius", value: "metres", kind: .number, help: "50 to 10000 (100)"),
      OptionSpec(
        "--enter", value: "type", kind: .eventType, help: "the type of event that coming in records (Visit)"),
      OptionSpec("--exit", value: "type", kind: .eventType, help: "the type of event that leaving records"),
      OptionSpec(
        "--role", value: "role", kind: .text,
        help: "skip: a stop there does not end a trip; office: trips there are business"),
      OptionSpec("--inactive", help: "record nothing for now"),
    ])

  private let name: String
  private let coordinate: Coordinate
  /// Metres.
  private let radius: Double
  private let entryTypeName: String?
  private let exitTypeName: String?
  private let role: String?
  private let isActive: Bool

  init(_ session: Session) throws {
    let arguments = session.arguments
    name = arguments.positionals[0]
    guard session.isName(name) else {
      throw session.usageError("'\(name)' cannot be the name of a place", hint: "One line of 1 to 128 bytes.")
    }
    guard let coordinate = Coordinate(phrase: arguments.positionals[1]) else {
      throw session.usageError(
        "'\(arguments.positionals[1])' is no place on earth",
        hint: "It looks like 51.9270,4.3620: latitude, longitude.")
    }
    self.coordinate = coordinate
    role = arguments.value("--role")
    if let role, !session.isName(role) { throw session.usageError("'\(role)' is no role") }
    // About a skip place there is more to drive and to walk.
    radius = try Self.radius(session) ?? (role == "skip" ? 200 : 100)
    entryTypeName = arguments.value("--enter")
    exitTypeName = arguments.value("--exit")
    isActive = !arguments.has("--inactive")
  }

  private static func radius(_ session: Session) throws(CommandError) -> Double? {
    guard let text = session.arguments.value("--radius") else { return nil }
    guard let radius = Double(text), (50...10_000).contains(radius) else {
      throw session.usageError("The value '\(text)' is invalid for '--radius'", hint: "Metres, 50 to 10000.")
    }
    return radius
  }

  func act(_ session: Session) throws -> Geofence {
    let container = try session.openStore()
    let store = container.makeStore()
    if try store.fetchAllGeofences().contains(where: { $0.name.lowercased() == name.lowercased() }) {
      throw session.usageError("There is a place '\(name)' already")
    }
    let entryType = try typeId(entryTypeName, in: store) ?? container.record.type(.visit).id
    let exitType = try typeId(exitTypeName, in: store)
    let place = Geofence(
      id: container.makeID(), name: name, latitude: coordinate.latitude, longitude: coordinate.longitude,
      radius: radius, eventTypeEntryId: entryType, eventTypeExitId: exitType, isActive: isActive,
      unknownFields: role.map { [Geofence.roleField: .string($0)] } ?? [:])
    try container.record.perform("place add \(place.name)", [.place(place)])
    container.agent.send()
    return place
  }

  private func typeId(_ name: String?, in store: any DataStoreProtocol) throws -> String? {
    try name.map { try Lookup(store: store).eventType($0) { "trendy type add \($0)" }.id }
  }

  func show(_ answer: Geofence, _ session: Session) -> ExitCode {
    if session.console.isJSON { session.console.document("trendy.place/1", [("place", PlaceText.json(answer))]) }
    session.console.done(PlaceText.line(answer))
    return .done
  }
}
