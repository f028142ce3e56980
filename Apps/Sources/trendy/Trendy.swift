import AppContainer
import CommandSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
enum Trendy {
  static func main() {
    Console.openStandardStreams()
    // A file that may grow no further is an error of the write, to be told, not a reason to die without a word.
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    // The format is needed to say what is wrong with the rest, so it is looked for first.
    var console = Console(format: words.contains("--json") ? .json : words.contains("--ndjson") ? .ndjson : .text)
    let status = run(words, console: &console)
    exit(console.ending(status).rawValue)
  }

  private static func run(_ words: [String], console: inout Console) -> ExitCode {
    do {
      let command: Command
      let rest: [String]
      switch try Command.table.meaning(of: words) {
      case .command(let found, let words): (command, rest) = (found, words)
      case .none(let options): (command, rest) = (.today, options)
      case .help(let topic):
        console.data(try Command.table.help(on: topic))
        return .done
      }
      let arguments = try Arguments(rest, options: Command.table.options(of: command), usage: command.usage)
      if arguments.has("--help") {
        console.data(Command.table.help(of: command))
        return .done
      }
      if arguments.has("--version") {
        console.data("trendy \(Version.text)")
        return .done
      }
      if arguments.has("--plain") { console.format = .plain }
      console.isQuiet = arguments.has("--quiet")
      return try command.run(try Session(command: command, arguments: arguments, console: console, words: words))
    } catch {
      return console.report(CommandError(describing: error))
    }
  }
}
