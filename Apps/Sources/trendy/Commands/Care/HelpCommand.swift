import CommandSupport

struct HelpCommand: Command {
  static let spec = CommandSpec(
    "help", .any("command", .command), summary: "Show help for all commands, one command, a group, or a topic.",
    group: .system,
    examples: ["help log", "help drive", "help times", "help options", "help formats", "help import loop"],
    options: [
      OptionSpec("--markdown", help: "print everything as Markdown"),
      OptionSpec("--manual", help: "print everything as a manual page"), Pager.option,
    ])

  private let form: HelpForm
  private let topic: [String]

  init(_ session: Session) {
    form = HelpForm(session.arguments, session.console)
    topic = session.arguments.positionals
  }

  func act(_ session: Session) throws(CommandError) -> String {
    let width = session.console.terminal.helpWidth
    if form == .text, let text = FormatGuide.text(on: topic, width: width) { return text }
    return try Commands.table.help(on: topic, in: form, width: width)
  }

  func show(_ answer: String, _ session: Session) throws(CommandError) -> ExitCode {
    if form == .text {
      try session.console.help(answer, environment: Environment.all)
    } else {
      session.console.data(answer)
    }
    return .done
  }
}
