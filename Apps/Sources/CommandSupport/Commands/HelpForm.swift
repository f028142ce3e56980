/// Output format of help.
public enum HelpForm: Hashable, Sendable {
  case text
  case json
  case markdown
  /// Manual page for man(1).
  case manual

  /// Selects the format requested by `--markdown`, `--manual` or the console's output format.
  public init(_ arguments: Arguments, _ console: Console) {
    self =
      arguments.has("--markdown") ? .markdown : arguments.has("--manual") ? .manual : console.isJSON ? .json : .text
  }
}

extension CommandTable {
  /// Returns help in the given format. `topic` and `width` affect only text. Other formats contain the complete help.
  /// - Throws: ``CommandError`` with exit 64 for an unknown topic.
  public func help(on topic: [String], in form: HelpForm, width: Int) throws(CommandError) -> String {
    switch form {
    case .text: try help(on: topic, width: width)
    case .json: "\(JSONText.object([("schema", .string("\(program).help/1"))] + document))"
    case .markdown: markdown
    case .manual: manual
    }
  }
}
