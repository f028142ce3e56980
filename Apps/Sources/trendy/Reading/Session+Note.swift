import CommandSupport

extension OptionSpec {
  static let note = OptionSpec(
    "--note", "-n", value: "text", kind: .text, help: "note; - reads it from standard input")
}

extension Session {
  /// Returns the note given by `--note`, which may be empty, or `nil` if the option was not given.
  func note() throws(CommandError) -> String? {
    guard let text = arguments.value(OptionSpec.note.key) else { return nil }
    return text == "-" ? try FileInput.text(of: text) : text
  }
}

extension String {
  /// The note to store; `nil` if the text contains only whitespace.
  var asNote: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
