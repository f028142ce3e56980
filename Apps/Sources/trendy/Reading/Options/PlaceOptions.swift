import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct PlaceOptions {
  static let all = [
    OptionSpec("--radius", value: "metres", kind: .number, help: "radius, 50 to 10000 (default 100)"),
    OptionSpec("--enter", value: "type", kind: .eventType, help: "event type recorded on entry (default Visit)"),
    OptionSpec("--exit", value: "type", kind: .eventType, help: "event type recorded on exit"),
    OptionSpec(
      "--role", value: "role", kind: .text,
      help: "skip: stops there do not end a trip; office: trips there are business"),
    OptionSpec("--colour", "--color", value: "#rrggbb", kind: .text, help: "colour"),
    OptionSpec("--notify", value: "when", kind: .oneOf(Notify.words), help: "notify on enter, exit, both or none"),
    OptionSpec("--inactive", help: "stop recording visits"),
  ]

  private enum Notify: String, CaseIterable {
    case enter
    case exit
    case both
    case none

    static let words = allCases.map(\.rawValue)
  }

  /// Radius in metres.
  let radius: Double?
  let role: String?
  private let colorHex: String?
  let isInactive: Bool
  private let entryTypeName: String?
  private let exitTypeName: String?
  private let notify: Notify?

  init(_ session: Session) throws(CommandError) {
    let arguments = session.arguments
    role = arguments.value("--role")
    if let role, !session.isName(role) {
      throw session.usageError("Invalid role '\(role)'", hint: "Use skip, office, or one line of 1 to 128 bytes.")
    }
    colorHex = try session.colour(arguments.value("--colour"))
    radius = try Self.radius(session)
    entryTypeName = arguments.value("--enter")
    exitTypeName = arguments.value("--exit")
    isInactive = arguments.has("--inactive")
    if let word = arguments.value("--notify") {
      guard let notify = Notify(rawValue: word.lowercased()) else {
        throw session.usageError(
          "The value '\(word)' is invalid for '--notify'", hint: "Use enter, exit, both or none.")
      }
      self.notify = notify
    } else {
      notify = nil
    }
  }

  private static func radius(_ session: Session) throws(CommandError) -> Double? {
    guard let text = session.arguments.value("--radius") else { return nil }
    guard let radius = Double(text), (50...10_000).contains(radius) else {
      throw session.usageError(
        "The value '\(text)' is invalid for '--radius'", hint: "Use a radius from 50 to 10000 metres.")
    }
    return radius
  }

  static func check(name: String, _ session: Session) throws(CommandError) {
    guard session.isName(name) else {
      throw session.usageError("Invalid place name '\(name)'", hint: "\(Session.nameRule).")
    }
  }

  static func coordinate(_ text: String, _ session: Session) throws(CommandError) -> Coordinate {
    guard let coordinate = Coordinate(phrase: text) else {
      throw session.usageError(
        "Invalid position '\(text)'", hint: "Use latitude,longitude in degrees, for example 51.9270,4.3620.")
    }
    return coordinate
  }

  /// Applies the given options to a place, leaving other attributes unchanged.
  func apply(to place: inout Geofence, in store: any DataStoreProtocol) throws {
    if let radius { place.radius = radius }
    if let id = try typeId(entryTypeName, in: store) { place.eventTypeEntryId = id }
    if let id = try typeId(exitTypeName, in: store) { place.eventTypeExitId = id }
    if let colorHex { place.colorHex = colorHex }
    if let role { place.role = role }
    if let notify {
      place.notifyOnEntry = notify == .enter || notify == .both
      place.notifyOnExit = notify == .exit || notify == .both
    }
    if isInactive { place.isActive = false }
  }

  private func typeId(_ name: String?, in store: any DataStoreProtocol) throws -> String? {
    try name.map { try Lookup(store: store).eventType($0) { "trendy type add \($0)" }.id }
  }
}
