/// Format of a backup file (docs/format.md, "Backup"): a header followed by blocks. The checksums of the blocks are
/// chained, so any altered, removed, reordered or inserted block is detected.
enum BackupFormat {
  static let magic: UInt64 = 0x6B62_7964_6E65_7274  // "trendybk"
  static let version = 1
  static let headerBytes = 64
  static let blockHeaderBytes = 24
  /// Usual length of a block of rows, in bytes.
  static let usualBlock = 1 << 20
  /// Maximum length of a block in bytes, which fits one row of maximum length.
  static let largestBlock = RowLayout.size(payloadCount: RowLayout.largestPayload) + blockHeaderBytes

  enum BlockKind: UInt32 {
    /// Starts a store. Contains the store's name and the sequence number of its last save.
    case store = 1
    /// Rows of the store that was started last.
    case records = 2
    /// Last block of an unsigned backup. Contains the total number of rows.
    case end = 3
    /// Follows the end block of a signed backup. Contains the HMAC-SHA-256 of all preceding bytes.
    case signature = 4
  }

  static let signatureBytes = 32
  static let largestSequence = StoreFormat.largestNumber / 2

  /// Whether `name` consists of 1 to 80 letters, digits and `-`, `_`, `@`, `~`, `=`. Excludes path separators.
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

  /// Returns the checksum of a block, chained to the checksum of the preceding block or of the header.
  static func checksum(_ block: UnsafeRawBufferPointer, before: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[..<16]), seed: before)
    return Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[blockHeaderBytes...]), seed: head)
  }
}
