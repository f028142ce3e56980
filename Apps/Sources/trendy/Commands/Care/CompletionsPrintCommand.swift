import CommandSupport

struct CompletionsPrintCommand: Command {
  static let spec = CommandSpec(
    "completions print", .one("shell", .oneOf(CompletionShell.allCases.map(\.rawValue)), "shell"),
    summary: "Print the completion script for bash, fish or zsh.", group: .system,
    examples: ["completions print bash", "completions print fish"])

  private let shell: CompletionShell

  init(_ session: Session) throws { shell = try CompletionShell(named: session.arguments.positionals[0]) }

  func act(_ session: Session) -> String { shell.script(for: Commands.table.program) }

  func show(_ answer: String, _ session: Session) -> ExitCode {
    session.console.raw(answer)
    return .done
  }
}
