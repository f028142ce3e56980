import CommandSupport

struct ConfigGetCommand: Command {
  static let spec = CommandSpec(
    "config get", .one("key", .setting, "key"),
    summary: "Print the value of a setting; exit with status 1 if it has none.", group: .system,
    examples: ["config get day_starts_at", "config get units --json"])

  private let setting: SettingSpec

  init(_ session: Session) throws { setting = try Setting.named(session.arguments.positionals[0]) }

  func act(_ session: Session) throws -> SettingText {
    try session.settings.check { session.console.talk($0, level: .warning) }
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
