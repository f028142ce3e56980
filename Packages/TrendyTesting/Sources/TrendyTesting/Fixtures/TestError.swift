/// An error that nothing but a test throws.
public struct TestError: Error, Hashable, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String = "Set by a test") {
    self.message = message
  }

  public var description: String { message }
}
