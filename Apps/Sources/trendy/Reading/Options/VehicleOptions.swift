import CommandSupport
import TrendyTrips

/// What a person says of a vehicle, besides its name.
struct VehicleOptions {
  static let all = [
    OptionSpec(
      "--device", value: "id", kind: .text, repetition: .allCount, help: "what tells that one sits in it"),
    OptionSpec("--default", help: "it is meant where nothing tells which one it was"),
    OptionSpec("--colour", "--color", value: "#rrggbb", kind: .text, help: "its colour"),
    OptionSpec("--icon", value: "glyph", kind: .text, help: "its sign"),
    OptionSpec(
      "--start-odometer", value: "length", kind: .text,
      help: "what its clock stood at before the first trip: 48210km"),
  ]

  private let deviceIds: [String]
  private let isDefault: Bool
  private let colorHex: String?
  private let icon: String?
  /// Metres.
  private let startOdometer: Double?

  init(_ session: Session) throws(CommandError) {
    deviceIds = session.arguments.all("--device")
    for id in deviceIds where !session.isName(id) { throw session.usageError("'\(id)' is no id of a device") }
    isDefault = session.arguments.has("--default")
    colorHex = try session.colour(session.arguments.value("--colour"))
    icon = session.arguments.value("--icon")
    startOdometer = try session.metres(option: "--start-odometer")
  }

  func apply(to vehicle: inout Vehicle) {
    for id in deviceIds where !vehicle.deviceIds.contains(id) { vehicle.deviceIds.append(id) }
    if isDefault { vehicle.isDefault = true }
    if let colorHex { vehicle.colorHex = colorHex }
    if let icon { vehicle.icon = icon }
    if let startOdometer { vehicle.startOdometer = startOdometer }
  }
}
