import TrendyFoundation
import TrendyModels

/// Cuts bytes, however they come in pieces, into lines that end in a line feed.
struct LineReader: Sendable {
  /// Bytes a line may have.
  private let limit: Int
  private var begun = Data()

  init(limit: Int) { self.limit = limit }

  /// The lines that `data` ends, without their line feeds.
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
      throw APIError.decodingError("a line of the answer has more than \(limit) bytes")
    }
    return lines
  }

  /// What came after the last line feed; `nil` for nothing.
  var rest: Data? { begun.isEmpty ? nil : begun }
}
