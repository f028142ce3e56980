import TrendyAgent
import AgentLink
import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

extension Command {
  static let placeCommands: [Command] = [
    Command(
      path: ["place", "add"], arguments: "<name> <lat,lon>",
      summary: "Make a place; coming and going there is recorded as a visit.", group: .define,
      examples: ["place add Home 52.3702,4.8952", "place add Office 52.36,4.90 --radius 120"],
      options: [
        OptionSpec("--radius", value: "metres", help: "50 to 10000 (100)"),
        OptionSpec("--enter", value: "type", help: "the type of event that coming in records (Visit)"),
        OptionSpec("--exit", value: "type", help: "the type of event that leaving records"),
        OptionSpec(
          "--role", value: "role", help: "skip: a stop there does not end a trip; office: trips there are business"),
        OptionSpec("--inactive", help: "record nothing for now"),
      ]
    ) { session in
      let words = try session.positionals(2...2, missing: "the name and where it is")
      guard session.isName(words[0]) else {
        throw session.usageError("'\(words[0])' cannot be the name of a place", hint: "One line of 1 to 128 bytes.")
      }
      guard let coordinate = coordinate(words[1]) else {
        throw session.usageError(
          "'\(words[1])' is no place on earth", hint: "It looks like 51.9270,4.3620: latitude, longitude.")
      }
      // About a skip place there is more to drive and to walk.
      let isSkip = session.arguments.value("--role") == "skip"
      let radius = try radius(session.arguments.value("--radius") ?? (isSkip ? "200" : nil), session: session)
      let container = try session.openStore()
      let store = container.makeStore()
      if try store.fetchAllGeofences().contains(where: { $0.name.lowercased() == words[0].lowercased() }) {
        throw session.usageError("There is a place '\(words[0])' already")
      }
      func type(_ option: String) throws -> String? {
        try session.arguments.value(option).map {
          try Lookup(store: store).eventType($0) { "trendy type add \($0)" }.id
        }
      }
      let role = session.arguments.value("--role")
      if let role, !session.isName(role) { throw session.usageError("'\(role)' is no role") }
      let place = Geofence(
        id: container.makeID(), name: words[0], latitude: coordinate.latitude, longitude: coordinate.longitude,
        radius: radius, eventTypeEntryId: try type("--enter") ?? container.record.type(.visit).id,
        eventTypeExitId: try type("--exit"), isActive: !session.arguments.has("--inactive"),
        unknownFields: role.map { [Geofence.roleField: .string($0)] } ?? [:])
      try container.recorder.record(place)
      container.agent.send()
      if session.console.isJSON {
        session.console.document("trendy.place/1", [("place", json(place))])
      }
      session.console.done(line(place))
      return .done
    },
    Command(
      path: ["place", "list"], arguments: "", summary: "The places.", group: .define,
      examples: ["place list", "place list --json"]
    ) { session in
      let places = try session.openStore().makeStore().fetchAllGeofences()
      switch session.console.format {
      case .json:
        session.console.document("trendy.places/1", [("places", .array(places.map(json)))])
      case .ndjson: for place in places { session.console.data("\(json(place))") }
      case .plain:
        for place in places {
          session.console.row([place.id, place.name, "\(place.latitude)", "\(place.longitude)", "\(place.radius)"])
        }
      case .text:
        if places.isEmpty { session.console.text("No places yet. Make one: trendy place add home 51.9270,4.3620") }
        for place in places { session.console.text(line(place)) }
      }
      return .done
    },
  ]

  private static func line(_ place: Geofence) -> String {
    "\(place.name)  \(place.latitude), \(place.longitude)  \(JSONText.number(place.radius)) m"
      + (place.role.map { "  \($0)" } ?? "") + (place.isActive ? "" : "  (inactive)") + "  \(ShortID.of(place.id))"
  }

  private static func json(_ place: Geofence) -> JSONText {
    .object([
      ("id", .string(place.id)), ("name", .string(place.name)), ("latitude", .number(place.latitude)),
      ("longitude", .number(place.longitude)), ("radius", .number(place.radius)),
      ("event_type_entry_id", .string(place.eventTypeEntryId)),
      ("event_type_exit_id", .string(place.eventTypeExitId)), ("is_active", .bool(place.isActive)),
      ("role", .string(place.role)), ("notify_on_entry", .bool(place.notifyOnEntry)),
      ("notify_on_exit", .bool(place.notifyOnExit)),
      ("sync_status", .string(place.syncStatus.rawValue)),
    ])
  }

  static func coordinate(_ text: String) -> Coordinate? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.filter { $0 != " " }) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    return coordinate.isValid ? coordinate : nil
  }

  private static func radius(_ text: String?, session: Session) throws(CommandError) -> Double {
    guard let text else { return 100 }
    guard let radius = Double(text), (50...10_000).contains(radius) else {
      throw session.usageError("The value '\(text)' is invalid for '--radius'", hint: "Metres, 50 to 10000.")
    }
    return radius
  }
}
