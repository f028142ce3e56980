import CommandSupport
import HubContainer

/// One command of the daemon.
struct DaemonCommand: DescribedCommand {
  let path: [String]
  /// What its one operand is, in words; `nil` where it takes none.
  var operand: String?
  var arguments = ""
  let summary: String
  let group: CommandGroup
  let examples: [String]
  var options: [OptionSpec] = []
  let run: @Sendable (Arguments, Console) async throws -> ExitCode

  static let table: CommandTable<DaemonCommand> = CommandTable(
    program: "trendyd",
    about: [
      "trendyd is the hub that devices sync with, and the agent that syncs this",
      "machine's store in the background.",
    ],
    commands: runCommands + hubCommands + peopleCommands + helpCommands,
    globalOptions: [
      OptionSpec("--json", help: "JSON documents, for scripts"),
      OptionSpec("--quiet", "-q", help: "no talk"),
      OptionSpec("--version", help: "the version, and nothing else"),
      OptionSpec("--help", "-h", help: "this text"),
    ],
    notes: [
      "What hub init is told by --listen, --host, --proxy and --limit is kept; run goes",
      "by it, and by what it is told itself instead.",
    ])
}

extension CommandGroup {
  fileprivate static let run = CommandGroup("run", "Serving and syncing.")
  fileprivate static let hub = CommandGroup("hub", "The hub's data.")
  fileprivate static let people = CommandGroup("people", "Who may come in to the hub.")
}

// MARK: Options

extension OptionSpec {
  fileprivate static let data = OptionSpec(
    "--data", value: "dir", help: "the hub's storage, else TRENDY_HUB_DATA, else the data folder")
  fileprivate static let store = OptionSpec(
    "--store", value: "dir", help: "the agent's store, else TRENDY_STORE, else the data folder")
  fileprivate static let status = OptionSpec(
    "--status", value: "path", help: "the agent's status file, else TRENDY_STATUS, else the session's folder")
  fileprivate static let hubSettings = [
    OptionSpec(
      "--listen", value: "address:port",
      help: "where the hub listens (127.0.0.1:8787; port 0 for any free one, 0.0.0.0 for all networks)"),
    OptionSpec(
      "--host", value: "name", help: "a name besides localhost under which the hub is asked; may be given again"),
    OptionSpec(
      "--proxy", value: "address",
      help:
        "a reverse proxy, or a block of them (10.0.0.0/8), whose X-Forwarded-For the hub believes; may be given again"),
    OptionSpec(
      "--limit", value: "name=value",
      help: "a limit of the hub; may be given again: \(HubSettings.limitNames.joined(separator: ", "))"),
  ]
}

// MARK: The commands

extension DaemonCommand {
  private static let runCommands: [DaemonCommand] = [
    DaemonCommand(
      path: ["run"], summary: "Serve, sync, or both, until it is asked to end.", group: .run,
      examples: ["run", "run --role hub --listen 0.0.0.0:8787", "run --role both --ingest 127.0.0.1:8788"],
      options: [OptionSpec("--role", value: "role", help: "agent, hub or both (agent)")] + OptionSpec.hubSettings + [
        OptionSpec(
          "--log", value: "file", help: "write the log there and not to the standard error; SIGHUP opens it anew"),
        .data, .store,
        OptionSpec("--poll", value: "duration", help: "how often the agent asks the hub when nothing happens (1m)"),
        OptionSpec(
          "--ingest", value: "address:port",
          help: "where trackers post to the agent (127.0.0.1:8788; nowhere if not given)"),
        OptionSpec("--gpsd", value: "host[:port]", help: "take the fixes of gpsd (port 2947)"),
        OptionSpec("--nmea", value: "path[@baud]", help: "take the fixes of a receiver's device, or of a file of NMEA"),
        OptionSpec(
          "--notify", value: "on|off", help: "show on the desktop that a trip or a visit begins and ends (on)"),
        .status,
      ],
      run: { try await Daemon(arguments: $0, console: $1).run() }),
    DaemonCommand(
      path: ["status"], summary: "What the agent of a store is doing.", group: .run,
      examples: ["status", "status --json"], options: [.store, .status],
      run: { try Daemon(arguments: $0, console: $1).status() }),
  ]

  private static let hubCommands: [DaemonCommand] = [
    DaemonCommand(
      path: ["hub", "init"], summary: "Make a hub, its first person, and a code for the first device.", group: .hub,
      examples: ["hub init", "hub init --listen 0.0.0.0:8787 --host attic.lan --name Ada"],
      options: [
        OptionSpec("--name", value: "person", help: "whose hub it is"),
        OptionSpec("--if-missing", help: "a hub that is there already is left alone, and is no error"), .data,
      ] + OptionSpec.hubSettings,
      run: { try Daemon(arguments: $0, console: $1).initialiseHub() }),
    DaemonCommand(
      path: ["hub", "backup"], operand: "the file", arguments: "<file>",
      summary: "Write everything the hub keeps into one file, while it runs or not.", group: .hub,
      examples: ["hub backup hub.backup", "hub backup hub.backup --yes"],
      options: [OptionSpec("--yes", help: "replace a file that is there"), .data],
      run: { try Daemon(arguments: $0, console: $1).care.backUp(to: $0.positionals[0]) }),
    DaemonCommand(
      path: ["hub", "restore"], operand: "the file", arguments: "<file>",
      summary: "Put a backup in the place of the hub's data, which is kept beside it.", group: .hub,
      examples: ["hub restore hub.backup --yes"],
      options: [
        OptionSpec("--yes", help: "even if there is a hub, which is kept aside"),
        OptionSpec("--force", help: "also a backup that would bring back what was deleted long ago"), .data,
      ],
      run: { try Daemon(arguments: $0, console: $1).care.restore(from: $0.positionals[0]) }),
  ]

  private static let peopleCommands: [DaemonCommand] = [
    DaemonCommand(
      path: ["pair"], summary: "A code for one more device, good for ten minutes.", group: .people,
      examples: ["pair", "pair --name Ada"],
      options: [OptionSpec("--name", value: "person", help: "whose device it is"), .data] + OptionSpec.hubSettings,
      run: { try Daemon(arguments: $0, console: $1).pair() }),
    DaemonCommand(
      path: ["user", "add"], operand: "the name", arguments: "<name>",
      summary: "Let one more person keep their record here.",
      group: .people, examples: ["user add Ada"], options: [.data],
      run: { try Daemon(arguments: $0, console: $1).people().addUser($0.positionals[0]) }),
    DaemonCommand(
      path: ["user", "list"], summary: "Who keeps a record here.", group: .people, examples: ["user list"],
      options: [.data], run: { try Daemon(arguments: $0, console: $1).people().listUsers() }),
    DaemonCommand(
      path: ["user", "rm"], operand: "the name", arguments: "<name>",
      summary: "Shut a person out; with --erase take away all that is kept of them.", group: .people,
      examples: ["user rm Ada", "user rm Ada --erase --yes"],
      options: [
        OptionSpec("--erase", help: "take away all that the hub keeps of the person, for good"),
        OptionSpec("--yes", help: "do erase"), .data,
      ],
      run: { try Daemon(arguments: $0, console: $1).people().removeUser($0.positionals[0]) }),
    DaemonCommand(
      path: ["user", "restore"], operand: "the name", arguments: "<name>",
      summary: "Let a person in again who was shut out.", group: .people, examples: ["user restore Ada"],
      options: [.data], run: { try Daemon(arguments: $0, console: $1).people().restoreUser($0.positionals[0]) }),
    DaemonCommand(
      path: ["token", "create"], operand: "the device's name", arguments: "<device>",
      summary: "A token for what cannot pair, such as a tracker.", group: .people,
      examples: ["token create tracker", "token create tracker --name Ada"],
      options: [OptionSpec("--name", value: "person", help: "whose device it is"), .data],
      run: { try Daemon(arguments: $0, console: $1).people().createToken(for: $0.positionals[0]) }),
    DaemonCommand(
      path: ["token", "list"], summary: "The devices that may come in.", group: .people, examples: ["token list"],
      options: [OptionSpec("--name", value: "person", help: "this one's devices alone"), .data],
      run: { try Daemon(arguments: $0, console: $1).people().listTokens() }),
    DaemonCommand(
      path: ["token", "revoke"], operand: "the device", arguments: "<device>", summary: "Let a device in no more.",
      group: .people, examples: ["token revoke tracker"],
      options: [OptionSpec("--name", value: "person", help: "whose device it is"), .data],
      run: { try Daemon(arguments: $0, console: $1).people().revokeToken($0.positionals[0]) }),
  ]

  private static let helpCommands: [DaemonCommand] = [
    DaemonCommand(
      path: ["help"], arguments: "[<command>]", summary: "What there is, or one command whole.", group: .run,
      examples: ["help run", "help people", "help --json"],
      options: [OptionSpec("--markdown", help: "all of it, as a page of Markdown")]
    ) { arguments, console in
      if arguments.has("--markdown") {
        console.data(table.markdown)
      } else if console.isJSON {
        console.document("trendyd.help/1", table.document)
      } else {
        console.data(try table.help(on: arguments.positionals))
      }
      return .done
    }
  ]
}
