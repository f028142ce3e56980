/// Parses the beginning of a document: the byte order mark, and the encoding in the XML declaration.
extension XMLScanner {
  mutating func begin() throws(XMLProblem) {
    while count < 5, !isAtEnd { try refill() }
    if count >= 3, window[0] == 0xEF, window[1] == 0xBB, window[2] == 0xBF { position = 3 }
    if count >= 2, window[0] == 0xFE && window[1] == 0xFF || window[0] == 0xFF && window[1] == 0xFE {
      throw problem("UTF-16 is not supported; use UTF-8 or ISO 8859-1")
    }
    while true {
      let start = position
      do throws(XMLProblem) {
        return try readDeclaration()
      } catch {
        guard error.isTruncated, !isAtEnd else { throw error }
        position = start
        try refill()
      }
    }
  }

  private mutating func readDeclaration() throws(XMLProblem) {
    guard starts(with: "<?xml") else { return }
    guard position + 5 < count else {
      if !isAtEnd { throw more }
      return
    }
    guard isSpace(window[position + 5]) else { return }
    let from = position + 5
    try skip(past: "?>", from: from, what: "XML declaration")
    // Search manually, because the standard library's search would link regular expression code into every program.
    let declaration = Array(bytes(from..<position - 2))
    let word = Array("encoding".utf8)
    guard let found = declaration.indices.first(where: { declaration[$0...].starts(with: word) }) else { return }
    let value = String(decoding: declaration[(found + word.count)...], as: UTF8.self)
      .drop { $0 == " " || $0 == "=" || $0 == "\t" || $0 == "\n" }
    guard let quote = value.first, quote == "\"" || quote == "'" else {
      throw problem("the encoding in the XML declaration is not quoted")
    }
    let name = value.dropFirst().prefix { $0 != quote }.lowercased()
    switch name {
    case "utf-8", "utf8", "us-ascii", "ascii": isLatin1 = false
    case "iso-8859-1", "iso8859-1", "latin1", "latin-1": isLatin1 = true
    default: throw problem("encoding \"\(name)\" is not supported; use UTF-8 or ISO 8859-1")
    }
  }
}
