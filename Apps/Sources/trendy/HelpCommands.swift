import CommandSupport

extension Command {
  static let helpCommands: [Command] = [
    Command(
      path: ["help"], arguments: "[<command>]", summary: "What there is, or one command whole.", group: .care,
      examples: ["help log", "help drive", "help --json"],
      options: [OptionSpec("--markdown", help: "all of it, as a page of Markdown")]
    ) { session in
      if session.arguments.has("--markdown") {
        session.console.data(table.markdown)
      } else if session.console.isJSON {
        session.console.document("trendy.help/1", table.document)
      } else {
        session.console.data(try table.help(on: session.arguments.positionals))
      }
      return .done
    }
  ]
}
