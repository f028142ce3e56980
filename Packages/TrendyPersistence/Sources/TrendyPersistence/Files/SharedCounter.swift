/// A number that all processes with a file open have in memory together: what one of them advanced the others see at once,
/// without a call to the system.
///
/// It says that something changed and nothing else: it need not survive a loss of power, and has any value after one.
public protocol SharedCounter: AnyObject, Sendable {
  var value: UInt64 { get }
  /// Of a file open for writing.
  /// - Returns: the value from now on.
  @discardableResult
  func advance() -> UInt64
  /// Puts the first bytes of the file in place, at most 64 and a multiple of 8, of a file open for writing. They last as the value
  /// does.
  /// - Returns: whether they are; else they are to be written to the file.
  func put(_ bytes: UnsafeRawBufferPointer) -> Bool
}

extension SharedCounter {
  public func put(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
}

extension OpenFile {
  /// None: whoever has to know reads the file.
  public func counter() throws(FileSystemError) -> (any SharedCounter)? { nil }
}
