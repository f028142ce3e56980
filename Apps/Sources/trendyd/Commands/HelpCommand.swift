import CommandSupport

/// `trendyd help`
struct HelpCommand: DaemonCommand {
  static let spec = CommandSpec(
    "help", .any("command", .command), summary: "What there is, or one command whole.", group: .run,
    examples: ["help run", "help people", "help --json"],
    options: [
      OptionSpec("--markdown", help: "all of it, as a page of Markdown"),
      OptionSpec("--manual", help: "all of it, as a page for man"),
    ])

  private let form: HelpForm
  private let topic: [String]

  init(_ session: DaemonSession) {
    form = HelpForm(session.arguments, session.console)
    topic = session.arguments.positionals
  }

  func act(_ session: DaemonSession) throws(CommandError) -> String {
    try DaemonCommands.table.help(on: topic, in: form)
  }

  func show(_ answer: String, _ session: DaemonSession) -> ExitCode {
    session.console.data(answer)
    return .done
  }
}
