import Foundation

/// Minifies scripts and stylesheets by removing comments and indentation, a fifth of their compressed size.
enum PageText {
  private static let newline = UInt8(ascii: "\n")
  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let space = UInt8(ascii: " ")

  /// Removes block comments, comment lines, and spaces at both ends of lines.
  ///
  /// The text is not parsed. Instead, a test ensures that no string contains a comment delimiter or a line break.
  static func compacted(_ text: Data) -> Data {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isInComment = false
    for line in Array(text).split(separator: newline) {
      var kept: [UInt8] = []
      var index = line.startIndex
      while index < line.endIndex {
        let next = index + 1 < line.endIndex ? line[index + 1] : newline
        switch (isInComment, line[index], next) {
        case (true, star, slash):
          isInComment = false
          index += 2
        case (true, _, _):
          index += 1
        case (false, slash, star):
          // Tokens separated by a comment must stay separate.
          kept.append(space)
          isInComment = true
          index += 2
        case (false, let byte, _):
          kept.append(byte)
          index += 1
        }
      }
      while kept.last == space { kept.removeLast() }
      let trimmed = kept.drop { $0 == space }
      guard !trimmed.isEmpty, !trimmed.starts(with: [slash, slash]) else { continue }
      result += trimmed
      result.append(newline)
    }
    return Data(result)
  }
}
