/// Error thrown only by tests.
public struct TestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Text of the error.
  public var message: String

  /// Creates an error with a message.
  public init(_ message: String = "Set by a test") {
    self.message = message
  }

  /// Same as ``message``.
  public var description: String { message }
}
