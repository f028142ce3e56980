/// A setting of the programs: its key, what it can be, whose it is.
public struct SettingSpec: Hashable, Sendable {
  /// Whose a setting is.
  public enum Owner: String, Hashable, Sendable {
    /// Kept in the person's record and synced: the same on all devices.
    case person
    /// Of this machine alone.
    case machine
  }

  /// What the value of a setting can be.
  public enum Kind: Hashable, Sendable {
    case oneOf([String])
    /// A time of the day: `04:00`.
    case clock
    case number(ClosedRange<Int>)
    /// Seconds of a duration such as `1m`.
    case duration(ClosedRange<Double>)
    /// Of a file or a folder; in the file it is absolute, or begins with `~/`.
    case path
    /// `address:port`.
    case endpoint
    case text
    /// Values with spaces between them.
    case list
  }

  /// As it is written in the file: `day_starts_at`.
  public let key: String
  /// The name in the environment: `TRENDY_DAY_STARTS_AT`.
  public let variable: String
  static let variablePrefix = "TRENDY_"
  public let kind: Kind
  public let owner: Owner
  /// A person's setting that no machine has a value of its own for: neither the file nor the environment gives one.
  public let isInRecordAlone: Bool
  /// Used where nothing is set; `nil` where that is no value, or depends on the machine.
  public let standard: String?
  public let help: String

  init(
    _ key: String, _ kind: Kind, of owner: Owner = .machine, isInRecordAlone: Bool = false, standard: String? = nil,
    help: String
  ) {
    self.key = key
    // Once: each command asks for all of them, several times. `replacing` alone takes longer than all else that a setting needs.
    variable = Self.variablePrefix + String(key.uppercased().map { $0 == "." ? "_" : $0 })
    self.kind = kind
    self.owner = owner
    self.isInRecordAlone = isInRecordAlone
    self.standard = standard
    self.help = help
  }
}

extension SettingSpec {
  /// The value as it is kept: a word in small letters, a time in four digits.
  /// - Throws: ``CommandError`` with exit 64 that says what the value can be.
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

  /// Why a machine gives it no value; `nil` where one may.
  var refusalElsewhere: CommandError? {
    guard isInRecordAlone else { return nil }
    return CommandError(
      "'\(key)' is the same on all your devices, and cannot be set for one machine",
      hint: "Take it out here, and say: trendy config set \(key) \(standard ?? "VALUE")", exit: .usage)
  }

  /// The value for the file, which does not depend on the folder where a program is started.
  /// - Throws: ``CommandError`` with exit 64.
  public func valueForFile(_ text: String) throws(CommandError) -> String {
    let value = try canonical(text)
    if kind == .path, !value.hasPrefix("/"), !value.hasPrefix("~/") { throw invalid(text) }
    return value
  }

  private func invalid(_ text: String, _ near: String = "") -> CommandError {
    CommandError("The value '\(text)' is invalid for '\(key)'", hint: near + expectation, exit: .usage)
  }

  /// What the value can be, as a sentence.
  public var expectation: String {
    switch kind {
    case .oneOf(let words):
      words.count == 2 ? "It is \(words[0]) or \(words[1])." : "It is one of \(words.joined(separator: ", "))."
    case .clock: "It is a time of the day from 00:00 to 23:59."
    case .number(let range) where range.upperBound == .max: "It is a number from \(range.lowerBound) up."
    case .number(let range): "It is a number from \(range.lowerBound) to \(range.upperBound)."
    case .duration(let range):
      "It is a duration from \(DurationPhrase.words(range.lowerBound)) to \(DurationPhrase.words(range.upperBound))."
    case .path: "It is the path of a file or folder, from / or ~/ on."
    case .endpoint: "It looks like 127.0.0.1:8787."
    case .text: "It is a word or more."
    case .list: "It is a value, or several with spaces between them."
    }
  }

  /// The values that there are, for a shell to offer.
  public var words: [String] { if case .oneOf(let words) = kind { words } else { [] } }
}

/// A time of the day in seconds after midnight.
enum DayClock {
  /// Of `4:00` or `04:00`.
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
