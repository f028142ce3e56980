import AppContainer
import CommandSupport
import Foundation
import HubContainer
import NetworkContainer
import TrendyModels
import TrendyProtocols

/// The daemon: the hub that devices sync with, and the agent that syncs this machine's store in the background.
@main
enum Trendyd {
  static func main() async {
    Console.openStandardStreams()
    Signals.take()
    let words = Array(CommandLine.arguments.dropFirst())
    let console = Console(
      format: words.contains("--json") ? .json : .text,
      isQuiet: words.contains("--quiet") || words.contains("-q"))
    do {
      exit(console.ending(try await run(words, console: console)).rawValue)
    } catch {
      exit(console.report(CommandError(describingHub: error) ?? CommandError(describingNetwork: error)).rawValue)
    }
  }

  private static let usage =
    "trendyd run [--role agent|hub|both] | status | hub init | hub backup FILE | hub restore FILE | pair\n"
    + "       trendyd user add NAME | user list | user rm NAME | user restore NAME\n       trendyd token create NAME | token list | token revoke NAME"

  private static let options = [
    OptionSpec("--role", value: "role", help: "agent, hub or both (agent)"),
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
      "--limit", value: "name=value", help: "a limit of the hub, such as requestsPerMinute=600; may be given again"),
    OptionSpec(
      "--log", value: "file", help: "run: write the log there and not to the standard error; SIGHUP opens it anew"),
    OptionSpec("--data", value: "dir", help: "the hub's storage, else TRENDY_HUB_DATA, else the data folder"),
    OptionSpec("--store", value: "dir", help: "the agent's store, else TRENDY_STORE, else the data folder"),
    OptionSpec("--poll", value: "duration", help: "how often the agent asks the hub when nothing happens (1m)"),
    OptionSpec(
      "--ingest", value: "address:port", help: "where trackers post to the agent (127.0.0.1:8788; nowhere if not given)"
    ),
    OptionSpec("--gpsd", value: "host[:port]", help: "take the fixes of gpsd (port 2947)"),
    OptionSpec("--nmea", value: "path[@baud]", help: "take the fixes of a receiver's device, or of a file of NMEA"),
    OptionSpec("--notify", value: "on|off", help: "show on the desktop that a trip or a visit begins and ends (on)"),
    OptionSpec(
      "--status", value: "path", help: "the agent's status file, else TRENDY_STATUS, else the session's folder"),
    OptionSpec("--name", value: "person", help: "hub init: whose hub it is; pair, token: whose device"),
    OptionSpec("--if-missing", help: "hub init: a hub that is there already is left alone, and is no error"),
    OptionSpec(
      "--yes",
      help:
        "hub backup: replace a file that is there; hub restore: even if there is a hub, which is kept aside; user rm: do erase"
    ),
    OptionSpec("--erase", help: "user rm: take away all that the hub keeps of the person, for good"),
    OptionSpec("--force", help: "hub restore: also a backup that would bring back what was deleted long ago"),
    OptionSpec("--json", help: "JSON documents, for scripts"),
    OptionSpec("--quiet", "-q", help: "no talk"),
    OptionSpec("--version", help: "the version, and nothing else"),
    OptionSpec("--help", "-h", help: "this text"),
  ]

  private static func run(_ words: [String], console: Console) async throws -> ExitCode {
    let arguments = try Arguments(words, options: options, usage: usage)
    if arguments.has("--help") || arguments.positionals.first == "help" {
      help(console)
      return .done
    }
    if arguments.has("--version") {
      console.data("trendyd \(Version.text)")
      return .done
    }
    let daemon = try Daemon(arguments: arguments, console: console)
    switch arguments.positionals {
    case ["run"]: return try await daemon.run()
    case ["status"]: return try daemon.status()
    case ["hub", "init"]: return try daemon.initialiseHub()
    case ["pair"]: return try daemon.pair()
    case let words where words.count == 3 && words.starts(with: ["hub", "backup"]):
      return try daemon.care.backUp(to: words[2])
    case let words where words.count == 3 && words.starts(with: ["hub", "restore"]):
      return try daemon.care.restore(from: words[2])
    case let words where words.count == 3 && words.starts(with: ["user", "add"]):
      return try daemon.people().addUser(words[2])
    case let words where words.count == 3 && words.starts(with: ["user", "rm"]):
      return try daemon.people().removeUser(words[2])
    case let words where words.count == 3 && words.starts(with: ["user", "restore"]):
      return try daemon.people().restoreUser(words[2])
    case ["user", "list"]: return try daemon.people().listUsers()
    case let words where words.count == 3 && words.starts(with: ["token", "create"]):
      return try daemon.people().createToken(for: words[2])
    case ["token", "list"]: return try daemon.people().listTokens()
    case let words where words.count == 3 && words.starts(with: ["token", "revoke"]):
      return try daemon.people().revokeToken(words[2])
    case []: throw CommandError("trendyd needs to know what to do", usage: usage, exit: .usage)
    default:
      let near = Suggestion.nearest(
        to: arguments.positionals.joined(separator: " "),
        among: [
          "run", "status", "hub init", "hub backup FILE", "hub restore FILE", "pair", "user add NAME", "user list",
          "user rm NAME", "user restore NAME", "token create NAME", "token list", "token revoke NAME",
        ])
      throw CommandError(
        "There is no command '\(arguments.positionals.joined(separator: " "))'",
        hint: near.map { "Did you mean 'trendyd \($0)'?" }, usage: usage, exit: .usage)
    }
  }

  private static func help(_ console: Console) {
    console.data("The hub that devices sync with, and the agent that syncs this machine's store in the background.\n")
    console.data("Usage: \(usage)\n\nOptions:")
    for line in OptionSpec.table(of: options) { console.data(line) }
    console.data(
      "\nWhat hub init is told by --listen, --host, --proxy and --limit is kept; run goes by it, and by what it is told itself instead."
        + "\nLimits: \(HubSettings.limitNames.joined(separator: ", ")).")
  }
}
