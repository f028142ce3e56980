/// An option of a command: a flag, or an option with a value.
public struct OptionSpec: Hashable, Sendable {
  /// Names with their dashes, the long one first.
  public let names: [String]
  /// Placeholder of the value in help; `nil` for a flag.
  public let value: String?
  /// Kind of the value; `nil` for a flag.
  public let kind: ValueKind?
  /// Treatment of repeated use.
  public let repetition: Repetition
  public let help: String

  /// How a command treats an option that is given more than once.
  public enum Repetition: Hashable, Sendable {
    /// Two different values are an error.
    case refused
    /// The last value counts, so that options can be added to a shell alias.
    case lastCounts
    /// The command uses all values.
    case allCount
  }

  /// Creates a flag.
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

  /// First name, which identifies the option.
  public var key: String { names[0] }

  /// Formats options in two columns: names and help.
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

/// Parsed arguments and options of a command line.
public struct Arguments: Hashable, Sendable {
  /// Arguments that are neither options nor their values, in order.
  public private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  /// Parses words by the declared options. All words after `--` are positional.
  /// - Throws: ``CommandError`` with exit 64 for an unknown option, a missing value, or a value given to a flag.
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
        // `-noat` is `-n oat`, as in other programs.
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
        throw CommandError("Option '\(name)' was given twice: '\(before)' and '\(value)'", usage: usage, exit: .usage)
      }
      values[spec.key, default: []].append(value)
    }
  }

  /// Whether an option was given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// Value of an option; the last one if it was given several times.
  public func value(_ name: String) -> String? { values[name]?.last }

  /// All values of an option, in order.
  public func all(_ name: String) -> [String] { values[name] ?? [] }

  /// `-5`, `-20m` and `-122.4,37.7` are values, not options.
  private static func isNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
  }
}
