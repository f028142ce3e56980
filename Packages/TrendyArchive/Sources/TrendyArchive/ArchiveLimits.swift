/// How much an archive of strangers may ask for, so that one made to exhaust memory or disk is refused.
public struct ArchiveLimits: Hashable, Sendable {
  /// Entries of an archive; each takes about 150 bytes of memory.
  public var entries: Int
  /// Decompressed bytes for each compressed one, counted from the first MiB on. Deflate can reach 1032; text that people
  /// export stays below 50.
  public var ratio: Int
  /// Decompressed bytes of the whole.
  public var totalBytes: Int64

  public init(entries: Int = 250_000, ratio: Int = 250, totalBytes: Int64 = 256 << 30) {
    self.entries = entries
    self.ratio = ratio
    self.totalBytes = totalBytes
  }

  /// Holds what came out of a stream against what went in.
  func check(entry: String?, given: Int64, taken: Int64) throws(ArchiveError) {
    guard given <= totalBytes else {
      throw .exceedsLimit(entry: entry, reason: "it holds more than \(totalBytes) bytes")
    }
    guard given <= 1 << 20 || given / Int64(ratio) <= taken else {
      throw .exceedsLimit(
        entry: entry, reason: "it holds more than \(ratio) times as many bytes as it takes, as no text or track does")
    }
  }
}
