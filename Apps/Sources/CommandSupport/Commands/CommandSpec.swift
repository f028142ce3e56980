/// Declaration of a command, from which lookup, help, manual page and completions are made.
public struct CommandSpec: Hashable, Sendable {
  /// `["type", "prop", "add"]`.
  public let path: [String]
  public let arguments: [ArgumentSpec]
  /// A sentence for help.
  public let summary: String
  public let group: CommandGroup
  /// Working command lines, without the program's name.
  public let examples: [String]
  /// Options of this command, without the global ones.
  public let options: [OptionSpec]
  /// Whether help omits the command because only programs call it.
  public let isHidden: Bool
  /// Columns of its `--plain` output; empty if it has none.
  public let columns: [String]

  /// Declares a command.
  /// - Parameters:
  ///   - words: the command as typed: `type prop add`.
  ///   - arguments: its arguments, in order.
  ///   - summary: a sentence for help.
  ///   - group: group in the overview of help.
  ///   - examples: working command lines, without the program's name.
  ///   - options: options without the global ones.
  ///   - isHidden: whether help omits the command.
  ///   - columns: columns of its `--plain` output; empty if it has none.
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

  /// Words of the path, separated by spaces: `type prop add`.
  public var name: String { path.joined(separator: " ") }

  /// `--plain: id, start, end`; `nil` without columns.
  var columnsLine: String? { columns.isEmpty ? nil : "--plain: \(columns.joined(separator: ", "))" }

  /// Arguments in a usage line: `<type> [<value>]`.
  public var argumentsUsage: String { arguments.map(\.usage).joined(separator: " ") }
}

/// Group of related commands in help.
public struct CommandGroup: Hashable, Sendable {
  public let name: String
  public let summary: String

  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// Kind of an argument or an option's value, for completion.
public enum ValueKind: Hashable, Sendable {
  case eventType
  /// Property key of any event type.
  case propertyKey
  /// `key=value`.
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
  /// Value of the setting named by the argument before.
  case settingValue
  /// One of these words.
  case oneOf([String])
}

/// Argument of a command.
public struct ArgumentSpec: Hashable, Sendable {
  /// How many values the argument takes.
  public enum Count: Hashable, Sendable {
    case one
    case optional
    case oneOrMore
    case any
  }

  /// Placeholder in help.
  public let label: String
  public let kind: ValueKind
  public let count: Count
  /// Name in the error for a missing argument: `id`.
  public let meaning: String

  /// Required argument with one value.
  public static func one(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .one, meaning: meaning)
  }

  /// Optional argument with one value.
  public static func optional(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .optional, meaning: label)
  }

  /// Required argument with any number of values.
  public static func oneOrMore(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .oneOrMore, meaning: meaning)
  }

  /// Optional argument with any number of values.
  public static func any(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .any, meaning: label)
  }

  /// Optional keyword without effect, such as `now` in `sync now`.
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
  /// Checks the number of arguments.
  /// - Throws: ``CommandError`` with exit 64 if arguments are missing or left over.
  func check(_ positionals: [String], usage: String) throws(CommandError) {
    let needed = arguments.filter { $0.count == .one || $0.count == .oneOrMore }
    if positionals.count < needed.count {
      let missing = needed[positionals.count]
      let hint: String? =
        if case .oneOf(let words) = missing.kind { "Use \(words.joined(separator: ", "))." } else { nil }
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

  /// The option that a stray value may belong to: `--limit 3`, `--until 2026-11-20`, `--type coffee`, `--name Bob`.
  private func optionFor(_ word: String) -> String? {
    let kinds: [ValueKind] =
      if Double(word) != nil { [.number] } else if word.first?.isASCIIDigit == true {
        [.time, .duration]
      } else { [.eventType, .text] }
    return options.first { $0.kind.map(kinds.contains) ?? false }.map { "\($0.key) \(ShellWords.quoted(word))" }
  }

  /// Arguments that can occur at an index: optional ones, and the first required one after them.
  func arguments(at index: Int) -> [ArgumentSpec] {
    guard index < arguments.count else {
      return arguments.suffix(1).filter { $0.count == .oneOrMore || $0.count == .any }
    }
    let rest = arguments[index...]
    let needed = rest.firstIndex { $0.count == .one || $0.count == .oneOrMore } ?? arguments.count - 1
    return Array(arguments[index...needed])
  }
}
