import CommandSupport

/// `trendy companion list`
struct CompanionListCommand: NetworkCommand {
  static let spec = CommandSpec(
    "companion list", summary: "Your devices at the hub, and who tells whom.", group: .drive,
    examples: ["companion list"])

  init(_ session: Session) {}
}
