/// Commands of a program. Parses its command lines and generates its help.
public struct CommandTable: Sendable {
  public let program: String
  let about: String
  private let makeCommands: @Sendable () -> [CommandSpec]
  private let findCommand: @Sendable (CommandTable, [String]) -> CommandSpec?
  /// Options that every command accepts.
  public let globalOptions: [OptionSpec]
  /// Paragraphs that apply to every command, at the end of the overview.
  let notes: [String]
  private let makeTopics: @Sendable () -> [HelpTopic]

  /// Creates a table of a program's commands.
  ///
  /// `find` returns the command whose path is the longest prefix of the given words. If `find` is `nil`, `commands` is
  /// searched. `commands` is evaluated only if more than one declaration is needed, and `topics` only for help.
  public init(
    program: String, about: String, commands: @autoclosure @escaping @Sendable () -> [CommandSpec],
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

  /// Declarations of all commands, created on each access.
  public var commands: [CommandSpec] { makeCommands() }

  var topics: [HelpTopic] { makeTopics() }

  /// Returns a command's options, including the global ones.
  public func options(of command: CommandSpec) -> [OptionSpec] { command.options + globalOptions }

  /// Returns the usage line for a command, such as `trendy rm <id> ... [options]`.
  public func usage(of command: CommandSpec) -> String {
    ([program, command.name, command.argumentsUsage] + (command.options.isEmpty ? [] : ["[options]"]))
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}

// MARK: Lookup

extension CommandTable {
  /// Result of looking up the command in a command line.
  public enum Meaning: Sendable {
    /// Command, with the words that follow its path and any global options before it.
    case command(CommandSpec, rest: [String])
    /// Global options without a command.
    case none(options: [String])
    /// `--help` after words that select several commands or none.
    case help(topic: [String])
  }

  /// Finds the command whose path is the longest prefix of `words`. Global options may precede the command.
  /// - Throws: ``CommandError`` with exit 64 if no command matches. Its hint suggests a similar command or lists the
  ///   subcommands.
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
    // Longest prefix of `rest` that starts a command's path.
    var known: [String] = []
    while let word = rest.first, commands.contains(where: { $0.path.starts(with: known + [word]) }) {
      known.append(word)
      rest.removeFirst()
    }
    if asksForHelp, !known.isEmpty { return .help(topic: known) }
    let next = Set(visibleCommands.filter { $0.path.starts(with: known) }.map { $0.path[known.count] }).sorted()
    let near = rest.first.flatMap { word in
      OtherWords.here(for: word, among: next + (known.isEmpty ? ["--version"] : []))
        ?? Suggestion.nearest(to: word, among: next)
    }
    let prefix = ([program] + known).joined(separator: " ")
    let message =
      rest.first.map { "Command '\((known + [$0]).joined(separator: " "))' not found" }
      ?? "'\(known.joined(separator: " "))' needs a subcommand"
    let hint =
      near.map { "Did you mean '\(prefix) \($0)'?" }
      ?? (known.isEmpty
        ? "Run '\(program) help' to see all commands."
        : "Subcommands: \(next.map { "\(prefix) \($0)" }.joined(separator: ", ")).")
    throw CommandError(message, hint: hint, exit: .usage)
  }
}

extension CommandTable {
  /// Parses the arguments and options of a command.
  /// - Throws: ``CommandError`` with exit 64 for an invalid option and for missing or superfluous arguments.
  public func arguments(_ words: [String], of command: CommandSpec) throws(CommandError) -> Arguments {
    let usage = usage(of: command)
    let arguments = try Arguments(words, options: options(of: command), usage: usage)
    // `--help` and `--version` work without the required arguments.
    if !arguments.has("--help"), !arguments.has("--version") {
      try command.check(arguments.positionals, usage: usage)
    }
    return arguments
  }

  /// Returns the text for `--help` or `--version`, or `nil` if the arguments contain neither.
  public func answer(to arguments: Arguments, of command: CommandSpec, width: Int) -> String? {
    if arguments.has("--help") { return help(of: command, width: width) }
    return arguments.has("--version") ? "\(program) \(Version.text)" : nil
  }
}

// MARK: Help

extension CommandTable {
  private var visibleCommands: [CommandSpec] { commands.filter { !$0.isHidden } }

  var groups: [(group: CommandGroup, commands: [CommandSpec])] {
    var order: [CommandGroup] = []
    for command in visibleCommands where !order.contains(command.group) { order.append(command.group) }
    return order.map { group in (group, visibleCommands.filter { $0.group == group }) }
  }

  /// Returns an overview of all commands by group. `width` is the line length in columns.
  public func overview(width: Int) -> String {
    let terminal = Terminal(width: width)
    var lines = terminal.lines(of: about)
    for (group, commands) in groups {
      let rows = commands.map { (label: $0.name, text: $0.summary) }
      lines += ["", "\(group.name): \(group.summary)"] + Terminal.columns(rows, width: width)
    }
    let ending = "Run '\(program) help COMMAND' for examples and options, '\(program) help GROUP' for one group."
    return (lines + [""] + ([ending] + notes).flatMap { terminal.lines(of: $0, hanging: 2) }).joined(separator: "\n")
  }

  /// Returns the help for one command.
  public func help(of command: CommandSpec, width: Int) -> String {
    let terminal = Terminal(width: width)
    var lines = terminal.lines(of: command.summary)
    if !command.examples.isEmpty { lines += ["", "Examples:"] + command.examples.map { "  \(program) \($0)" } }
    lines += [""] + terminal.lines(of: "Usage: \(usage(of: command))", hanging: 7)
    if !command.options.isEmpty { lines += ["", "Options:"] + OptionSpec.table(of: command.options, width: width) }
    let columns = command.columnsLine.map { ["Columns of \($0)"] } ?? []
    lines += [""] + (columns + [globalOptionsLine]).flatMap { terminal.lines(of: $0, hanging: 2) }
    return lines.joined(separator: "\n")
  }

  /// Reference to the help on global options, as in `Global options, such as --json and --store: trendy help options`.
  private var globalOptionsLine: String {
    "Global options, such as \(globalOptions.prefix(2).map(\.key).joined(separator: " and ")): \(program) help options"
  }

  /// Returns the help for a command, a command prefix such as `type prop`, a group or a topic.
  /// - Throws: ``CommandError`` with exit 64 for an unknown topic.
  public func help(on topic: [String], width: Int) throws(CommandError) -> String {
    if topic.isEmpty { return overview(width: width) }
    let name = topic.joined(separator: " ")
    let topics = topics + [optionsTopic(width: width)]
    if let found = topics.first(where: { $0.name == name }) {
      let terminal = Terminal(width: width)
      return found.lines.flatMap { terminal.lines(of: $0, hanging: $0.hasPrefix(" ") ? 4 : 0) }.joined(separator: "\n")
    }
    let exact = commands.first { $0.path == topic }
    var listed = visibleCommands.filter { $0.path.starts(with: topic) && $0.path != topic }
    var title = exact == nil ? "\(program) \(name) ..." : "Subcommands:"
    if exact == nil, listed.isEmpty, let group = groups.first(where: { $0.group.name == name }) {
      listed = group.commands
      title = group.group.summary
    }
    guard exact != nil || !listed.isEmpty else {
      let near = Suggestion.nearest(
        to: name, among: visibleCommands.map(\.name) + groups.map(\.group.name) + topics.map(\.name))
      throw CommandError(
        "Help topic '\(name)' not found",
        hint: near.map { "Did you mean '\(program) help \($0)'?" } ?? "Run '\(program) help' to see all commands.",
        exit: .usage)
    }
    let rows = listed.map { (label: usageWithoutOptions(of: $0), text: $0.summary) }
    let list = rows.isEmpty ? nil : ([title, ""] + Terminal.columns(rows, width: width)).joined(separator: "\n")
    return [exact.map { help(of: $0, width: width) }, list].compactMap(\.self).joined(separator: "\n\n")
  }

  private func optionsTopic(width: Int) -> HelpTopic {
    HelpTopic("options", ["Options of every command:", ""] + OptionSpec.table(of: globalOptions, width: width))
  }

  private func usageWithoutOptions(of command: CommandSpec) -> String {
    [command.name, command.argumentsUsage].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Complete help as a Markdown chapter.
  public var markdown: String {
    func table(_ options: [OptionSpec]) -> [String] {
      ["```"] + OptionSpec.table(of: options, width: 100) + ["```", ""]
    }
    // Options of many commands are described once.
    let uses = visibleCommands.flatMap(\.options).reduce(into: [OptionSpec: Int]()) { $0[$1, default: 0] += 1 }
    var common: [OptionSpec] = []
    var lines = ["## \(program)", "", about, ""]
    for (group, commands) in groups {
      lines += ["### \(program): \(group.name)", "", group.summary, ""]
      for command in commands {
        lines += ["#### \(program) \(command.name)", "", command.summary, "", "```", usage(of: command)]
        lines += command.examples.map { "$ \(program) \($0)" } + ["```", ""]
        let shared = command.options.filter { uses[$0, default: 0] >= 10 }
        common += shared.filter { !common.contains($0) }
        let own = command.options.filter { !shared.contains($0) }
        if !own.isEmpty { lines += table(own) }
        if !shared.isEmpty {
          lines += ["Common options: \(shared.map { "`\($0.key)`" }.joined(separator: ", "))", ""]
        }
        if !command.columns.isEmpty {
          lines += ["Columns of `--plain`: \(command.columns.joined(separator: ", "))", ""]
        }
      }
    }
    if !common.isEmpty { lines += ["### \(program): common options", ""] + table(common) }
    return (lines + ["### \(program): global options", ""] + table(globalOptions) + notes.map { "- \($0)" })
      .joined(separator: "\n")
  }

  /// Complete help as members of a JSON object.
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
