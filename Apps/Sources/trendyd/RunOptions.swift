import AppContainer
import CommandSupport
import HubContainer

/// Options for `trendyd run`. Options not given take their values from the configuration.
struct RunOptions: Sendable {
  let role: DaemonRun.Role
  let pollInterval: Duration
  let receivers: Receivers.Sources
  let hooks: HookOptions
  let exports: ExportPlan?
  let logPath: String?
  let logForm: LogForm
  /// Values of options and settings as text, keyed by setting, to detect changes after a reload.
  let texts: [String: String]

  init(_ session: DaemonSession) throws(CommandError) {
    let word = session.value("--role", Setting.role) ?? ""
    guard let role = DaemonRun.Role(rawValue: word) else {
      throw session.invalid("--role", Setting.role, hint: "Use agent, hub or both.")
    }
    self.role = role
    _ = try session.commandLineSettings()
    // Checked even without a hub, so that an invalid setting is found now rather than later.
    _ = try HubSettings().overridden(by: session.settings)
    let seconds = session.value("--poll", Setting.poll).flatMap { DurationPhrase.seconds($0) }
    guard let seconds, (1...86_400).contains(seconds) else {
      throw session.invalid("--poll", Setting.poll, hint: "Use a duration from 1s to 1d.")
    }
    pollInterval = .seconds(seconds)
    let isAnAgentsOption = ["--ingest", "--gpsd", "--nmea"].contains { session.arguments.has($0) }
    guard role != .hub || !isAnAgentsOption else {
      throw CommandError(
        "--ingest, --gpsd and --nmea require an agent",
        hint: "Add --role both. A hub receives posts at its own address.",
        exit: .usage)
    }
    receivers = try Receivers.Sources(session)
    hooks = try HookOptions(session)
    exports = try ExportPlan(session.settings)
    logPath = session.value("--log", Setting.log)
    logForm = try LogForm(session)
    texts = Dictionary(
      Self.settings.compactMap { option, spec in session.text(option, spec).map { (spec.key, $0) } },
      uniquingKeysWith: { $1 })
  }

  /// Settings that affect the daemon, each with its option, which is empty if there is none.
  private static let settings: [(option: String, spec: SettingSpec)] = [
    ("--role", Setting.role), ("--poll", Setting.poll), ("--log", Setting.log),
    ("--log-format", Setting.logFormat), ("--log-level", Setting.logLevel), ("--hooks", Setting.hooks),
    ("--ingest", Setting.ingest), ("--gpsd", Setting.gpsd), ("--nmea", Setting.nmea), ("--data", Setting.hubData),
    ("--storage", Setting.storage),
    ("--store", Setting.store), ("--status", Setting.status), ("--listen", Setting.listen), ("--host", Setting.host),
    ("--proxy", Setting.proxy), ("--tiles", Setting.tiles), ("--tiles-credit", Setting.tilesCredit),
    ("--limit", Setting.limit), ("", Setting.dayStartsAt), ("", Setting.weekStartsOn),
    ("", Setting.hours), ("", Setting.units), ("", Setting.exportEvery), ("", Setting.exportTo),
    ("", Setting.exportFormat), ("", Setting.exportKeep),
  ]
}

extension DaemonSession {
  func value(_ option: String, _ setting: SettingSpec) -> String? { arguments.value(option) ?? settings.text(setting) }

  fileprivate func text(_ option: String, _ setting: SettingSpec) -> String? {
    arguments.has(option) ? arguments.all(option).joined(separator: " ") : settings.text(setting)
  }

  /// Returns the error for an invalid value, with exit 64 for an option or exit 78 for a setting. For a setting, the
  /// message names its source.
  func invalid(_ option: String, _ setting: SettingSpec, hint: String) -> CommandError {
    if arguments.has(option) { return invalid(option, hint: hint) }
    let value = settings.resolved(setting)
    return CommandError(
      "\(value.origin.words): The value '\(value.text ?? "")' is invalid for '\(setting.key)'", hint: hint,
      exit: .configuration)
  }
}
