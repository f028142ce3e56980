import CommandSupport

extension Command {
  static let helpCommands: [Command] = [
    Command(
      path: ["help"], arguments: "[<command>]", summary: "What there is, or one command whole.", group: .care,
      examples: ["help log", "help drive"]
    ) { session in
      if session.console.isJSON {
        session.console.document("trendy.help/1", table.document)
      } else {
        session.console.data(try table.help(on: session.arguments.positionals))
      }
      return .done
    }
  ]
}
