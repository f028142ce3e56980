/// Completion request of a shell, as passed to the `words` command.
public struct WordsQuestion: Hashable, Sendable {
  public static let options = [
    OptionSpec("--line", value: "text", kind: .text, help: "the whole line as typed, instead of its words"),
    OptionSpec("--breaks", value: "characters", kind: .text, help: "with --line: bash's COMP_WORDBREAKS"),
  ]

  /// Words without the program's name. The last word is incomplete.
  public let words: [String]
  private let line: ShellLine?
  private let breaks: String

  /// Creates a request from the line in `--line`, or else from the positional arguments.
  public init(_ arguments: Arguments) {
    line = arguments.value("--line").map { ShellLine($0) }
    words = line.map { Array($0.words.dropFirst()) } ?? arguments.positionals
    breaks = arguments.value("--breaks") ?? ""
  }

  /// Returns the candidates in the format needed by the requesting shell.
  public func candidates(of table: CommandTable, values: some CompletionValues) -> [Candidate] {
    let found = table.candidates(for: words, values: values)
    return line?.completing(found, breaks: breaks) ?? found
  }

  /// Prints one candidate per line, each followed by a tab and its description.
  public static func show(_ candidates: [Candidate], on console: Console) {
    for candidate in candidates {
      console.row([candidate.text] + (candidate.meaning.isEmpty ? [] : [candidate.meaning]))
    }
  }
}
