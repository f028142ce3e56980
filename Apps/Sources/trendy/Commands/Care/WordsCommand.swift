import CommandSupport

/// Hidden command `trendy words`, which completion scripts call for the candidates.
struct WordsCommand: Command {
  static let spec = CommandSpec(
    "words", .any("word", .text), summary: "Print completion candidates, for shells.", group: .system,
    examples: ["words -- log \"\"", "words --line \"trendy log \""], options: WordsQuestion.options, isHidden: true)

  private let question: WordsQuestion

  init(_ session: Session) { question = WordsQuestion(session.arguments) }

  func act(_ session: Session) -> [Candidate] {
    question.candidates(of: Commands.table, values: StoreValues(session, line: question.words))
  }

  func show(_ answer: [Candidate], _ session: Session) -> ExitCode {
    WordsQuestion.show(answer, on: session.console)
    return .done
  }
}
