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
      let spec: CommandSpec
      let rest: [String]
      switch try Commands.table.meaning(of: words) {
      case .command(let found, let words): (spec, rest) = (found, words)
      case .none(let options): (spec, rest) = (TodayCommand.spec, options)
      case .help(let topic):
        console.data(try Commands.table.help(on: topic))
        return .done
      }
      let arguments = try Commands.table.arguments(rest, of: spec)
      if let answer = Commands.table.answer(to: arguments, of: spec) {
        console.data(answer)
        return .done
      }
      if arguments.has("--plain") { console.format = .plain }
      console.isQuiet = arguments.has("--quiet")
      console.terminal = Terminal.ofStandardOutput(environment: Environment.all)
      if arguments.has("--no-color") { console.terminal.showsStyles = false }
      let session = try Session(command: spec, arguments: arguments, console: console, words: words)
      return try Commands.run(spec, session)
    } catch {
      return console.report(CommandError(describing: error))
    }
  }
}
