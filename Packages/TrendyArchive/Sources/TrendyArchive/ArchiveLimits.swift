/// Limits for archives from untrusted sources.
public struct ArchiveLimits: Hashable, Sendable {
  /// Maximum number of entries. Each entry uses about 150 bytes of memory.
  public var entries: Int
  /// Maximum number of decompressed bytes per compressed byte, checked after the first decompressed MiB. Deflate can
  /// reach 1032, while exported text stays below 50.
  public var ratio: Int
  /// Maximum number of decompressed bytes in total.
  public var totalBytes: Int64

  /// Creates limits. The defaults suit exports of several gigabytes.
  public init(entries: Int = 250_000, ratio: Int = 250, totalBytes: Int64 = 256 << 30) {
    self.entries = entries
    self.ratio = ratio
    self.totalBytes = totalBytes
  }

  /// Checks the number of decompressed bytes, `given`, against the total limit and the number of compressed bytes,
  /// `taken`.
  func check(entry: String?, given: Int64, taken: Int64) throws(ArchiveError) {
    guard given <= totalBytes else {
      throw .exceedsLimit(entry: entry, reason: "it contains more than \(totalBytes) bytes")
    }
    guard given <= 1 << 20 || given / Int64(ratio) <= taken else {
      throw .exceedsLimit(
        entry: entry, reason: "it unpacks to more than \(ratio) times its size")
    }
  }
}
