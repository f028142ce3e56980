import CommandSupport

/// `trendy companion follow`
struct CompanionFollowCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion follow", .one("device", .device, "the device's name, as the hub knows it"),
    summary: "Let this device be told when a trip of another starts and ends, such as a phone that posts to the hub.",
    group: .drive, examples: ["companion follow phone"])

  init(_ session: Session) {}
}
