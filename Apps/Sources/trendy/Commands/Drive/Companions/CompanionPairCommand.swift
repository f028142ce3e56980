import CommandSupport

struct CompanionPairCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion pair", .one("device", .device, "device name on the hub"),
    summary: "Notify another of your devices when a trip starts or ends on this device.",
    group: .drive, examples: ["companion pair watch"])

  init(_ session: Session) {}
}
