import CommandSupport

/// `trendy config get`
struct ConfigGetCommand: Command {
  static let spec = CommandSpec(
    "config get", .one("key", .setting, "the key"),
    summary: "The value of a setting; status 1 where it has none.", group: .care,
    examples: ["config get day_starts_at", "config get units --json"])

  private let setting: SettingSpec

  init(_ session: Session) throws { setting = try Setting.named(session.arguments.positionals[0]) }

  func act(_ session: Session) throws -> SettingText {
    // A value that is not the one that was meant would be taken for it.
    try session.settings.check()
    return SettingText(spec: setting, value: try session.allSettings().resolved(setting))
  }

  func show(_ answer: SettingText, _ session: Session) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.setting/1", [("setting", answer.json)])
    case .plain: session.console.row(answer.plain)
    case .text: if let text = answer.value.text { session.console.text(text) }
    }
    return answer.value.text == nil ? .no : .done
  }
}
