/// In which form a program tells what it can do.
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
  /// - Throws: ``CommandError`` with exit 64 for a topic that there is no text on.
  public func help(on topic: [String], in form: HelpForm) throws(CommandError) -> String {
    switch form {
    case .text: try help(on: topic)
    case .json: "\(JSONText.object([("schema", .string("\(program).help/1"))] + document))"
    case .markdown: markdown
    case .manual: manual
    }
  }
}
