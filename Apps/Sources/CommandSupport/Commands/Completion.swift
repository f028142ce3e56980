/// A completion candidate.
public struct Candidate: Hashable, Sendable {
  /// Text to insert.
  public var text: String
  /// Short description.
  public var meaning: String

  public init(_ text: String, _ meaning: String = "") {
    self.text = text
    self.meaning = meaning
  }
}

/// Values that a program can offer for completion.
public protocol CompletionValues {
  /// Returns the existing values of a kind.
  /// - Parameters:
  ///   - kind: kind of the value.
  ///   - arguments: preceding arguments, such as the type whose properties are completed.
  func values(of kind: ValueKind, after arguments: [String]) -> [Candidate]
}

extension CommandTable {
  /// Returns candidates for the next word: commands, unused options, and values.
  /// - Parameters:
  ///   - words: words of the command line without the program's name; the last one is incomplete and may be empty.
  ///   - values: source of existing values.
  public func candidates(for words: [String], values: some CompletionValues) -> [Candidate] {
    guard let typed = words.last else { return [] }
    let line = CompletionLine(words.dropLast(), of: self)
    if !line.isPastOptions, let equals = typed.firstIndex(of: "="), typed.hasPrefix("--") {
      // `--option=value`.
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

  /// Returns candidates with the typed prefix, ignoring case. The shell completes file names.
  private func found(_ candidates: [Candidate], for typed: Substring) -> [Candidate] {
    let wanted = typed.lowercased()
    return candidates.filter { $0 == .files || $0.text.lowercased().hasPrefix(wanted) }
  }

  /// Returns the next words of commands that begin with these words.
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

/// Parsed words before the one to complete.
private struct CompletionLine {
  /// Command with the longest matching path, if any.
  let command: CommandSpec?
  /// Options of this command, including global ones.
  let options: [OptionSpec]
  /// Keys of the options given so far.
  private(set) var given: Set<String> = []
  /// All words except options: the command's path and its arguments.
  let commandWords: [String]
  /// Arguments of the command.
  let positionals: [String]
  /// Kind of the value that the preceding option expects.
  private(set) var awaitedValue: ValueKind?
  /// Whether `--` ended the options.
  private(set) var isPastOptions = false

  init(_ words: some Collection<String>, of table: CommandTable) {
    // Which options take a value depends on the command, and finding the command depends on which options take a value.
    // The global options suffice to find the command.
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

/// Completion without values, for a program that completes only commands, options and files.
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
