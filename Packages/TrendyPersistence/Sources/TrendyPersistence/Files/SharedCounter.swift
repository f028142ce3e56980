/// Counter in memory shared by all processes that have a file open. The processes see an increment without a system
/// call.
///
/// The counter only indicates that something has changed. After a power loss, it may have any value.
public protocol SharedCounter: AnyObject, Sendable {
  /// Current value.
  var value: UInt64 { get }
  /// Increments the counter. Requires a file open for writing.
  /// - Returns: the new value.
  @discardableResult
  func advance() -> UInt64
  /// Replaces the first bytes of the file through the mapping. Requires a file open for writing. Like the counter,
  /// these bytes may be lost in a power failure.
  /// - Parameter bytes: at most 64 bytes, a multiple of 8.
  /// - Returns: whether the bytes were replaced. If not, the caller must write them to the file.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool
}

extension SharedCounter {
  /// Returns `false`.
  public func put(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
}

extension OpenFile {
  /// Returns `nil`, so readers have to check the file.
  public func counter() throws(FileSystemError) -> (any SharedCounter)? { nil }
}
