import CommandSupport

struct HelpCommand: DaemonCommand {
  static let spec = CommandSpec(
    "help", .any("command", .command), summary: "Show help for all commands, one command, or a group.", group: .run,
    examples: ["help run", "help people", "help --json"],
    options: [
      OptionSpec("--markdown", help: "print everything as Markdown"),
      OptionSpec("--manual", help: "print everything as a manual page"),
    ])

  private let form: HelpForm
  private let topic: [String]

  init(_ session: DaemonSession) {
    form = HelpForm(session.arguments, session.console)
    topic = session.arguments.positionals
  }

  func act(_ session: DaemonSession) throws(CommandError) -> String {
    try DaemonCommands.table.help(on: topic, in: form, width: session.console.terminal.helpWidth)
  }

  func show(_ answer: String, _ session: DaemonSession) throws(CommandError) -> ExitCode {
    if form == .text {
      try session.console.help(answer, environment: session.environment)
    } else {
      session.console.data(answer)
    }
    return .done
  }
}
