/// JSON text of an object that the hub wrote, searched without decoding when thousands of entries are read.
///
/// The hub writes valid JSON without whitespace. In any other text, the search may miss a member, in which case the
/// caller decodes the whole object.
struct SerializedObject {
  let text: UnsafeRawBufferPointer

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Calls `body` with each member's name, without quotation marks, and its JSON value until it returns `false`.
  ///
  /// - Returns: Whether the text is valid as far as it was read.
  func forEachMember(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard text.count >= 2, text[0] == Sign.openObject else { return false }
    if text[1] == Sign.closeObject { return true }
    var place = 1
    while true {
      guard let nameEnd = endOfString(from: place), nameEnd < text.count, text[nameEnd] == Sign.colon,
        let end = endOfValue(from: nameEnd + 1), end < text.count
      else { return false }
      if !body(part(place + 1, nameEnd - 1), part(nameEnd + 1, end)) { return true }
      if text[end] == Sign.closeObject { return true }
      guard text[end] == Sign.comma else { return false }
      place = end + 1
    }
  }

  /// Returns the JSON text of a member's value, or `nil` if the member is missing or the text before it is invalid.
  func member(_ name: StaticString) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    _ = forEachMember { written, value in
      guard written.equals(name) else { return true }
      found = value
      return false
    }
    return found
  }

  private func part(_ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[from..<to])
  }

  /// Returns the offset after the closing quotation mark.
  private func endOfString(from start: Int) -> Int? {
    guard start < text.count, text[start] == Sign.quotation else { return nil }
    var place = start + 1
    while place < text.count {
      switch text[place] {
      case Sign.quotation: return place + 1
      case Sign.backslash: place += 2
      default: place += 1
      }
    }
    return nil
  }

  private func endOfValue(from start: Int) -> Int? {
    guard start < text.count else { return nil }
    if text[start] == Sign.quotation { return endOfString(from: start) }
    var depth = 0
    var place = start
    while place < text.count {
      switch text[place] {
      case Sign.quotation:
        guard let end = endOfString(from: place) else { return nil }
        place = end
        continue
      case Sign.openObject, Sign.openArray: depth += 1
      case Sign.closeObject, Sign.closeArray:
        if depth == 0 { return place }
        depth -= 1
        if depth == 0 { return place + 1 }
      case Sign.comma: if depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return nil
  }

  private enum Sign {
    static let quotation = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let openObject = UInt8(ascii: "{")
    static let closeObject = UInt8(ascii: "}")
    static let openArray = UInt8(ascii: "[")
    static let closeArray = UInt8(ascii: "]")
  }
}

extension UnsafeRawBufferPointer {
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && text.withUTF8Buffer { elementsEqual($0) }
  }
}
