/// The commands of a program, from which its help comes and by which its words are understood.
public struct CommandTable: Sendable {
  public let program: String
  /// What the program does, in lines that fit a screen.
  let about: [String]
  private let makeCommands: @Sendable () -> [CommandSpec]
  private let findCommand: @Sendable (CommandTable, [String]) -> CommandSpec?
  /// The options that every command takes.
  public let globalOptions: [OptionSpec]
  /// What is worth knowing whatever the command, in lines that fit a screen.
  let notes: [String]
  private let makeTopics: @Sendable () -> [HelpTopic]

  /// - Parameters:
  ///   - program: what it is called.
  ///   - about: in lines that fit a screen.
  ///   - commands: all of them; made when somebody asks for more than one.
  ///   - find: gives the command with the longest path that some words begin with, without making the others; by default it
  ///     is looked for among all.
  ///   - globalOptions: those that every command takes.
  ///   - notes: in lines that fit a screen.
  ///   - topics: help on what is no command; made when somebody asks for it.
  public init(
    program: String, about: [String], commands: @autoclosure @escaping @Sendable () -> [CommandSpec],
    find: (@Sendable ([String]) -> CommandSpec?)? = nil, globalOptions: [OptionSpec], notes: [String],
    topics: @autoclosure @escaping @Sendable () -> [HelpTopic] = []
  ) {
    self.program = program
    self.about = about
    makeCommands = commands
    if let find {
      findCommand = { _, words in find(words) }
    } else {
      findCommand = { table, words in
        table.commands.filter { words.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
      }
    }
    self.globalOptions = globalOptions
    self.notes = notes
    makeTopics = topics
  }

  public var commands: [CommandSpec] { makeCommands() }

  /// Help on what is no command.
  var topics: [HelpTopic] { makeTopics() }

  public func options(of command: CommandSpec) -> [OptionSpec] { command.options + globalOptions }

  public func usage(of command: CommandSpec) -> String {
    ([program, command.name, command.argumentsUsage] + (command.options.isEmpty ? [] : ["[options]"]))
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}

// MARK: Looking up

extension CommandTable {
  /// What the words of a command line mean.
  public enum Meaning: Sendable {
    /// A command, and the words that are its.
    case command(CommandSpec, rest: [String])
    /// No command is named: only options that every command takes.
    case none(options: [String])
    /// Help is asked for where several commands begin with these words.
    case help(topic: [String])
  }

  /// The command with the longest path that the words begin with; options that every command takes may stand before it.
  /// - Throws: ``CommandError`` with exit 64 that says what was meant, or what there is.
  public func meaning(of words: [String]) throws(CommandError) -> Meaning {
    var head: [String] = []
    var rest = words[...]
    while let word = rest.first, word.hasPrefix("-"), word != "--" {
      head.append(rest.removeFirst())
      let takesValue = globalOptions.contains { $0.names.contains(word) && $0.value != nil }
      if takesValue, let value = rest.popFirst() { head.append(value) }
    }
    let asksForHelp = (head + rest).contains { $0 == "--help" || $0 == "-h" }
    if rest.isEmpty { return asksForHelp ? .help(topic: []) : .none(options: head) }
    if let found = findCommand(self, Array(rest)) {
      return .command(found, rest: head + rest.dropFirst(found.path.count))
    }
    // As far as it goes, some command begins so.
    var known: [String] = []
    while let word = rest.first, commands.contains(where: { $0.path.starts(with: known + [word]) }) {
      known.append(word)
      rest.removeFirst()
    }
    if asksForHelp, !known.isEmpty { return .help(topic: known) }
    let next = Set(shown.filter { $0.path.starts(with: known) }.map { $0.path[known.count] }).sorted()
    let near = rest.first.flatMap { word in
      OtherWords.here(for: word, among: next + (known.isEmpty ? ["--version"] : []))
        ?? Suggestion.nearest(to: word, among: next)
    }
    let prefix = ([program] + known).joined(separator: " ")
    let message =
      rest.first.map { "There is no command '\((known + [$0]).joined(separator: " "))'" }
      ?? "'\(known.joined(separator: " "))' needs to know what to do"
    let hint =
      near.map { "Did you mean '\(prefix) \($0)'?" }
      ?? (known.isEmpty
        ? "'\(program) help' lists the commands."
        : "There are: \(next.map { "\(prefix) \($0)" }.joined(separator: ", ")).")
    throw CommandError(message, hint: hint, exit: .usage)
  }
}

extension CommandTable {
  /// The words that belong to a command, taken apart.
  /// - Throws: ``CommandError`` with exit 64 for an option that it does not have, or more or fewer arguments than it takes.
  public func arguments(_ words: [String], of command: CommandSpec) throws(CommandError) -> Arguments {
    let usage = usage(of: command)
    let arguments = try Arguments(words, options: options(of: command), usage: usage)
    // Whoever asks what a command takes need not give it.
    if !arguments.has("--help"), !arguments.has("--version") {
      try command.check(arguments.positionals, usage: usage)
    }
    return arguments
  }

  /// What every program answers by itself: its help and its version; `nil` for all else.
  public func answer(to arguments: Arguments, of command: CommandSpec) -> String? {
    if arguments.has("--help") { return help(of: command) }
    return arguments.has("--version") ? "\(program) \(Version.text)" : nil
  }
}

// MARK: Help

extension CommandTable {
  private static var width: Int { 80 }

  private var shown: [CommandSpec] { commands.filter { !$0.isHidden } }

  var groups: [(group: CommandGroup, commands: [CommandSpec])] {
    var order: [CommandGroup] = []
    for command in shown where !order.contains(command.group) { order.append(command.group) }
    return order.map { group in (group, shown.filter { $0.group == group }) }
  }

  /// All commands by name, group by group: a screen of 24 lines of 80 columns.
  public var overview: String {
    let indent = (groups.map(\.group.name.count).max() ?? 0) + 4
    var lines = about + [""]
    for (group, commands) in groups {
      var line = "  " + group.name + String(repeating: " ", count: indent - 2 - group.name.count)
      for word in Self.words(of: commands).flatMap({ Self.pieces(of: $0, width: Self.width - indent) }) {
        if line.count > indent, line.count + 2 + word.count > Self.width {
          lines.append(line)
          line = String(repeating: " ", count: indent)
        }
        line += (line.count > indent ? "  " : "") + word
      }
      lines.append(line)
    }
    return (lines + ["", "\(program) help COMMAND tells what it takes, with examples; so does help GROUP."] + notes)
      .joined(separator: "\n")
  }

  /// `today`, `type add|list|prop`, `sync [now|status]`.
  private static func words(of commands: [CommandSpec]) -> [String] {
    var firsts: [String] = []
    for command in commands where !firsts.contains(command.path[0]) { firsts.append(command.path[0]) }
    return firsts.map { first in
      let own = commands.filter { $0.path[0] == first }
      var seconds: [String] = []
      for command in own where command.path.count > 1 && !seconds.contains(command.path[1]) {
        seconds.append(command.path[1])
      }
      if seconds.isEmpty { return first }
      let list = seconds.joined(separator: "|")
      return own.contains { $0.path.count == 1 } ? "\(first) [\(list)]" : "\(first) \(list)"
    }
  }

  /// A list that is longer than a line, in parts that are not.
  private static func pieces(of word: String, width: Int) -> [String] {
    guard word.count > width else { return [word] }
    var pieces: [String] = []
    var piece = ""
    for part in word.split(separator: "|", omittingEmptySubsequences: false) {
      if !piece.isEmpty, piece.count + 1 + part.count + 1 > width {
        pieces.append(piece + "|")
        piece = "  "
      } else if !piece.isEmpty {
        piece += "|"
      }
      piece += part
    }
    return pieces + [piece]
  }

  /// One command whole.
  public func help(of command: CommandSpec) -> String {
    var lines = [command.summary, "", "Usage: \(usage(of: command))"]
    if !command.examples.isEmpty { lines += ["", "Examples:"] + command.examples.map { "  \(program) \($0)" } }
    lines += ["", "Options:"] + OptionSpec.table(of: options(of: command))
    return (lines + (command.columnsLine.map { ["", "Columns of \($0)"] } ?? [])).joined(separator: "\n")
  }

  /// Of a command, of those whose words begin so, or of a group.
  /// - Throws: ``CommandError`` with exit 64 for what is none of them.
  public func help(on topic: [String]) throws(CommandError) -> String {
    if topic.isEmpty { return overview }
    let name = topic.joined(separator: " ")
    if let found = allTopics.first(where: { $0.name == name }) { return found.lines.joined(separator: "\n") }
    let exact = commands.first { $0.path == topic }
    var listed = shown.filter { $0.path.starts(with: topic) && $0.path != topic }
    var title = "More of '\(name)':"
    if exact == nil, listed.isEmpty, let group = groups.first(where: { $0.group.name == name }) {
      listed = group.commands
      title = group.group.summary
    } else if exact == nil {
      title = "\(program) \(name) ..."
    }
    guard exact != nil || !listed.isEmpty else {
      let near = Suggestion.nearest(
        to: name, among: shown.map(\.name) + groups.map(\.group.name) + allTopics.map(\.name))
      throw CommandError(
        "There is no command '\(name)'",
        hint: near.map { "Did you mean '\(program) help \($0)'?" } ?? "'\(program) help' lists the commands.",
        exit: .usage)
    }
    let width = listed.map { usageWithoutOptions(of: $0).count }.max() ?? 0
    let rows = listed.map { command in
      let usage = usageWithoutOptions(of: command)
      return "  \(usage)\(String(repeating: " ", count: width - usage.count + 2))\(command.summary)"
    }
    let parts = [exact.map { help(of: $0) }, rows.isEmpty ? nil : ([title, ""] + rows).joined(separator: "\n")]
    return parts.compactMap(\.self).joined(separator: "\n\n")
  }

  private var allTopics: [HelpTopic] {
    topics + [HelpTopic("globals", ["What every command takes:", ""] + OptionSpec.table(of: globalOptions))]
  }

  private func usageWithoutOptions(of command: CommandSpec) -> String {
    [command.name, command.argumentsUsage].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Everything, as a chapter of a page of Markdown.
  public var markdown: String {
    func table(_ options: [OptionSpec]) -> [String] { ["```"] + OptionSpec.table(of: options) + ["```", ""] }
    var lines = ["## \(program)", "", about.joined(separator: " "), ""]
    for (group, commands) in groups {
      lines += ["### \(program): \(group.name)", "", group.summary, ""]
      for command in commands {
        lines += ["#### \(program) \(command.name)", "", command.summary, "", "```", usage(of: command)]
        lines += command.examples.map { "$ \(program) \($0)" } + ["```", ""]
        if !command.options.isEmpty { lines += table(command.options) }
        if !command.columns.isEmpty {
          lines += ["Columns of `--plain`: \(command.columns.joined(separator: ", "))", ""]
        }
      }
    }
    return (lines + ["### What every command of \(program) takes", ""] + table(globalOptions) + notes)
      .joined(separator: "\n")
  }

  /// Everything, for scripts and for what is made from it.
  public var document: [(String, JSONText)] {
    func options(_ options: [OptionSpec]) -> JSONText {
      .array(
        options.map {
          .object([
            ("names", .array($0.names.map { .string($0) })), ("value", .string($0.value)), ("help", .string($0.help)),
          ])
        })
    }
    return [
      ("program", .string(program)), ("global_options", options(globalOptions)),
      (
        "groups",
        .array(
          groups.map { group, commands in
            .object([
              ("name", .string(group.name)), ("summary", .string(group.summary)),
              (
                "commands",
                .array(
                  commands.map {
                    .object([
                      ("name", .string($0.name)), ("arguments", .string($0.argumentsUsage)),
                      ("summary", .string($0.summary)), ("examples", .array($0.examples.map { .string($0) })),
                      ("options", options($0.options)), ("columns", .array($0.columns.map { .string($0) })),
                    ])
                  })
              ),
            ])
          })
      ),
    ]
  }
}
