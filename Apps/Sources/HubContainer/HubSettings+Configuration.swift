public import CommandSupport

extension HubSettings {
  /// Returns these settings, overridden by the environment and the configuration file.
  /// - Throws: ``CommandError`` with exit 78 if a value is invalid. Its message names the source of the value.
  public func overridden(by settings: Settings) throws(CommandError) -> HubSettings {
    func words(_ spec: SettingSpec) -> [String]? {
      settings.text(spec)?.split { $0 == " " || $0 == "," }.map(String.init)
    }
    func checked(
      _ spec: SettingSpec, _ change: (inout HubSettings) throws(CommandError) -> Void, in result: inout HubSettings
    ) throws(CommandError) {
      do throws(CommandError) {
        try change(&result)
        try result.check()
      } catch {
        throw CommandError(
          "\(settings.resolved(spec).origin.words): \(error.message.replacing("'--\(spec.key)'", with: "'\(spec.key)'"))",
          hint: error.hint, exit: .configuration)
      }
    }
    var result = self
    if let text = settings.text(Setting.storage) { try checked(Setting.storage, { $0.storage = text }, in: &result) }
    if let text = settings.text(Setting.listen) { try checked(Setting.listen, { $0.listen = text }, in: &result) }
    if let hosts = words(Setting.host) { try checked(Setting.host, { $0.hosts = hosts }, in: &result) }
    if let proxies = words(Setting.proxy) { try checked(Setting.proxy, { $0.proxies = proxies }, in: &result) }
    if let text = settings.text(Setting.tiles) { try checked(Setting.tiles, { $0.tiles = text }, in: &result) }
    if let text = settings.text(Setting.tilesCredit) { result.tilesCredit = text }
    if let pairs = words(Setting.limit) {
      try checked(
        Setting.limit, { (settings) throws(CommandError) in try settings.take(limits: pairs) }, in: &result)
    }
    return result
  }

  /// Sets limits from words in the form `name=value`.
  /// - Throws: ``CommandError`` if a word has a different form.
  mutating func take(limits pairs: [String]) throws(CommandError) {
    for pair in pairs {
      guard let equals = pair.firstIndex(of: "=") else {
        throw Self.invalid("--limit", pair, "Use name=value, for example \(HTTPLimit.connections.rawValue)=400.")
      }
      limits[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
    }
  }
}
