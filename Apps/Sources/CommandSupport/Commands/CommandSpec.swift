/// Declaration of a command, used to parse it and to generate its help, manual page and completions.
public struct CommandSpec: Hashable, Sendable {
  /// Words that select the command: `["type", "prop", "add"]`.
  public let path: [String]
  public let arguments: [ArgumentSpec]
  /// One-sentence description for help.
  public let summary: String
  public let group: CommandGroup
  /// Example command lines without the program's name.
  public let examples: [String]
  /// Options for this command, excluding the global options.
  public let options: [OptionSpec]
  /// Whether help omits the command, because only other programs call it.
  public let isHidden: Bool
  /// Columns of the `--plain` output, or an empty array if the command has none.
  public let columns: [String]

  /// Declares a command. `words` is the command as typed: `type prop add`.
  public init(
    _ words: String, _ arguments: ArgumentSpec..., summary: String, group: CommandGroup, examples: [String],
    options: [OptionSpec] = [], isHidden: Bool = false, columns: [String] = []
  ) {
    path = words.split(separator: " ").map(String.init)
    self.arguments = arguments
    self.summary = summary
    self.group = group
    self.examples = examples
    self.options = options
    self.isHidden = isHidden
    self.columns = columns
  }

  /// The command as typed: `type prop add`.
  public var name: String { path.joined(separator: " ") }

  /// Description of the `--plain` output, as in `--plain: id, start, end`, or `nil` if the command has no columns.
  var columnsLine: String? { columns.isEmpty ? nil : "--plain: \(columns.joined(separator: ", "))" }

  /// Arguments as shown in the usage line: `<type> [<value>]`.
  public var argumentsUsage: String { arguments.map(\.usage).joined(separator: " ") }
}

/// Group of related commands in the help overview.
public struct CommandGroup: Hashable, Sendable {
  public let name: String
  public let summary: String

  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// Kind of value of an argument or option, which determines the completion candidates.
public enum ValueKind: Hashable, Sendable {
  case eventType
  /// Key of a property of any event type.
  case propertyKey
  /// Property with its value: `key=value`.
  case property
  case place
  case vehicle
  case rule
  case event
  case trip
  case conflict
  case device
  case time
  case duration
  case goal
  case month
  case number
  case text
  case file
  case folder
  case command
  /// Key of a setting.
  case setting
  /// Value for the setting named by the preceding argument.
  case settingValue
  /// One of a fixed list of words.
  case oneOf([String])
}

/// Positional argument of a command.
public struct ArgumentSpec: Hashable, Sendable {
  /// Number of values that an argument accepts.
  public enum Count: Hashable, Sendable {
    case one
    case optional
    case oneOrMore
    case any
  }

  /// Placeholder in the usage line.
  public let label: String
  public let kind: ValueKind
  public let count: Count
  /// Noun for the error message if the argument is missing, as in `Missing id`.
  public let meaning: String

  /// Creates a required argument with one value.
  public static func one(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .one, meaning: meaning)
  }

  /// Creates an optional argument with one value.
  public static func optional(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .optional, meaning: label)
  }

  /// Creates an argument with one or more values.
  public static func oneOrMore(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .oneOrMore, meaning: meaning)
  }

  /// Creates an argument with zero or more values.
  public static func any(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .any, meaning: label)
  }

  /// Creates an optional keyword that has no effect, such as `now` in `sync now`.
  public static func word(_ word: String) -> ArgumentSpec {
    ArgumentSpec(label: word, kind: .oneOf([word]), count: .optional, meaning: word)
  }

  var usage: String {
    let isWord = kind == .oneOf([label])
    return switch count {
    case .one: "<\(label)>"
    case .optional: isWord ? "[\(label)]" : "[<\(label)>]"
    case .oneOrMore: "<\(label)> ..."
    case .any: "[<\(label)> ...]"
    }
  }
}

extension CommandSpec {
  /// Checks the number of positional arguments.
  /// - Throws: ``CommandError`` with exit 64 if an argument is missing or superfluous.
  func check(_ positionals: [String], usage: String) throws(CommandError) {
    let needed = arguments.filter { $0.count == .one || $0.count == .oneOrMore }
    if positionals.count < needed.count {
      let missing = needed[positionals.count]
      let hint: String? =
        if case .oneOf(let words) = missing.kind { "Use one of \(words.joined(separator: ", "))." } else { nil }
      throw CommandError("Missing \(missing.meaning)", hint: hint, usage: usage, exit: .usage)
    }
    let isEndless = arguments.contains { $0.count == .oneOrMore || $0.count == .any }
    guard isEndless || positionals.count <= arguments.count else {
      let word = positionals[arguments.count]
      throw CommandError(
        "Unexpected argument '\(word)'", hint: optionFor(word).map { "Did you mean \($0)?" }, usage: usage, exit: .usage
      )
    }
  }

  /// Returns the option that an unexpected argument was probably meant for, as in `--limit 3` or `--name Bob`.
  private func optionFor(_ word: String) -> String? {
    let kinds: [ValueKind] =
      if Double(word) != nil { [.number] } else if word.first?.isASCIIDigit == true {
        [.time, .duration]
      } else { [.eventType, .text] }
    return options.first { $0.kind.map(kinds.contains) ?? false }.map { "\($0.key) \(ShellWords.quoted(word))" }
  }

  /// Returns the arguments that the value at an index may belong to: optional arguments from that index on, and the
  /// next required one.
  func arguments(at index: Int) -> [ArgumentSpec] {
    guard index < arguments.count else {
      return arguments.suffix(1).filter { $0.count == .oneOrMore || $0.count == .any }
    }
    let rest = arguments[index...]
    let needed = rest.firstIndex { $0.count == .one || $0.count == .oneOrMore } ?? arguments.count - 1
    return Array(arguments[index...needed])
  }
}
