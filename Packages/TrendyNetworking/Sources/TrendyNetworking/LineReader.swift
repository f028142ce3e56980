import TrendyFoundation
import TrendyModels

/// Splits chunks of bytes into lines that end with a line feed.
struct LineReader: Sendable {
  /// Maximum length of a line in bytes.
  private let limit: Int
  private var begun = Data()

  init(limit: Int) { self.limit = limit }

  /// Appends data and returns the lines that it completes, without line feeds.
  mutating func read(_ data: Data) throws -> [Data] {
    var lines: [Data] = []
    var rest = data[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(begun + rest[..<end])
      begun = Data()
      rest = rest[(end + 1)...]
    }
    begun += rest
    guard begun.count <= limit, lines.allSatisfy({ $0.count <= limit }) else {
      throw APIError.decodingError("a line of the response has more than \(limit) bytes")
    }
    return lines
  }

  /// Bytes after the last line feed, or `nil` if there are none.
  var rest: Data? { begun.isEmpty ? nil : begun }
}
