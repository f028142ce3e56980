import CommandSupport

/// `trendy help`
struct HelpCommand: Command {
  static let spec = CommandSpec(
    "help", .any("command", .command), summary: "What there is, or one command whole.", group: .care,
    examples: ["help log", "help drive", "help times", "help import loop"],
    options: [
      OptionSpec("--markdown", help: "all of it, as a page of Markdown"),
      OptionSpec("--manual", help: "all of it, as a page for man"), Pager.option,
    ])

  private let form: HelpForm
  private let topic: [String]

  init(_ session: Session) {
    form = HelpForm(session.arguments, session.console)
    topic = session.arguments.positionals
  }

  func act(_ session: Session) throws(CommandError) -> String {
    if form == .text, let text = FormatGuide.text(on: topic) { return text }
    return try Commands.table.help(on: topic, in: form)
  }

  func show(_ answer: String, _ session: Session) -> ExitCode {
    session.console.data(answer)
    return .done
  }
}
