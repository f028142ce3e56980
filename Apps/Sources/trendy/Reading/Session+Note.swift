import CommandSupport

extension OptionSpec {
  static let note = OptionSpec(
    "--note", "-n", value: "text", kind: .text, help: "a note; - takes it from the standard input")
}

extension Session {
  func note() throws(CommandError) -> String? {
    guard let text = arguments.value(OptionSpec.note.key) else { return nil }
    return text == "-" ? try FileInput.text(of: text) : text
  }
}
