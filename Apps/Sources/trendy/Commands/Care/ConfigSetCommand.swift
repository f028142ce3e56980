import AppContainer
import CommandSupport
import TrendyAgent

struct ConfigSetCommand: Command {
  static let spec = CommandSpec(
    "config set", .one("key", .setting, "key"), .one("value", .settingValue, "value"),
    summary: "Change a setting; personal settings are synced to all your devices.", group: .system,
    examples: ["config set day_starts_at 04:00", "config set list_limit 20"])

  private let change: SettingChange

  init(_ session: Session) throws {
    let setting = try Setting.named(session.arguments.positionals[0])
    let text = session.arguments.positionals[1]
    change = SettingChange(setting: setting, value: try setting.valueForFile(text))
  }

  func act(_ session: Session) throws -> SettingText { try change.carryOut(session) }

  func show(_ answer: SettingText, _ session: Session) -> ExitCode { change.show(answer, session) }
}

struct ConfigUnsetCommand: Command {
  static let spec = CommandSpec(
    "config unset", .one("key", .setting, "key"), summary: "Reset a setting to its default.", group: .system,
    examples: ["config unset list_limit"])

  private let change: SettingChange

  init(_ session: Session) throws {
    change = SettingChange(setting: try Setting.named(session.arguments.positionals[0]), value: nil)
  }

  func act(_ session: Session) throws -> SettingText { try change.carryOut(session) }

  func show(_ answer: SettingText, _ session: Session) -> ExitCode { change.show(answer, session) }
}

/// Change to a setting. Synced settings are saved in the store, and all other settings in the configuration file.
struct SettingChange {
  let setting: SettingSpec
  /// New value, or `nil` to reset the setting to its default.
  let value: String?

  func carryOut(_ session: Session) throws -> SettingText {
    var settings: Settings
    switch setting.owner {
    case .user:
      let container = try session.openStore()
      try container.record.set(setting.key, to: value)
      settings = session.settings
      settings.synced = try container.makeStore().syncedSettings()
    case .machine:
      // Resetting a value must not create the file.
      if value != nil || session.settings.file.exists {
        try ConfigurationFile.update(session.settings.file.path) { $0.set(setting.key, to: value) }
      }
      settings = Settings(environment: Environment.all)
    }
    return SettingText(spec: setting, value: settings.resolved(setting))
  }

  func show(_ answer: SettingText, _ session: Session) -> ExitCode {
    let console = session.console
    switch console.format {
    case .json, .ndjson: console.document("trendy.setting/1", [("setting", answer.json)])
    case .plain: console.row(answer.plain)
    case .text: console.done("\(setting.key) = \(answer.words) (\(answer.value.origin.words))")
    }
    if setting == Setting.tripStop {
      console.talk("Applies to new trips. For earlier trips run 'trendy trip recompute'.")
    }
    let isOverruled =
      switch answer.value.origin {
      case .environment: true
      case .file: setting.owner == .user
      case .standard, .locale, .synced: false
      }
    if isOverruled {
      let change = value.map { "'\($0)' was saved" } ?? "The setting was removed"
      console.talk("\(change), but \(answer.value.origin.words) takes precedence on this machine.")
    }
    let file = ConfigurationFile(path: session.settings.file.path)
    for problem in file.problems { _ = console.report(problem) }
    return file.problems.isEmpty ? .done : .configuration
  }
}
