/// Completion candidate.
public struct Candidate: Hashable, Sendable {
  /// Text that replaces the incomplete word.
  public var text: String
  /// Short description shown next to the candidate, which may be empty.
  public var meaning: String

  public init(_ text: String, _ meaning: String = "") {
    self.text = text
    self.meaning = meaning
  }
}

/// Source of existing values for completion, such as event types and places.
public protocol CompletionValues {
  /// Returns the existing values of a kind. `arguments` precede the value, such as the event type if one of its
  /// properties is being completed.
  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate]
}

extension CommandTable {
  /// Returns the completion candidates for the last word: subcommands, options not given yet, and values.
  ///
  /// `words` does not include the program's name. Its last word is incomplete and may be empty.
  public func candidates(for words: [String], values: some CompletionValues) -> [Candidate] {
    guard let typed = words.last else { return [] }
    let line = CompletionLine(words.dropLast(), of: self)
    if !line.isPastOptions, let equals = typed.firstIndex(of: "="), typed.hasPrefix("--") {
      // The word is `--option=value`.
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

  /// Returns the candidates that start with the typed text, ignoring case. File names are left for the shell to filter.
  private func found(_ candidates: [Candidate], for typed: Substring) -> [Candidate] {
    let wanted = typed.lowercased()
    return candidates.filter { $0 == .files || $0.text.lowercased().hasPrefix(wanted) }
  }

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

/// Parsed words before the word to be completed.
private struct CompletionLine {
  /// Command whose path is the longest prefix of the words, if any.
  let command: CommandSpec?
  let options: [OptionSpec]
  private(set) var given: Set<String> = []
  /// The command's path and its arguments: words that are not options or their values.
  let commandWords: [String]
  /// Arguments: words after the command's path that are not options or their values.
  let positionals: [String]
  /// Kind of value that the last option still needs, or `nil` if it needs none.
  private(set) var awaitedValue: ValueKind?
  /// Whether the words contain `--`, after which all words are arguments.
  private(set) var isPastOptions = false

  init(_ words: some Collection<String>, of table: CommandTable) {
    // To find the command, option values must be skipped, but which options take values depends on the command. The
    // first pass therefore uses only the global options, which is enough.
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

/// Completion source for a program that completes only commands, options and file names.
public struct NoValues: CompletionValues, Sendable {
  public init() {}

  public func values(of kind: ValueKind, after arguments: [String]) -> [Candidate] {
    kind == .file || kind == .folder ? [.files] : []
  }
}

extension Candidate {
  /// Placeholder that makes the shell complete file names.
  public static let files = Candidate(":files")
}
