#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension XMLScanner {
  /// Scans one token. Returns `nil` after markup that is skipped.
  mutating func scan() throws(XMLProblem) -> Token? {
    guard position < count else {
      guard isAtEnd else { throw more }
      if !openStarts.isEmpty { throw truncated("inside <\(try string(ofOpen: openStarts.count - 1))>") }
      guard hasSeenRoot else { throw problem("the file contains no element") }
      return .finished
    }
    guard window[position] == UInt8(ascii: "<") else { return try scanText() }
    guard position + 1 < count else { throw truncated("inside a tag") }
    switch window[position + 1] {
    case UInt8(ascii: "/"):
      return try scanEndTag()
    case UInt8(ascii: "!"):
      if starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        return nil
      } else if starts(with: "<![CDATA[") {
        return try scanCharacterData()
      } else if starts(with: "<!DOCTYPE") {
        try skipDocumentType()
        return nil
      } else if isCutOff {
        throw truncated("inside a tag")
      }
      return try scanStartTag()
    case UInt8(ascii: "?"):
      try skip(past: "?>", from: position + 2, what: "processing instruction")
      return nil
    default:
      return try scanStartTag()
    }
  }

  private mutating func scanStartTag() throws(XMLProblem) -> Token {
    let start = position
    position += 1
    name = localName(try scanName(of: "element"))
    guard !openStarts.isEmpty || !hasSeenRoot else {
      throw problem("a second root element <\(try string(name))>", at: start)
    }
    guard openStarts.count < Self.depthLimit else {
      throw problem("elements are nested deeper than \(Self.depthLimit)", at: start)
    }
    attributes.removeAll(keepingCapacity: true)
    while true {
      let hadSpace = skipSpace()
      guard position < count else { throw try insideTag() }
      let byte = window[position]
      if byte == UInt8(ascii: ">") {
        position += 1
        openStarts.append(openNames.count)
        openNames.append(contentsOf: bytes(name))
        break
      }
      if byte == UInt8(ascii: "/") {
        guard position + 1 < count else { throw try insideTag() }
        guard window[position + 1] == UInt8(ascii: ">") else {
          throw problem("a stray \"/\" in the tag <\(try string(name))>")
        }
        position += 2
        hasPendingEnd = true
        break
      }
      guard hadSpace else { throw problem("an unexpected character in the tag <\(try string(name))>") }
      attributes.append(try scanAttribute())
    }
    hasSeenRoot = true
    return .start
  }

  private mutating func scanAttribute() throws(XMLProblem) -> Attribute {
    let qualified = try scanName(of: "attribute")
    _ = skipSpace()
    guard position < count else { throw try insideTag() }
    guard window[position] == UInt8(ascii: "=") else {
      throw problem("the attribute \(try string(qualified)) of <\(try string(name))> has no value")
    }
    position += 1
    _ = skipSpace()
    guard position < count else { throw try insideTag() }
    let quote = window[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw problem("the value of the attribute \(try string(qualified)) of <\(try string(name))> is not quoted")
    }
    position += 1
    let from = position
    position = firstIndex(of: quote, or: UInt8(ascii: "<"), from: from)
    guard position < count else { throw try insideTag() }
    guard window[position] == quote else {
      throw problem("\"<\" in the attribute \(try string(qualified)) of <\(try string(name))>")
    }
    let value = from..<position
    position += 1
    return Attribute(name: qualified, value: value)
  }

  private mutating func scanEndTag() throws(XMLProblem) -> Token {
    let start = position
    position += 2
    name = localName(try scanName(of: "closing tag"))
    _ = skipSpace()
    guard position < count else { throw truncated("inside the tag </\(try string(name))>") }
    guard window[position] == UInt8(ascii: ">") else {
      throw problem("an unexpected character in the tag </\(try string(name))>")
    }
    position += 1
    guard let open = openStarts.last else { throw problem("</\(try string(name))> without an opening tag", at: start) }
    let isSame =
      openNames.count - open == name.count
      && openNames.withUnsafeBufferPointer { names in
        names.baseAddress.map { memcmp($0 + open, window + name.lowerBound, name.count) == 0 } ?? false
      }
    guard isSame else {
      let expected = try string(ofOpen: openStarts.count - 1)
      throw problem("</\(try string(name))> instead of </\(expected)>", at: start)
    }
    openStarts.removeLast()
    openNames.removeLast(openNames.count - open)
    return .end
  }

  private mutating func scanText() throws(XMLProblem) -> Token? {
    let from = position
    position = firstIndex(of: UInt8(ascii: "<"), in: from..<count) ?? count
    if position == count, !isAtEnd { throw more }
    guard openStarts.isEmpty else {
      text = from..<position
      return .text
    }
    if let stray = (from..<position).first(where: { !isSpace(window[$0]) }) {
      throw problem(hasSeenRoot ? "text after the root element" : "text before the root element", at: stray)
    }
    return nil
  }

  private mutating func scanCharacterData() throws(XMLProblem) -> Token {
    guard !openStarts.isEmpty else { throw problem("text outside the root element") }
    let from = position + 9
    try skip(past: "]]>", from: from, what: "CDATA section")
    text = from..<position - 3
    return .characterData
  }

  private mutating func skipDocumentType() throws(XMLProblem) {
    guard !hasSeenRoot else { throw problem("a document type inside the document") }
    if documentType == .toItsBracket { return try skipToBracketOfDocumentType() }
    var depth = 0
    var quote: UInt8?
    while position < count {
      let byte = window[position]
      if quote == nil, starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        continue
      }
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "]") {
        depth -= 1
      } else if byte == UInt8(ascii: ">"), depth == 0 {
        return
      }
    }
    throw truncated("inside the document type")
  }

  private mutating func skipToBracketOfDocumentType() throws(XMLProblem) {
    var hasSubset = false
    while position < count {
      if starts(with: "<!--") {
        try skip(past: "-->", from: position + 4, what: "comment")
        continue
      }
      let byte = window[position]
      position += 1
      if byte == UInt8(ascii: "[") { hasSubset = true }
      if byte == UInt8(ascii: ">"), !hasSubset { return }
      guard byte == UInt8(ascii: "]") else { continue }
      _ = skipSpace()
      if starts(with: ">") {
        position += 1
        return
      }
    }
    throw truncated("inside the document type")
  }
}
