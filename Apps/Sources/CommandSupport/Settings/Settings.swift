import TrendyFoundation

/// Values of all settings and their origins.
///
/// Precedence, highest first: environment, configuration file, synced settings, defaults. Command-line options override
/// all of them and are handled by the commands.
public struct Settings: Sendable {
  /// Origin of a value.
  public enum Origin: Hashable, Sendable {
    /// Default value of the setting.
    case standard
    /// Locale, as determined by an environment variable.
    case locale(String)
    /// Synced setting in the record.
    case synced
    /// Line of the configuration file, from 1.
    case file(path: String, line: Int)
    /// Environment variable with this name.
    case environment(String)
  }

  /// Effective value of a setting and its origin.
  public struct Resolved: Hashable, Sendable {
    /// Effective value, or `nil` if the setting has neither a value nor a default.
    public let text: String?
    public let origin: Origin

    public init(text: String?, origin: Origin) {
      self.text = text
      self.origin = origin
    }
  }

  public let file: ConfigurationFile
  let environment: [String: String]
  /// Synced settings, keyed by setting.
  public var synced: [String: String] = [:]

  /// Reads the user's configuration file. `environment` determines its path.
  public init(environment: [String: String]) {
    self.init(file: ConfigurationFile(environment: environment), environment: environment)
  }

  init(file: ConfigurationFile, environment: [String: String]) {
    self.file = file
    self.environment = environment
  }

  /// Errors in the configuration file, then those in the environment.
  public var problems: [CommandError] { findings.map(\.error) }

  private var findings: [ConfigurationProblem] {
    var findings = file.findings
    for spec in Setting.all {
      guard let text = variable(spec) else { continue }
      do throws(CommandError) {
        if let refusal = spec.refusalElsewhere { throw refusal }
        _ = try spec.canonical(text)
      } catch {
        let error = CommandError("\(spec.variable): \(error.message)", hint: error.hint, exit: .configuration)
        findings.append(ConfigurationProblem(error, key: spec.key))
      }
    }
    return findings
  }

  /// Messages about unknown, possibly misspelled, variables that start with `TRENDY_`.
  public var strayVariables: [String] {
    let prefix = SettingSpec.variablePrefix
    let names = Setting.all.map { String($0.variable.dropFirst(prefix.count)) }
    // The agent sets `TRENDY_HOOK` for hooks.
    let strays = environment.filter { $0.key.hasPrefix(prefix) && !$0.value.isEmpty && $0.key != "\(prefix)HOOK" }
      .keys.map { String($0.dropFirst(prefix.count)) }.filter { !names.contains($0) }
    return strays.sorted().map { stray in
      let nearest = Suggestion.nearest(to: stray, among: names).map { "Did you mean \(prefix)\($0)?" }
      return "Unknown variable \(prefix)\(stray). \(nearest ?? "It has no effect.")"
    }
  }

  /// Reports all errors. Settings with invalid values take their defaults. `warn` receives errors that do not prevent
  /// commands from running.
  /// - Throws: ``CommandError`` with exit 78 if a setting that determines where data is stored or sent is invalid.
  public func check(warn: (String) -> Void = { _ in }) throws(CommandError) {
    let findings = findings
    for finding in findings where !finding.isFatal { warn("Warning: \(finding.error.sentence)") }
    if let error = Self.combined(findings.filter(\.isFatal).map(\.error)) { throw error }
  }

  /// Checks all settings.
  /// - Throws: ``CommandError`` with exit 78 that lists all errors, even those that do not prevent commands from
  ///   running.
  public func checkAll() throws(CommandError) {
    if let error = Self.combined(problems) { throw error }
  }

  private static func combined(_ errors: [CommandError]) -> CommandError? {
    errors.count < 2
      ? errors.first : CommandError(errors.map(\.sentence).joined(separator: "\n"), exit: .configuration)
  }

  private func variable(_ spec: SettingSpec) -> String? {
    environment[spec.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the effective value of a setting, ignoring invalid values.
  public func resolved(_ spec: SettingSpec) -> Resolved {
    if !spec.isInRecordAlone, let text = variable(spec).flatMap({ usable($0, spec) }) {
      return Resolved(text: text, origin: .environment(spec.variable))
    }
    if let entry = file.entries[spec.key] {
      return Resolved(
        text: spec.kind == .path ? absolute(entry.value) : entry.value,
        origin: .file(path: file.path, line: entry.line))
    }
    if spec.owner == .user, let text = synced[spec.key].flatMap({ usable($0, spec) }) {
      return Resolved(text: text, origin: .synced)
    }
    return standard(spec)
  }

  /// Returns the effective value of a setting, or `nil` if it has neither a value nor a default.
  public func text(_ spec: SettingSpec) -> String? { resolved(spec).text }

  /// Returns a value if it is valid. ``problems`` and ``unusableSynced`` report invalid values.
  private func usable(_ text: String, _ spec: SettingSpec) -> String? { try? spec.canonical(text) }

  /// Keys of synced settings whose values are invalid in this version, probably because a newer version set them.
  public var unusableSynced: [String] {
    Setting.all.filter { spec in synced[spec.key].map { usable($0, spec) == nil } ?? false }.map(\.key)
  }

  private func standard(_ spec: SettingSpec) -> Resolved {
    switch spec {
    case Setting.hours:
      let locale = HourLocale(environment)
      return Resolved(
        text: locale.usesTwelveHours ? "12" : "24", origin: locale.variable.map { .locale($0) } ?? .standard)
    case Setting.store:
      return Resolved(text: StoreLocation.store(option: nil, environment: bare).path, origin: .standard)
    case Setting.hubData:
      return Resolved(text: StoreLocation.hub(option: nil, environment: bare).path, origin: .standard)
    default: return Resolved(text: spec.standard, origin: .standard)
    }
  }

  /// Environment without the variables for the store and hub folders.
  private var bare: [String: String] {
    environment.filter { $0.key != Setting.store.variable && $0.key != Setting.hubData.variable }
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("~/") ? "\(HomeFolder.path(in: environment))\(path.dropFirst())" : path
  }
}

extension Settings.Origin {
  /// Origin as text for messages, such as `default`, `synced`, `TRENDY_HOURS` or `/home/ada/.config/trendy/config:3`.
  public var words: String {
    switch self {
    case .standard: "default"
    case .locale(let variable): "locale of \(variable)"
    case .synced: "synced"
    case .file(let path, let line): "\(path):\(line)"
    case .environment(let name): name
    }
  }

  /// Kind of origin, as named in JSON.
  public var name: String {
    switch self {
    case .standard: "default"
    case .locale: "locale"
    case .synced: "synced"
    case .file: "file"
    case .environment: "environment"
    }
  }
}
