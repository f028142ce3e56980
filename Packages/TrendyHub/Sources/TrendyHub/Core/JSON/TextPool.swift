import Foundation
import TrendyPersistence

/// Deduplicates strings, so that thousands of entries with equal text share one `String`.
struct TextPool {
  private typealias Known = (bytes: [UInt8], text: String)
  private var texts: [UInt64: Known] = [:]
  private var last: Known = ([], "")

  /// Returns the string for the given bytes, created by `make` if it is not cached.
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
      // If two keys have the same hash, only the first is cached.
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
