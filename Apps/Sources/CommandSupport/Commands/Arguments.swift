/// Declaration of a command-line option, either a flag or an option that takes a value.
public struct OptionSpec: Hashable, Sendable {
  /// Spellings including the dashes, the long one first.
  public let names: [String]
  /// Placeholder for the value in help, such as `type`, or `nil` for a flag.
  public let value: String?
  /// Kind of value, used for completion, or `nil` for a flag.
  public let kind: ValueKind?
  /// How to treat an option that is given more than once.
  public let repetition: Repetition
  public let help: String

  /// How to treat an option that is given more than once.
  public enum Repetition: Hashable, Sendable {
    /// Reject the command line if the values differ.
    case refused
    /// Use the last value, so that an option can override the one in a shell alias.
    case lastCounts
    /// Use all values.
    case allCount
  }

  /// Creates a flag, which may be repeated.
  public init(_ names: String..., help: String) {
    self.names = names
    value = nil
    kind = nil
    repetition = .lastCounts
    self.help = help
  }

  /// Creates an option with a value.
  public init(
    _ names: String..., value: String, kind: ValueKind, repetition: Repetition = .refused, help: String
  ) {
    self.init(names, value: value, kind: kind, repetition: repetition, help: help)
  }

  public init(
    _ names: [String], value: String, kind: ValueKind, repetition: Repetition = .refused, help: String
  ) {
    self.names = names
    self.value = value
    self.kind = kind
    self.repetition = repetition
    self.help = repetition == .allCount ? help + "; repeatable" : help
  }

  /// First spelling, used as the option's identifier.
  public var key: String { names[0] }

  static func table(of options: [OptionSpec], width: Int) -> [String] {
    let rows = options.map { option in
      (
        label: option.names.reversed().joined(separator: ", ") + (option.value.map { " <\($0)>" } ?? ""),
        text: option.help
      )
    }
    return Terminal.columns(rows, width: width)
  }
}

/// Arguments and options of a parsed command line.
public struct Arguments: Hashable, Sendable {
  /// Words that are neither options nor values of options, in order.
  public private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  /// Parses the words of a command line. All words after `--` are positional.
  /// - Throws: ``CommandError`` with exit 64 for an unknown option, a missing value, a value for a flag, or different
  ///   values for an option that is not repeatable.
  public init(_ words: some Sequence<String>, options: [OptionSpec], usage: String) throws(CommandError) {
    var specs: [String: OptionSpec] = [:]
    for option in options { for name in option.names { specs[name] = option } }
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        positionals += rest
        return
      }
      guard word.hasPrefix("-"), word.count > 1, !Self.isNumber(word) else {
        positionals.append(word)
        continue
      }
      var name = word
      var inline: String?
      if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        name = String(word[..<equals])
        inline = String(word[word.index(after: equals)...])
      } else if !word.hasPrefix("--"), specs[String(word.prefix(2))]?.value != nil, word.count > 2 {
        // A short option may be followed directly by its value: `-noat` is `-n oat`.
        (name, inline) = (String(word.prefix(2)), String(word.dropFirst(2)))
      }
      guard let spec = specs[name] else {
        let near = Suggestion.nearest(to: name, among: specs.keys.filter { $0.hasPrefix("--") })
        throw CommandError(
          "Unknown option '\(name)'", hint: near.map { "Did you mean '\($0)'?" }, usage: usage, exit: .usage)
      }
      guard spec.value != nil else {
        if inline != nil { throw CommandError("Option '\(name)' takes no value", usage: usage, exit: .usage) }
        values[spec.key, default: []].append("")
        continue
      }
      guard let value = inline ?? rest.popFirst() else {
        throw CommandError("Missing value for '\(name) <\(spec.value ?? "")>'", usage: usage, exit: .usage)
      }
      if spec.repetition == .refused, let before = values[spec.key]?.last, before != value {
        throw CommandError(
          "Option '\(name)' was specified twice: '\(before)' and '\(value)'", usage: usage, exit: .usage)
      }
      values[spec.key, default: []].append(value)
    }
  }

  /// Whether the option was given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// Returns the value of an option, or the last value of a repeated option.
  public func value(_ name: String) -> String? { values[name]?.last }

  /// Returns all values of an option in command-line order.
  public func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Whether a word that starts with a hyphen is a value, such as `-5`, `-20m` or `-122.4,37.7`, rather than an option.
  private static func isNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
  }
}
