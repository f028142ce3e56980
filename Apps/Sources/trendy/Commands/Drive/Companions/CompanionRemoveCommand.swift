import CommandSupport

/// `trendy companion rm`
struct CompanionRemoveCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion rm", .one("device", .device, "the device's name"),
    summary: "Let a device be told no more; from either side.", group: .drive,
    examples: ["companion rm watch"])

  init(_ session: Session) {}
}
