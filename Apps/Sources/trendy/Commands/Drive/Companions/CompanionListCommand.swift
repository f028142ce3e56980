import CommandSupport

struct CompanionListCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion list", summary: "List your devices on the hub and their companions.", group: .drive,
    examples: ["companion list"])

  init(_ session: Session) {}
}
