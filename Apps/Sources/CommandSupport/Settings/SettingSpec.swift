/// Declaration of a setting: its key, kind of value and owner.
public struct SettingSpec: Hashable, Sendable {
  /// Whether a setting belongs to the user or to a machine.
  public enum Owner: String, Hashable, Sendable {
    /// User setting, stored in the record and synced to all devices.
    case user
    /// Setting of this machine, which is not synced.
    case machine
  }

  /// Kind of value.
  public enum Kind: Hashable, Sendable {
    case oneOf([String])
    /// Time of day, such as `04:00`.
    case clock
    case number(ClosedRange<Int>)
    /// Duration, such as `1m`, within a range of seconds.
    case duration(ClosedRange<Double>)
    /// Path of a file or folder. In the configuration file, it must be absolute or start with `~/`.
    case path
    /// Network address in the form `address:port`.
    case endpoint
    case text
    /// List of values separated by spaces.
    case list
  }

  /// Key in the configuration file, such as `day_starts_at`.
  public let key: String
  /// Environment variable, such as `TRENDY_DAY_STARTS_AT`.
  public let variable: String
  static let variablePrefix = "TRENDY_"
  public let kind: Kind
  public let owner: Owner
  /// Whether the setting can be stored only in the record, not in the configuration file or the environment.
  public let isInRecordAlone: Bool
  /// Default value, or `nil` if there is none, or if it depends on the machine.
  public let standard: String?
  public let help: String

  init(
    _ key: String, _ kind: Kind, of owner: Owner = .machine, isInRecordAlone: Bool = false, standard: String? = nil,
    help: String
  ) {
    self.key = key
    // Computed once, because each command reads all settings several times. `replacing` would be too slow.
    variable = Self.variablePrefix + String(key.uppercased().map { $0 == "." ? "_" : $0 })
    self.kind = kind
    self.owner = owner
    self.isInRecordAlone = isInRecordAlone
    self.standard = standard
    self.help = help
  }
}

extension SettingSpec {
  /// Validates a value and returns it in canonical form: keywords in lower case, times with four digits.
  /// - Throws: ``CommandError`` with exit 64. Its hint describes the valid values.
  public func canonical(_ text: String) throws(CommandError) -> String {
    guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw invalid(text)
    }
    switch kind {
    case .oneOf(let words):
      guard words.contains(text.lowercased()) else {
        let near = Suggestion.nearest(to: text, among: words)
        throw invalid(text, near.map { "Did you mean '\($0)'? " } ?? "")
      }
      return text.lowercased()
    case .clock:
      guard let seconds = DayClock.seconds(text) else { throw invalid(text) }
      return DayClock.text(seconds)
    case .number(let range):
      guard let number = Int(text), range.contains(number) else { throw invalid(text) }
      return "\(number)"
    case .duration(let range):
      guard let seconds = DurationPhrase.seconds(text), range.contains(seconds) else { throw invalid(text) }
    case .endpoint:
      guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
        UInt16(text[text.index(after: colon)...]) != nil
      else { throw invalid(text) }
    case .path, .text, .list: break
    }
    return text
  }

  /// Error if this setting is set for a single machine, or `nil` if that is allowed.
  var refusalElsewhere: CommandError? {
    guard isInRecordAlone else { return nil }
    return CommandError(
      "'\(key)' is a synced setting and cannot be set for one machine",
      hint: "Remove it from the configuration of this machine and run: trendy config set \(key) \(standard ?? "VALUE")",
      exit: .usage)
  }

  /// Validates a value for the configuration file, where paths must not depend on the working directory, and returns it
  /// in canonical form.
  /// - Throws: ``CommandError`` with exit 64. Its hint describes the valid values.
  public func valueForFile(_ text: String) throws(CommandError) -> String {
    let value = try canonical(text)
    if kind == .path, !value.hasPrefix("/"), !value.hasPrefix("~/") { throw invalid(text) }
    return value
  }

  private func invalid(_ text: String, _ near: String = "") -> CommandError {
    CommandError("The value '\(text)' is invalid for '\(key)'", hint: near + expectation, exit: .usage)
  }

  /// Hint that describes the valid values.
  public var expectation: String {
    switch kind {
    case .oneOf(let words):
      words.count == 2 ? "Use \(words[0]) or \(words[1])." : "Use one of \(words.joined(separator: ", "))."
    case .clock: "Use a time of day from 00:00 to 23:59."
    case .number(let range) where range.upperBound == .max: "Use a whole number of at least \(range.lowerBound)."
    case .number(let range): "Use a whole number from \(range.lowerBound) to \(range.upperBound)."
    case .duration(let range):
      "Use a duration from \(DurationPhrase.words(range.lowerBound)) to \(DurationPhrase.words(range.upperBound))."
    case .path: "Use a path that starts with / or ~/."
    case .endpoint: "Use an address such as 127.0.0.1:8787."
    case .text: "Use a value that is not empty."
    case .list: "Use one or more values, separated by spaces."
    }
  }

  /// Fixed values that completion offers, or an empty array for other kinds of values.
  public var words: [String] { if case .oneOf(let words) = kind { words } else { [] } }
}

enum DayClock {
  /// Parses `4:00` or `04:00`. Returns `nil` if the text is invalid.
  static func seconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 3600 + minute * 60
  }

  static func text(_ seconds: Int) -> String {
    func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(digits(seconds / 3600)):\(digits(seconds / 60 % 60))"
  }
}
