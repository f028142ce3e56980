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
    /// The last block; the content is the number of records in all.
    case end = 3
  }

  /// - Parameter before: that of the block before, or of the header.
  static func checksum(_ block: UnsafeRawBufferPointer, before: UInt64) -> UInt64 {
    let head = Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[..<16]), seed: before)
    return Checksum.xxh64(UnsafeRawBufferPointer(rebasing: block[blockHeaderBytes...]), seed: head)
  }
}
