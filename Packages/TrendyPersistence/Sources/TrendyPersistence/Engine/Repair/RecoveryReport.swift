/// What opening a store found at the end of its log.
public struct RecoveryReport: Hashable, Sendable {
  /// The file whose tail was cut.
  public var path: String
  /// Where in it the cut is: the end of the last whole save.
  public var offset: Int
  /// Bytes of a save that never finished, from the cut to the last that is not zero; 0 when nothing was cut. They were
  /// not reported as saved. The next save sets them aside in a file of their own before it writes there.
  public var cutBytes: Int
  /// Saves read from the log.
  public var saves: Int

  public var wasCut: Bool { cutBytes > 0 }

  public init(path: String, offset: Int, cutBytes: Int, saves: Int) {
    self.path = path
    self.offset = offset
    self.cutBytes = cutBytes
    self.saves = saves
  }
}
