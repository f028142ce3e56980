import Foundation

/// Scripts and stylesheets as they are served: without the comments that their sources have, which are a sixth of all that a browser
/// would load.
enum PageText {
  private static let newline = UInt8(ascii: "\n")
  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let space = UInt8(ascii: " ")

  /// The text without comments between `/*` and `*/` and without lines that are a comment; what stands apart stays on its line.
  ///
  /// Strings are not told from code: no source has a comment's beginning in one, which a test holds.
  static func withoutComments(_ text: Data) -> Data {
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
          // What a comment parted stays parted.
          kept.append(space)
          isInComment = true
          index += 2
        case (false, let byte, _):
          kept.append(byte)
          index += 1
        }
      }
      while kept.last == space { kept.removeLast() }
      guard let first = kept.firstIndex(where: { $0 != space }), !kept[first...].starts(with: [slash, slash]) else {
        continue
      }
      result += kept
      result.append(newline)
    }
    return Data(result)
  }
}
