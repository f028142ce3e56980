import CommandSupport

struct CompletionsCommand: DaemonCommand {
  static let spec = CommandSpec(
    "completions print", .one("shell", .oneOf(CompletionShell.allCases.map(\.rawValue)), "shell"),
    summary: "Print the completion script for bash, fish or zsh.", group: .run,
    examples: ["completions print bash"])

  private let shell: CompletionShell

  init(_ session: DaemonSession) throws { shell = try CompletionShell(named: session.arguments.positionals[0]) }

  func act(_ session: DaemonSession) -> String { shell.script(for: DaemonCommands.table.program) }

  func show(_ answer: String, _ session: DaemonSession) -> ExitCode {
    session.console.raw(answer)
    return .done
  }
}

/// Hidden command `trendyd words`, which completion scripts call for the candidates.
struct WordsCommand: DaemonCommand {
  static let spec = CommandSpec(
    "words", .any("word", .text), summary: "Print completion candidates, for shells.", group: .run,
    examples: ["words -- hub \"\""], options: WordsQuestion.options, isHidden: true)

  private let question: WordsQuestion

  init(_ session: DaemonSession) { question = WordsQuestion(session.arguments) }

  func act(_ session: DaemonSession) -> [Candidate] {
    question.candidates(of: DaemonCommands.table, values: NoValues())
  }

  func show(_ answer: [Candidate], _ session: DaemonSession) -> ExitCode {
    WordsQuestion.show(answer, on: session.console)
    return .done
  }
}
