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

  private static func run(_ words: [String], console: Console) async throws -> ExitCode {
    let table = DaemonCommand.table
    let command: DaemonCommand
    let rest: [String]
    switch try table.meaning(of: words) {
    case .command(let found, let words): (command, rest) = (found, words)
    case .none(let options):
      if options.contains("--version") {
        console.data("trendyd \(Version.text)")
        return .done
      }
      throw CommandError("trendyd needs to know what to do", hint: "'trendyd help' lists the commands.", exit: .usage)
    case .help(let topic):
      console.data(try table.help(on: topic))
      return .done
    }
    let usage = table.usage(of: command)
    let arguments = try Arguments(rest, options: table.options(of: command), usage: usage)
    if arguments.has("--help") {
      console.data(table.help(of: command))
      return .done
    }
    if arguments.has("--version") {
      console.data("trendyd \(Version.text)")
      return .done
    }
    if command.operand == nil, command.name != "help", let stray = arguments.positionals.first {
      throw CommandError("Unexpected '\(stray)'", usage: usage, exit: .usage)
    }
    if let operand = command.operand, arguments.positionals.count != 1 {
      let problem = arguments.positionals.count > 1 ? "Unexpected '\(arguments.positionals[1])'" : "Missing \(operand)"
      throw CommandError(problem, usage: usage, exit: .usage)
    }
    return try await command.run(arguments, console)
  }
}
