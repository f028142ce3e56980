/// How a backup lies in its file (docs/format.md, "Backup"): a header, then blocks, each bound to the one before by its
/// checksum, so that none can be altered, left out, moved or added.
enum BackupFormat {
  static let magic: UInt64 = 0x6B62_7964_6E65_7274  // "trendybk"
  static let version = 1
  static let headerBytes = 64
  static let blockHeaderBytes = 24
  /// Records are gathered into blocks of about this size.
  static let usualBlock = 1 << 20
  /// One record, and no block is larger.
  static let largestBlock = RecordLayout.size(payloadCount: RecordLayout.largestPayload) + blockHeaderBytes

  enum BlockKind: UInt32 {
    /// A store begins; the content is the number of its last save, then its name.
    case store = 1
    /// Records of the store that began last.
    case records = 2
    /// The last block of an unsigned backup; the content is the number of records in all.
    case end = 3
    /// Follows the end of a signed backup; the content is the HMAC-SHA-256 of all bytes before this block.
    case signature = 4
  }

  static let signatureBytes = 32
  /// Largest number of a last save: the store that receives it goes on from there.
  static let largestSequence = StoreFormat.largestNumber / 2

  /// Whether `name` has 1 to 80 letters, digits and `-`, `_`, `@`, `~`, `=`: no part of a path.
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

  /// - Parameter before: that of the block before, or of the header.
  static func checksum(_ block: UnsafeRawBufferPointer, before: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[..<16]), seed: before)
    return Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[blockHeaderBytes...]), seed: head)
  }
}
