/// Something that can stand next on a command line.
public struct Candidate: Hashable, Sendable {
  /// As it is typed.
  public var text: String
  /// What it is, in a few words.
  public var meaning: String

  public init(_ text: String, _ meaning: String = "") {
    self.text = text
    self.meaning = meaning
  }
}

/// What the program knows of the values that there are.
public protocol CompletionValues {
  /// - Parameters:
  ///   - kind: what is meant.
  ///   - arguments: those before it, such as the type whose properties are asked for.
  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate]
}

extension CommandTable {
  /// Candidates for the next word: words of commands, options that were not given yet, the values that there are.
  /// - Parameters:
  ///   - words: those of the command line so far, without the program's name; the last is being typed, and may be empty.
  ///   - values: knows the values that there are.
  public func candidates(for words: [String], values: some CompletionValues) -> [Candidate] {
    guard let typed = words.last else { return [] }
    let line = CompletionLine(words.dropLast(), of: self)
    if !line.isPastOptions, let equals = typed.firstIndex(of: "="), typed.hasPrefix("--") {
      // The value stands in the option's own word.
      let name = typed[..<equals]
      guard let kind = line.options.first(where: { $0.names.contains(String(name)) })?.kind else { return [] }
      let value = typed[typed.index(after: equals)...]
      return found(self.values(of: kind, after: line.positionals, values), for: value).map {
        $0 == .files ? $0 : Candidate("\(name)=\($0.text)", $0.meaning)
      }
    }
    let possible: [Candidate]
    if let kind = line.awaitedValue {
      possible = self.values(of: kind, after: line.positionals, values)
    } else if typed.hasPrefix("-"), !line.isPastOptions {
      possible = line.options.filter { !line.given.contains($0.key) || $0.repetition == .allCount }
        .map { Candidate($0.key, $0.help) }
    } else {
      possible =
        (line.isPastOptions ? [] : nextWords(after: line.commandWords))
        + (line.command?.arguments(at: line.positionals.count) ?? []).flatMap {
          self.values(of: $0.kind, after: line.positionals, values)
        }
    }
    return found(possible, for: typed[...])
  }

  /// Those that begin as typed, whatever the case. The shell itself looks for the names of files.
  private func found(_ candidates: [Candidate], for typed: Substring) -> [Candidate] {
    let wanted = typed.lowercased()
    return candidates.filter { $0 == .files || $0.text.lowercased().hasPrefix(wanted) }
  }

  /// The next words of commands that begin so.
  private func nextWords(after words: [String]) -> [Candidate] {
    var found: [Candidate] = []
    for (_, commands) in groups {
      for command in commands where command.path.count > words.count && command.path.starts(with: words) {
        let word = command.path[words.count]
        if found.contains(where: { $0.text == word }) { continue }
        found.append(Candidate(word, command.path.count == words.count + 1 ? command.summary : ""))
      }
    }
    return found
  }

  private func values(
    of kind: ValueKind, after arguments: [String], _ values: some CompletionValues
  ) -> [Candidate] {
    switch kind {
    case .oneOf(let words): words.map { Candidate($0) }
    case .command: nextWords(after: arguments)
    default: values.values(of: kind, after: arguments)
    }
  }
}

/// The words before the one that is being typed, told apart.
private struct CompletionLine {
  /// The command with the longest path that the words name, if any.
  let command: CommandSpec?
  /// Options that may stand on the line.
  let options: [OptionSpec]
  /// The keys of those that do.
  private(set) var given: Set<String> = []
  /// All words but options, and so a command's path and its arguments.
  let commandWords: [String]
  /// The command's arguments.
  let positionals: [String]
  /// What the next word has to be for the option before it.
  private(set) var awaitedValue: ValueKind?
  /// Whether a `--` was read: no options follow it.
  private(set) var isPastOptions = false

  init(_ words: some Collection<String>, of table: CommandTable) {
    // Which options take a value depends on the command, and where the command stands on which options do: all of the table's
    // options tell its name, its own tell the rest.
    let named = Self.read(words, options: table.globalOptions).others
    let command = table.commands.filter { named.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
    options = (command?.options ?? []) + table.globalOptions
    let line = Self.read(words, options: options)
    self.command = command
    commandWords = line.others
    positionals = Array(line.others.dropFirst(command?.path.count ?? 0))
    (given, awaitedValue, isPastOptions) = (line.given, line.awaited, line.isPastOptions)
  }

  private static func read(
    _ words: some Collection<String>, options: [OptionSpec]
  ) -> (others: [String], given: Set<String>, awaited: ValueKind?, isPastOptions: Bool) {
    var (others, given) = ([String](), Set<String>())
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" { return (others + rest, given, nil, true) }
      guard word.hasPrefix("-") else {
        others.append(word)
        continue
      }
      let name = word.prefix { $0 != "=" }
      guard let option = options.first(where: { $0.names.contains(String(name)) }) else { continue }
      given.insert(option.key)
      if let kind = option.kind, name.count == word.count, rest.popFirst() == nil {
        return (others, given, kind, false)
      }
    }
    return (others, given, nil, false)
  }
}

/// Of a program that knows no values of its own: words, options and files are offered.
public struct NoValues: CompletionValues, Sendable {
  public init() {}

  public func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
    kind == .file || kind == .folder ? [.files] : []
  }
}

extension Candidate {
  /// Stands for the names of files, which the shell itself knows best.
  public static let files = Candidate(":files")
}
