import AppContainer
import CommandSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyFoundation

@main
enum Trendy {
  static func main() {
    Console.openStandardStreams()
    Console.ignoreFailedWrites()
    let words = Array(CommandLine.arguments.dropFirst())
    // Set before parsing, so that command-line errors are printed in the requested format.
    var console = Console(format: words.contains("--json") ? .json : words.contains("--ndjson") ? .ndjson : .text)
    console.terminal = Terminal.ofStandardOutput(environment: Environment.all)
    if words.contains("--no-color") {
      (console.terminal.showsStyles, console.terminal.showsErrorStyles) = (false, false)
    }
    let status = run(words, console: &console)
    exit(console.ending(status).rawValue)
  }

  private static func run(_ words: [String], console: inout Console) -> ExitCode {
    do {
      try CommandLine.checkEncoding()
      let spec: CommandSpec
      let rest: [String]
      switch try meaning(of: words, console) {
      case .command(let found, let words): (spec, rest) = (found, words)
      case .none(let options): (spec, rest) = (TodayCommand.spec, options)
      case .help(let topic):
        try console.help(
          Commands.table.help(on: topic, width: console.terminal.helpWidth), environment: Environment.all)
        return .done
      }
      let arguments = try Commands.table.arguments(rest, of: spec)
      if let answer = Commands.table.answer(to: arguments, of: spec, width: console.terminal.helpWidth) {
        try console.help(answer, environment: Environment.all)
        return .done
      }
      if arguments.has("--plain") { console.format = .plain }
      console.isQuiet = arguments.has("--quiet")
      console.isVerbose = arguments.has("--verbose")
      let settings = Settings(environment: Environment.all)
      if !Commands.workWithoutSettings.contains(spec.name) {
        try settings.check { [console] in console.talk($0, level: .warning) }
      }
      console.terminal = Terminal.ofStandardOutput(environment: Environment.all, settings: settings)
      if arguments.has("--no-color") {
        (console.terminal.showsStyles, console.terminal.showsErrorStyles) = (false, false)
      }
      let isPaged = arguments.has(Pager.option.key) || settings.text(Setting.pager) == "on"
      let pager =
        isPaged && spec.options.contains(Pager.option) ? try Pager(console, environment: Environment.all) : nil
      // Prevents `--help` from starting a second pager.
      if pager != nil { console.terminal.height = nil }
      defer { pager?.finish() }
      let session = try Session(
        command: spec, arguments: arguments, console: console, words: words, settings: settings)
      return try run(spec, session, settings)
    } catch {
      return console.report(CommandError(describing: error))
    }
  }

  /// Parses the command line. If it starts with an event type, the error suggests `trendy log`.
  private static func meaning(of words: [String], _ console: Console) throws -> CommandTable.Meaning {
    do {
      return try Commands.table.meaning(of: words)
    } catch {
      guard beginsWithType(words, console) else { throw error }
      let line = words.map(ShellWords.quoted).joined(separator: " ")
      throw CommandError(error.message, hint: "To record an event: trendy log \(line)", exit: error.exit)
    }
  }

  /// Whether the first word is the name of an event type. `false` if the store is unreadable.
  private static func beginsWithType(_ words: [String], _ console: Console) -> Bool {
    guard let first = words.first?.lowercased(),
      let session = try? Session(
        command: TodayCommand.spec, arguments: Commands.table.arguments([], of: TodayCommand.spec), console: console,
        words: words, settings: Settings(environment: Environment.all))
    else { return false }
    let types = StoreValues(session, line: words).values(of: .eventType, after: [])
    return types.contains { $0.text.lowercased() == first }
  }

  private static func run(_ spec: CommandSpec, _ session: Session, _ settings: Settings) throws -> ExitCode {
    let console = session.console
    guard console.isVerbose else { return try Commands.run(spec, session) }
    console.explain("Configuration: \(settings.file.path)\(settings.file.exists ? "" : " (does not exist)")")
    let source = session.arguments.has("--store") ? "--store" : settings.resolved(Setting.store).origin.words
    console.explain("Store: \(session.storeDirectory.path) (\(source))")
    let clock = ContinuousClock()
    let start = clock.now
    // Deferred, so that the time is also printed if the command fails.
    defer {
      let milliseconds = ((clock.now - start) / .milliseconds(1) * 10).rounded() / 10
      console.explain("'\(spec.name)' took \(milliseconds) ms.")
    }
    return try Commands.run(spec, session)
  }
}
