import CommandSupport

struct CompanionFollowCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion follow", .one("device", .device, "device name on the hub"),
    summary: "Receive notices on this device when a trip starts or ends on another device.",
    group: .drive, examples: ["companion follow phone"])

  init(_ session: Session) {}
}
