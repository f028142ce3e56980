import Foundation
import TrendyPersistence

/// Texts that were met, so that one which thousands of entries share is made once.
struct TextPool {
  private typealias Known = (bytes: [UInt8], text: String)
  private var texts: [UInt64: Known] = [:]
  private var last: Known = ([], "")

  /// - Parameters:
  ///   - bytes: which the text is known by.
  ///   - make: gives the text of these bytes; by default they are its UTF-8.
  mutating func text(
    _ bytes: UnsafeRawBufferPointer,
    _ make: (UnsafeRawBufferPointer) -> String = { String(decoding: $0, as: UTF8.self) }
  ) -> String {
    if Self.isEqual(last, bytes) { return last.text }
    let hash = Checksum.xxh64(bytes)
    if let known = texts[hash], Self.isEqual(known, bytes) {
      last = known
    } else {
      last = (Array(bytes), make(bytes))
      // Of two with one hash the first stays known.
      if texts[hash] == nil { texts[hash] = last }
    }
    return last.text
  }

  private static func isEqual(_ known: Known, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard known.bytes.count == bytes.count, let start = bytes.baseAddress else {
      return known.bytes.isEmpty && bytes.isEmpty
    }
    return known.bytes.withUnsafeBytes { own in own.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true }
  }
}
