/// What a command is called, what it takes and what it is for: all that look-up, help, manual and completion need of it.
public struct CommandSpec: Hashable, Sendable {
  /// `["type", "prop", "add"]`.
  public let path: [String]
  public let arguments: [ArgumentSpec]
  /// A sentence.
  public let summary: String
  public let group: CommandGroup
  /// Command lines that do something sensible, without the program's name.
  public let examples: [String]
  /// Those of its own.
  public let options: [OptionSpec]
  /// Whether help leaves it out: it is for programs.
  public let isHidden: Bool
  /// The cells of a row of its `--plain`; empty where it has none.
  public let columns: [String]

  /// - Parameter words: as they are typed: `type prop add`.
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

  public var name: String { path.joined(separator: " ") }

  /// `--plain: id, start, end`; `nil` where it has no columns.
  var columnsLine: String? { columns.isEmpty ? nil : "--plain: \(columns.joined(separator: ", "))" }

  /// As a usage line shows what it takes: `<type> [<value>]`.
  public var argumentsUsage: String { arguments.map(\.usage).joined(separator: " ") }
}

/// Commands that a person looks for together.
public struct CommandGroup: Hashable, Sendable {
  public let name: String
  public let summary: String

  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// What an argument or an option's value is, so that a shell can offer what there is.
public enum ValueKind: Hashable, Sendable {
  case eventType
  /// The key of a property, of any type.
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
  /// The key of a setting.
  case setting
  /// A value of the setting that is named before.
  case settingValue
  /// One of these words.
  case oneOf([String])
}

/// One of what follows the words of a command.
public struct ArgumentSpec: Hashable, Sendable {
  public enum Count: Hashable, Sendable {
    case one
    case optional
    case oneOrMore
    case any
  }

  /// What stands for it in the help.
  public let label: String
  public let kind: ValueKind
  public let count: Count
  /// What is said to be missing: `the id`.
  public let meaning: String

  public static func one(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .one, meaning: meaning)
  }

  public static func optional(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .optional, meaning: label)
  }

  public static func oneOrMore(_ label: String, _ kind: ValueKind, _ meaning: String) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .oneOrMore, meaning: meaning)
  }

  public static func any(_ label: String, _ kind: ValueKind) -> ArgumentSpec {
    ArgumentSpec(label: label, kind: kind, count: .any, meaning: label)
  }

  /// A word that may stand there, and means nothing else.
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
  /// - Throws: ``CommandError`` with exit 64 where there are fewer or more arguments than the command takes.
  func check(_ positionals: [String], usage: String) throws(CommandError) {
    let needed = arguments.filter { $0.count == .one || $0.count == .oneOrMore }
    if positionals.count < needed.count {
      throw CommandError("Missing \(needed[positionals.count].meaning)", usage: usage, exit: .usage)
    }
    let isEndless = arguments.contains { $0.count == .oneOrMore || $0.count == .any }
    guard isEndless || positionals.count <= arguments.count else {
      let word = positionals[arguments.count]
      throw CommandError(
        "Unexpected '\(word)'", hint: optionFor(word).map { "Perhaps: \($0)" }, usage: usage, exit: .usage)
    }
  }

  /// The option that a value without one may belong to: `--limit 3`, `--until 2026-11-20`, `--type coffee`, `--name Bob`.
  private func optionFor(_ word: String) -> String? {
    let kinds: [ValueKind] =
      if Double(word) != nil { [.number] } else if word.first?.isASCIIDigit == true {
        [.time, .duration]
      } else { [.eventType, .text] }
    return options.first { $0.kind.map(kinds.contains) ?? false }.map { "\($0.key) \(ShellWords.quoted(word))" }
  }

  /// What can stand at a place among the arguments: one that may be left out, and what follows it.
  func arguments(at place: Int) -> [ArgumentSpec] {
    guard place < arguments.count else {
      return arguments.suffix(1).filter { $0.count == .oneOrMore || $0.count == .any }
    }
    let rest = arguments[place...]
    let needed = rest.firstIndex { $0.count == .one || $0.count == .oneOrMore } ?? arguments.count - 1
    return Array(arguments[place...needed])
  }
}
