import CommandSupport

/// `trendy completions print`
struct CompletionsCommand: Command {
  static let spec = CommandSpec(
    "completions print", .one("shell", .oneOf(CompletionShell.allCases.map(\.rawValue)), "the shell"),
    summary: "What a shell reads to complete trendy's words: bash, fish or zsh.", group: .care,
    examples: ["completions print bash", "completions print fish"])

  private let shell: CompletionShell

  init(_ session: Session) throws { shell = try CompletionShell(named: session.arguments.positionals[0]) }

  func act(_ session: Session) -> String { shell.script(for: Commands.table.program) }

  func show(_ answer: String, _ session: Session) -> ExitCode {
    session.console.raw(answer)
    return .done
  }
}

/// `trendy words`: what can follow the words of a command line, asked by the scripts of `trendy completions print`.
struct WordsCommand: Command {
  static let spec = CommandSpec(
    "words", .any("word", .text), summary: "What can follow these words, for shells.", group: .care,
    examples: ["words -- log \"\""], isHidden: true)

  private let words: [String]

  init(_ session: Session) { words = session.arguments.positionals }

  func act(_ session: Session) -> [Candidate] {
    Commands.table.candidates(for: words, values: StoreValues(session))
  }

  func show(_ answer: [Candidate], _ session: Session) -> ExitCode {
    // A tab parts a word from its meaning.
    for candidate in answer { session.console.row([candidate.text, candidate.meaning]) }
    return .done
  }
}
