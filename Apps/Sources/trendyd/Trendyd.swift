import AppContainer
import CommandSupport
import Foundation
import HubContainer
import NetworkContainer
import TrendyModels
import TrendyProtocols

/// Daemon that runs the hub that devices sync with, the agent that syncs the store on this machine, or both.
@main
enum Trendyd {
  static func main() async {
    Console.openStandardStreams()
    Console.ignoreFailedWrites()
    Console.quietThreadPool()
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == NetworkMode.word { await NetworkCommands.main(Array(words.dropFirst())) }
    ProcessMemory.sharePools()
    Signals.take()
    var console = Console(
      format: words.contains("--json") ? .json : .text,
      isQuiet: words.contains("--quiet") || words.contains("-q"))
    console.terminal = Terminal.ofStandardOutput(environment: ProcessInfo.processInfo.environment)
    do {
      exit(console.ending(try await run(words, console: console)).rawValue)
    } catch {
      exit(console.report(CommandError(describingHub: error) ?? CommandError(describingNetwork: error)).rawValue)
    }
  }

  private static func run(_ words: [String], console: Console) async throws -> ExitCode {
    try CommandLine.checkEncoding()
    let table = DaemonCommands.table
    switch try table.meaning(of: words) {
    case .command(let spec, let rest):
      let arguments = try table.arguments(rest, of: spec)
      if let answer = table.answer(to: arguments, of: spec, width: console.terminal.helpWidth) {
        try console.help(answer, environment: ProcessInfo.processInfo.environment)
        return .done
      }
      let session = DaemonSession(arguments: arguments, console: console)
      if !DaemonCommands.workWithoutSettings.contains(spec.path) {
        try session.settings.check { console.talk($0, level: .warning) }
      }
      return try await DaemonCommands.run(spec, session)
    case .none(let options):
      if options.contains("--version") {
        console.data("trendyd \(Version.text)")
        return .done
      }
      throw CommandError("Missing command", hint: "Run 'trendyd help' to see all commands.", exit: .usage)
    case .help(let topic):
      try console.help(
        table.help(on: topic, width: console.terminal.helpWidth), environment: ProcessInfo.processInfo.environment)
      return .done
    }
  }
}
