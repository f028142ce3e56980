import CommandSupport

extension OptionSpec {
  static let note = OptionSpec(
    "--note", "-n", value: "text", kind: .text, help: "a note; - takes it from the standard input")
}

extension Session {
  /// What was said of the note: empty for none, as where nothing comes in; `nil` where nothing was said of it.
  func note() throws(CommandError) -> String? {
    guard let text = arguments.value(OptionSpec.note.key) else { return nil }
    return text == "-" ? try FileInput.text(of: text) : text
  }
}

extension String {
  /// What is kept of a note that was said: `nil` where nothing is to be seen in it.
  var asNote: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
