/// Format of a backup file (docs/format.md, "Backup"): a header, followed by blocks with chained checksums, which
/// reveal any block that was altered, removed, moved or added.
enum BackupFormat {
  static let magic: UInt64 = 0x6B62_7964_6E65_7274  // "trendybk"
  static let version = 1
  static let headerBytes = 64
  static let blockHeaderBytes = 24
  /// Usual length of a block of rows in bytes.
  static let usualBlock = 1 << 20
  /// Maximum length of a block in bytes, enough for one row of maximum length.
  static let largestBlock = RowLayout.size(payloadCount: RowLayout.largestPayload) + blockHeaderBytes

  enum BlockKind: UInt32 {
    /// Start of a store; contains the store's name and the sequence number of its last save.
    case store = 1
    /// Rows of the most recently started store.
    case records = 2
    /// Last block of an unsigned backup; contains the total number of rows.
    case end = 3
    /// Follows the end of a signed backup; contains the HMAC-SHA-256 of all bytes before this block.
    case signature = 4
  }

  static let signatureBytes = 32
  /// Maximum sequence number of a store in a backup; the restored store continues from it.
  static let largestSequence = StoreFormat.largestNumber / 2

  /// Whether `name` has 1 to 80 letters, digits and `-`, `_`, `@`, `~`, `=`, so that it cannot contain a path
  /// separator.
  static func isStoreName(_ name: String) -> Bool {
    (1...80).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_@~=".utf8.contains(byte)
        }
      }
  }

  /// Returns the checksum of a block.
  /// - Parameters:
  ///   - block: bytes of the whole block.
  ///   - before: checksum of the previous block or of the header.
  static func checksum(_ block: UnsafeRawBufferPointer, before: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[..<16]), seed: before)
    return Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[blockHeaderBytes...]), seed: head)
  }
}
