/// Pull parser for XML 1.0. Rejects malformed documents.
///
/// Each call to ``next()`` returns one event whose names and text are strings.
struct XMLReader: ~Copyable {
  enum Event: Hashable {
    case start(name: String, attributes: [XMLAttribute])
    case end(name: String)
    /// Non-empty text. Consecutive runs of text are not joined.
    case text(String)
    /// End of the document after the root element.
    case finished
  }

  private var scanner: XMLScanner

  init(_ bytes: [UInt8]) throws(XMLProblem) {
    scanner = try XMLScanner(bytes)
  }

  /// Line and column of the next byte, both from 1. The column is in bytes.
  var place: (line: Int, column: Int) { scanner.place }

  mutating func next() throws(XMLProblem) -> Event {
    while true {
      switch try scanner.next() {
      case .start:
        let name = try scanner.string(scanner.name)
        var attributes: [XMLAttribute] = []
        for attribute in scanner.attributes {
          let qualified = try scanner.string(attribute.name)
          // Namespaces are ignored. If several prefixed attributes have the same local name, the first is used.
          let name = Self.localName(qualified)
          if qualified == name, attributes.contains(where: { $0.name == name }) {
            throw scanner.problem(
              "duplicate attribute \(name) of <\(try scanner.string(scanner.name))>",
              at: attribute.name.lowerBound)
          }
          attributes.append(XMLAttribute(name: name, value: try scanner.unescaped(attribute.value)))
        }
        return .start(name: name, attributes: attributes)
      case .end:
        return .end(name: try scanner.string(scanner.name))
      case .text:
        return .text(try scanner.unescaped(scanner.text))
      case .characterData:
        let text = try scanner.string(scanner.text)
        if !text.isEmpty { return .text(text) }
      case .finished:
        return .finished
      }
    }
  }

  private static func localName(_ qualified: String) -> String {
    guard let colon = qualified.utf8.lastIndex(of: UInt8(ascii: ":")) else { return qualified }
    return String(qualified[qualified.utf8.index(after: colon)...])
  }
}

struct XMLAttribute: Hashable {
  var name: String
  var value: String
}
