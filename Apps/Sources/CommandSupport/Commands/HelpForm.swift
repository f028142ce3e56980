/// Output format of help.
public enum HelpForm: Hashable, Sendable {
  case text
  case json
  case markdown
  /// For `man`.
  case manual

  public init(_ arguments: Arguments, _ console: Console) {
    self =
      arguments.has("--markdown") ? .markdown : arguments.has("--manual") ? .manual : console.isJSON ? .json : .text
  }
}

extension CommandTable {
  /// - Throws: ``CommandError`` with exit 64 if there is no such topic.
  public func help(on topic: [String], in form: HelpForm, width: Int) throws(CommandError) -> String {
    switch form {
    case .text: try help(on: topic, width: width)
    case .json: "\(JSONText.object([("schema", .string("\(program).help/1"))] + document))"
    case .markdown: markdown
    case .manual: manual
    }
  }
}
