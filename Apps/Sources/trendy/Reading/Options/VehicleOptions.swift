import CommandSupport
import TrendyTrips

struct VehicleOptions {
  static let all = [
    OptionSpec(
      "--device", value: "id", kind: .text, repetition: .allCount,
      help: "id of a device in the vehicle, such as its hands-free kit"),
    OptionSpec("--default", help: "use it for trips without a known vehicle"),
    OptionSpec("--colour", "--color", value: "#rrggbb", kind: .text, help: "colour"),
    OptionSpec("--icon", value: "glyph", kind: .text, help: "icon"),
    OptionSpec(
      "--start-odometer", value: "length", kind: .text,
      help: "odometer before the first trip: 48210km"),
  ]

  private let deviceIds: [String]
  private let isDefault: Bool
  private let colorHex: String?
  private let icon: String?
  /// Odometer reading before the first trip, in metres.
  private let startOdometer: Double?

  init(_ session: Session) throws(CommandError) {
    deviceIds = session.arguments.all("--device")
    for id in deviceIds where !session.isName(id) {
      throw session.usageError("Invalid device id '\(id)'", hint: "Use one line of 1 to 128 bytes.")
    }
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
