/// Line of the configuration file, such as `key = value  # comment`.
struct ConfigurationLine: Hashable {
  enum Content: Hashable {
    /// Empty line or comment.
    case none
    case assignment(key: String, value: String)
    /// Invalid line, with the reason.
    case invalid(String)
  }

  /// Line without its line break.
  let text: String
  let content: Content
  /// Text before and after the value of an assignment, or `nil` for other lines.
  private let frame: (head: Range<String.Index>, tail: Range<String.Index>)?

  static func == (left: ConfigurationLine, right: ConfigurationLine) -> Bool { left.text == right.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  init(_ text: String) {
    self.text = text
    let start = text.firstIndex { !Self.isSpace($0) } ?? text.endIndex
    guard start < text.endIndex, text[start] != "#" else {
      (content, frame) = (.none, nil)
      return
    }
    guard let equals = text[start...].firstIndex(of: "=") else {
      (content, frame) = (.invalid("'\(Self.trimmed(text[start...]))' is not in the form 'key = value'"), nil)
      return
    }
    let key = Self.trimmed(text[start..<equals])
    let first = text[text.index(after: equals)...].firstIndex { !Self.isSpace($0) } ?? text.endIndex
    let (value, end) = Self.value(in: text, from: first)
    frame = (text.startIndex..<first, end..<text.endIndex)
    guard let value else {
      content = .invalid("missing closing quote for '\(key)', or text after the quote")
      return
    }
    content = .assignment(key: key, value: value)
  }

  /// First word of the line, for suggesting a similar key.
  var firstWord: String {
    String(text.drop(while: Self.isSpace).prefix { !Self.isSpace($0) && $0 != "=" && $0 != ":" })
  }

  init(key: String, value: String) { self.init("\(key) = \(Self.written(value))") }

  /// Returns the line with a different value, preserving spaces and comments.
  func replacing(_ value: String) -> ConfigurationLine {
    guard let frame else { return self }
    let head = text[frame.head]
    return ConfigurationLine(
      head + (head.hasSuffix("=") ? " " : "") + Self.written(value) + text[frame.tail])
  }

  /// Parses the value that starts at an index. Returns the value, or `nil` if it is invalid, and the index of its end
  /// including quotes.
  private static func value(in text: String, from start: String.Index) -> (String?, String.Index) {
    guard start < text.endIndex, text[start] == "\"" else {
      var end = start
      while end < text.endIndex, !startsComment(text, end, notBefore: start) { end = text.index(after: end) }
      while end > start, isSpace(text[text.index(before: end)]) { end = text.index(before: end) }
      return (String(text[start..<end]), end)
    }
    var value = ""
    var index = text.index(after: start)
    while index < text.endIndex {
      switch text[index] {
      case "\"":
        let end = text.index(after: index)
        let rest = text[end...].first { !isSpace($0) }
        return (rest == nil || rest == "#" ? value : nil, end)
      case "\\" where text.index(after: index) < text.endIndex:
        index = text.index(after: index)
        value.append(text[index])
      default: value.append(text[index])
      }
      index = text.index(after: index)
    }
    return (nil, text.endIndex)
  }

  /// Whether a `#` starts a comment. Within a word, it is part of the value.
  private static func startsComment(_ text: String, _ index: String.Index, notBefore start: String.Index) -> Bool {
    text[index] == "#" && (index == start || isSpace(text[text.index(before: index)]))
  }

  private static func written(_ value: String) -> String {
    let isPlain =
      !value.isEmpty && !value.contains { $0 == "#" || $0 == "\"" } && value.first.map(isSpace) == false
      && value.last.map(isSpace) == false
    if isPlain { return value }
    return "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, isSpace(last) { text.removeLast() }
    return String(text.drop(while: isSpace))
  }

  private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
}
