import CommandSupport

struct CompanionRemoveCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion rm", .one("device", .device, "device name"),
    summary: "Stop trip notices between this device and another one.", group: .drive,
    examples: ["companion rm watch"])

  init(_ session: Session) {}
}
