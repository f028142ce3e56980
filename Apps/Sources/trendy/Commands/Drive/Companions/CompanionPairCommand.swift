import CommandSupport

/// `trendy companion pair`
struct CompanionPairCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion pair", .one("device", .device, "the device's name, as the hub knows it"),
    summary: "Let another device of yours be told when a trip of this one starts and ends.",
    group: .drive, examples: ["companion pair watch"])

  init(_ session: Session) {}
}
