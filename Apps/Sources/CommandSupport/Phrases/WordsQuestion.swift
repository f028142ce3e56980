/// Candidates as the completion scripts ask for them, in `words` of each program.
public struct WordsQuestion: Hashable, Sendable {
  public static let options = [
    OptionSpec("--line", value: "text", kind: .text, help: "the whole line as typed, in place of its words"),
    OptionSpec("--breaks", value: "characters", kind: .text, help: "with --line: COMP_WORDBREAKS of bash"),
  ]

  /// Without the program's name; the last is being typed.
  public let words: [String]
  private let line: ShellLine?
  private let breaks: String

  public init(_ arguments: Arguments) {
    line = arguments.value("--line").map { ShellLine($0) }
    words = line.map { Array($0.words.dropFirst()) } ?? arguments.positionals
    breaks = arguments.value("--breaks") ?? ""
  }

  public func candidates(of table: CommandTable, values: some CompletionValues) -> [Candidate] {
    let found = table.candidates(for: words, values: values)
    return line?.completing(found, breaks: breaks) ?? found
  }

  /// One a line; a tab parts a word from its meaning.
  public static func show(_ candidates: [Candidate], on console: Console) {
    for candidate in candidates {
      console.row([candidate.text] + (candidate.meaning.isEmpty ? [] : [candidate.meaning]))
    }
  }
}
