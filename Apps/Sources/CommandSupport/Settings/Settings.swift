import TrendyFoundation

/// The values of all settings, and where each comes from.
///
/// What the command line says counts before the environment, that before the file, that before what the person synced, that before
/// the default.
public struct Settings: Sendable {
  public enum Origin: Hashable, Sendable {
    case standard
    /// Of the locale that a variable names.
    case locale(String)
    /// From the person's record.
    case synced
    case file(path: String, line: Int)
    case environment(String)
  }

  public struct Resolved: Hashable, Sendable {
    /// `nil` where nothing is set and there is no default.
    public let text: String?
    public let origin: Origin

    public init(text: String?, origin: Origin) {
      self.text = text
      self.origin = origin
    }
  }

  public let file: ConfigurationFile
  let environment: [String: String]
  /// Values of the person's settings by their keys, as the record has them.
  public var synced: [String: String] = [:]

  public init(environment: [String: String]) {
    self.init(file: ConfigurationFile(environment: environment), environment: environment)
  }

  init(file: ConfigurationFile, environment: [String: String]) {
    self.file = file
    self.environment = environment
  }

  /// All that is wrong in the file, then in the environment.
  public var problems: [CommandError] {
    var problems = file.problems
    for spec in Setting.all {
      guard let text = variable(spec) else { continue }
      do throws(CommandError) {
        if let refusal = spec.refusalElsewhere { throw refusal }
        _ = try spec.canonical(text)
      } catch {
        problems.append(CommandError("\(spec.variable): \(error.message)", hint: error.hint, exit: .configuration))
      }
    }
    return problems
  }

  /// Variables that look like those of settings and are none, such as one that is misspelt: a sentence of each.
  public var strayVariables: [String] {
    let prefix = SettingSpec.variablePrefix
    let names = Setting.all.map { String($0.variable.dropFirst(prefix.count)) }
    // `TRENDY_HOOK` tells a hook which one it is.
    let strays = environment.filter { $0.key.hasPrefix(prefix) && !$0.value.isEmpty && $0.key != "\(prefix)HOOK" }
      .keys.map { String($0.dropFirst(prefix.count)) }.filter { !names.contains($0) }
    return strays.sorted().map { stray in
      let nearest = Suggestion.nearest(to: stray, among: names).map { "Did you mean \(prefix)\($0)?" }
      return "\(prefix)\(stray) is the variable of no setting. \(nearest ?? "It has no effect.")"
    }
  }

  /// - Throws: ``CommandError`` with exit 78 for the first value that cannot be used.
  public func check() throws(CommandError) {
    if let problem = problems.first { throw problem }
  }

  /// A variable that is empty counts as one that is not there.
  private func variable(_ spec: SettingSpec) -> String? {
    environment[spec.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value of a setting. Where something is wrong with one, what would count without it.
  public func resolved(_ spec: SettingSpec) -> Resolved {
    if !spec.isInRecordAlone, let text = variable(spec).flatMap({ usable($0, spec) }) {
      return Resolved(text: text, origin: .environment(spec.variable))
    }
    if let entry = file.entries[spec.key] {
      return Resolved(
        text: spec.kind == .path ? absolute(entry.value) : entry.value,
        origin: .file(path: file.path, line: entry.line))
    }
    if spec.owner == .person, let text = synced[spec.key].flatMap({ usable($0, spec) }) {
      return Resolved(text: text, origin: .synced)
    }
    return standard(spec)
  }

  public func text(_ spec: SettingSpec) -> String? { resolved(spec).text }

  /// A value that cannot be used is told by ``problems``, or by ``unusableSynced``.
  private func usable(_ text: String, _ spec: SettingSpec) -> String? { try? spec.canonical(text) }

  /// Keys whose synced value this version cannot use, as a newer one may have set it.
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

  /// The environment without what names the folders.
  private var bare: [String: String] {
    environment.filter { $0.key != Setting.store.variable && $0.key != Setting.hubData.variable }
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("~/") ? "\(HomeFolder.path(in: environment))\(path.dropFirst())" : path
  }
}

extension Settings.Origin {
  /// The place for people: `default`, `synced`, `TRENDY_HOURS`, `/home/ada/.config/trendy/config:3`.
  public var words: String {
    switch self {
    case .standard: "default"
    case .locale(let variable): "locale of \(variable)"
    case .synced: "synced"
    case .file(let path, let line): "\(path):\(line)"
    case .environment(let name): name
    }
  }

  /// The kind of place for scripts.
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
