/// Error from parsing or decoding JSON, with its location.
public struct JSONError: Error, Hashable, Sendable {
  /// Path such as `changes[3].data.timestamp`, or an empty string for the whole document.
  public var path: String
  /// Zero-based byte offset in the document, or `nil` for a missing value.
  public var byte: Int?
  /// Expected and found values.
  public var reason: String

  public init(path: String, byte: Int?, reason: String) {
    self.path = path
    self.byte = byte
    self.reason = reason
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String {
    (path.isEmpty ? "the document" : path) + ": " + reason + (byte.map { ", at byte \($0)" } ?? "")
  }
}

/// Limits for JSON documents. A document that exceeds them is rejected before any value is created.
public struct JSONLimits: Hashable, Sendable {
  /// Maximum nesting depth of arrays and objects. The default is twice the hub's limit for requests, because responses
  /// can add levels.
  public var depth: Int
  /// Maximum length of one string in bytes, with escapes as written.
  public var stringBytes: Int

  public init(depth: Int = 64, stringBytes: Int = .max) {
    self.depth = depth
    self.stringBytes = stringBytes
  }
}
