import CommandSupport
import Testing

@Suite("CommandTable")
struct CommandTableTests {
  private static let daily = CommandGroup("daily", "Every day.")
  private static let care = CommandGroup("care", "How it is.")

  private let table = CommandTable(
    program: "p", about: "p does things.",
    commands: [
      CommandSpec(
        "log", .one("type", .eventType, "the type"), summary: "Does it.", group: daily,
        examples: ["log tea", "log tea 2"]),
      CommandSpec("sync", .word("now"), summary: "Does it.", group: care, examples: []),
      CommandSpec("sync conflicts", summary: "Does it.", group: care, examples: []),
      CommandSpec(
        "sync conflicts show", .one("id", .conflict, "the id"), summary: "Does it.", group: care, examples: []),
      CommandSpec(
        "type add", .oneOrMore("name", .text, "the name"), summary: "Does it.", group: daily, examples: [],
        options: [OptionSpec("--color", value: "colour", kind: .oneOf(["red", "green"]), help: "a colour")]),
      CommandSpec("type prop add", summary: "Does it.", group: daily, examples: []),
      CommandSpec("words", summary: "For programs.", group: care, examples: [], isHidden: true),
    ],
    globalOptions: [
      OptionSpec("--store", value: "dir", kind: .folder, help: "where"), OptionSpec("--json", help: "for scripts"),
      OptionSpec("--help", "-h", help: "this"),
    ], notes: ["A note."], topics: [HelpTopic("when", ["At any time."])])

  @Test func `topics that are not commands have help`() throws {
    #expect(try table.help(on: ["when"], width: 80) == "At any time.")
    #expect(try table.help(on: ["options"], width: 80).contains("--store"))
    let error = #expect(throws: CommandError.self) { try table.help(on: ["whn"], width: 80) }
    #expect(error?.hint == "Did you mean 'p help when'?")
  }

  private func found(_ line: String) throws -> (name: String, rest: [String])? {
    guard case .command(let command, let rest) = try table.meaning(of: line.split(separator: " ").map(String.init))
    else {
      return nil
    }
    return (command.name, rest)
  }

  @Test(
    "the longest command path that matches the leading words wins",
    arguments: [
      ("log tea", "log", ["tea"]), ("sync", "sync", []), ("sync now", "sync", ["now"]),
      ("sync conflicts", "sync conflicts", []), ("sync conflicts show x", "sync conflicts show", ["x"]),
      ("sync conflicts shown", "sync conflicts", ["shown"]), ("type prop add a b", "type prop add", ["a", "b"]),
      ("--store dir --json log tea", "log", ["--store", "dir", "--json", "tea"]),
      ("--store log log", "log", ["--store", "log"]),
    ])
  func longest(line: String, name: String, rest: [String]) throws {
    let found = try #require(try found(line))
    #expect(found.name == name && found.rest == rest)
  }

  @Test(
    "an unknown command suggests the nearest one or lists the subcommands",
    arguments: [
      ("lgo", "Command 'lgo' not found", "Did you mean 'p log'?"),
      ("nothing", "Command 'nothing' not found", "Run 'p help' to see all commands."),
      ("Record", "Command 'Record' not found", "Did you mean 'p log'?"),
      ("type create", "Command 'type create' not found", "Did you mean 'p type add'?"),
      ("delete", "Command 'delete' not found", "Run 'p help' to see all commands."),
      ("type", "'type' needs a subcommand", "Subcommands: p type add, p type prop."),
      ("type ad", "Command 'type ad' not found", "Did you mean 'p type add'?"),
      ("type prop", "'type prop' needs a subcommand", "Subcommands: p type prop add."),
    ])
  func unknown(line: String, message: String, hint: String) {
    let error = #expect(throws: CommandError.self) { try found(line) }
    #expect(error?.message == message && error?.hint == hint && error?.exit == .usage)
  }

  @Test func `a command line without a command returns its options, and a help flag returns the help topic anywhere`()
    throws
  {
    guard case .none(let options) = try table.meaning(of: ["--json"]) else { return #expect(Bool(false)) }
    #expect(options == ["--json"])
    guard case .help(let topic) = try table.meaning(of: ["type", "prop", "--help"]) else { return #expect(Bool(false)) }
    #expect(topic == ["type", "prop"])
    guard case .help(let all) = try table.meaning(of: ["-h"]) else { return #expect(Bool(false)) }
    #expect(all.isEmpty)
  }

  @Test func `help lists all commands by group, one group, the commands under a prefix, or one command in full`() throws
  {
    #expect(
      table.overview(width: 80) == """
        p does things.

        daily: Every day.
          log            Does it.
          type add       Does it.
          type prop add  Does it.

        care: How it is.
          sync                 Does it.
          sync conflicts       Does it.
          sync conflicts show  Does it.

        Run 'p help COMMAND' for examples and options, 'p help GROUP' for one group.
        A note.
        """)
    #expect(
      try table.help(on: ["care"], width: 80) == """
        How it is.

          sync [now]                Does it.
          sync conflicts            Does it.
          sync conflicts show <id>  Does it.
        """)
    #expect(
      try table.help(on: ["type"], width: 80).contains(
        "  type add <name> ...  Does it.\n  type prop add        Does it."))
    let log = try table.help(on: ["log"], width: 80)
    #expect(log.hasPrefix("Does it.\n\nExamples:\n  p log tea\n  p log tea 2\n\nUsage: p log <type>\n\nGlobal options"))
    // The help for a command lists its subcommands.
    #expect(try table.help(on: ["sync", "conflicts"], width: 80).hasSuffix("sync conflicts show <id>  Does it."))
    #expect(throws: CommandError.self) { try table.help(on: ["nothing"], width: 80) }
  }

  @Test(
    "a command with too few or too many arguments is a usage error",
    arguments: [
      ("log", "Missing the type"), ("log a b", "Unexpected argument 'b'"), ("type add", "Missing the name"),
      ("type add a b c", nil), ("sync", nil), ("sync now", nil), ("sync now then", "Unexpected argument 'then'"),
      ("log --help", nil), ("type prop add x", "Unexpected argument 'x'"),
    ])
  func count(line: String, message: String?) throws {
    guard case .command(let command, let rest) = try table.meaning(of: line.split(separator: " ").map(String.init))
    else { return #expect(Bool(false)) }
    do throws(CommandError) {
      _ = try table.arguments(rest, of: command)
      #expect(message == nil)
    } catch {
      #expect(error.message == message && error.exit == .usage)
    }
  }

  @Test(
    "an unexpected argument suggests the option that accepts it",
    arguments: [
      ("Bob Doe", "Did you mean --name 'Bob Doe'?"), ("60", "Did you mean --limit 60?"),
      ("2026-11-20", "Did you mean --until 2026-11-20?"),
    ])
  func option(word: String, hint: String) throws {
    let options = [
      OptionSpec("--name", value: "person", kind: .text, help: "whose"),
      OptionSpec("--until", value: "time", kind: .time, help: "to then"),
      OptionSpec("--limit", value: "n", kind: .number, help: "at most so many"),
    ]
    let pair = CommandSpec("pair", summary: "Does it.", group: Self.care, examples: [], options: options)
    let table = CommandTable(program: "p", about: "", commands: [pair], globalOptions: [], notes: [])
    let error = #expect(throws: CommandError.self) { try table.arguments([word], of: pair) }
    #expect(error?.message == "Unexpected argument '\(word)'" && error?.hint == hint)
  }

  @Test func `an unexpected argument that no option accepts has no hint`() throws {
    let pair = CommandSpec(
      "pair", summary: "Does it.", group: Self.care, examples: [],
      options: [OptionSpec("--name", value: "person", kind: .text, help: "whose")])
    let table = CommandTable(program: "p", about: "", commands: [pair], globalOptions: [], notes: [])
    let error = #expect(throws: CommandError.self) { try table.arguments(["60"], of: pair) }
    #expect(error?.message == "Unexpected argument '60'" && error?.hint == nil)
  }

  @Test(arguments: [40, 80, 100]) func `help wraps at word boundaries to fit the width`(width: Int) throws {
    let words =
      "One sentence that is much too long for a line of any terminal that somebody could use for this program."
    let long = CommandTable(
      program: "p", about: words,
      commands: [
        CommandSpec(
          "trip operation", .one("id", .trip, "id"), summary: words, group: Self.daily, examples: ["trip operation 1"],
          options: [OptionSpec("--a-very-long-option", value: "value", kind: .text, help: words)])
      ], globalOptions: [OptionSpec("--json", help: words), OptionSpec("--store", help: words)], notes: [words])
    let command = try #require(long.commands.first)
    let texts =
      [long.overview(width: width), long.help(of: command, width: width)]
      + [["daily"], ["options"]].map {
        (try? long.help(on: $0, width: width)) ?? ""
      }
    let text = texts.joined(separator: "\n")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
    let wholeWords = text.split { $0.isWhitespace }
    #expect(wholeWords.count { $0 == "somebody" } == 8 && wholeWords.count { $0 == "program." } == 8)
  }
}
