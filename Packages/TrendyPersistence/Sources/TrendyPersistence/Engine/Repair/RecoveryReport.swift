/// State of the end of the log when the store was opened.
public struct RecoveryReport: Hashable, Sendable {
  /// Path of the last chunk of the log.
  public var path: String
  /// Offset in bytes of the end of the last intact save.
  public var offset: Int
  /// Length in bytes of an unfinished save after ``offset``, without trailing zeros, or 0 if there is no such save. The
  /// save was never reported as complete. The next save moves these bytes to a separate file.
  public var cutBytes: Int
  /// Number of saves read from the log.
  public var saves: Int

  /// Whether an unfinished save was found.
  public var wasCut: Bool { cutBytes > 0 }

  /// Creates a report.
  public init(path: String, offset: Int, cutBytes: Int, saves: Int) {
    self.path = path
    self.offset = offset
    self.cutBytes = cutBytes
    self.saves = saves
  }
}
