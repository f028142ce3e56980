/// One option of a command: a flag, or one that takes a value.
public struct OptionSpec: Hashable, Sendable {
  /// With their dashes, the long one first.
  public let names: [String]
  /// What stands for the value in the help; `nil` for a flag.
  public let value: String?
  /// What the value is; `nil` for a flag.
  public let kind: ValueKind?
  public let repetition: Repetition
  public let help: String

  /// What a command line may do with an option that takes a value: give it once, or several times.
  public enum Repetition: Hashable, Sendable {
    /// Two different values are refused, as the command could use only one of them.
    case refused
    /// The last value counts, so that a command line can overrule the alias that it begins with.
    case lastCounts
    /// The command uses all values.
    case allCount
  }

  /// A flag.
  public init(_ names: String..., help: String) {
    self.names = names
    value = nil
    kind = nil
    repetition = .lastCounts
    self.help = help
  }

  /// One that takes a value.
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
    self.help = repetition == .allCount ? help + "; may be given again" : help
  }

  public var key: String { names[0] }

  /// The options of a help text, a line each, what they are for in one column.
  public static func table(of options: [OptionSpec]) -> [String] {
    let labels = options.map { option in
      option.names.reversed().joined(separator: ", ") + (option.value.map { " <\($0)>" } ?? "")
    }
    let width = labels.map(\.count).max() ?? 0
    return zip(labels, options).map { label, option in
      "  \(label)\(String(repeating: " ", count: width - label.count + 2))\(option.help)"
    }
  }
}

/// A command line taken apart by the options that it may have.
public struct Arguments: Hashable, Sendable {
  public private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  /// - Throws: ``CommandError`` with exit 64 for an option that is unknown, lacks its value or has one it does not take.
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
        // `-noat`, as other programs take it.
        (name, inline) = (String(word.prefix(2)), String(word.dropFirst(2)))
      }
      guard let spec = specs[name] else {
        let near = Suggestion.nearest(to: name, among: specs.keys.filter { $0.hasPrefix("--") })
        throw CommandError(
          "Unknown option '\(name)'", hint: near.map { "Did you mean '\($0)'?" }, usage: usage, exit: .usage)
      }
      guard spec.value != nil else {
        if inline != nil { throw CommandError("'\(name)' takes no value", usage: usage, exit: .usage) }
        values[spec.key, default: []].append("")
        continue
      }
      guard let value = inline ?? rest.popFirst() else {
        throw CommandError("Missing value for '\(name) <\(spec.value ?? "")>'", usage: usage, exit: .usage)
      }
      if spec.repetition == .refused, let before = values[spec.key]?.last, before != value {
        throw CommandError("'\(name)' is given twice: '\(before)' and '\(value)'", usage: usage, exit: .usage)
      }
      values[spec.key, default: []].append(value)
    }
  }

  public func has(_ name: String) -> Bool { values[name] != nil }

  /// The value, the last one where there may be more.
  public func value(_ name: String) -> String? { values[name]?.last }

  /// All values given, in order.
  public func all(_ name: String) -> [String] { values[name] ?? [] }

  /// `-5`, `-20m` and `-122.4,37.7` are values, not options.
  private static func isNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false
  }
}
