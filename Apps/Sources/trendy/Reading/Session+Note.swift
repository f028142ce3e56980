import CommandSupport

extension OptionSpec {
  static let note = OptionSpec(
    "--note", "-n", value: "text", kind: .text, help: "note; - reads it from standard input")
}

extension Session {
  /// Returns the note from `--note`, which may be empty, or `nil` without the option.
  func note() throws(CommandError) -> String? {
    guard let text = arguments.value(OptionSpec.note.key) else { return nil }
    return text == "-" ? try FileInput.text(of: text) : text
  }
}

extension String {
  /// Note to store, or `nil` if the text is only whitespace.
  var asNote: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
