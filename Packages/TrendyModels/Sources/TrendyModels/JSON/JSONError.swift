/// Why a text is not the JSON that was asked for, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// As in `changes[3].data.timestamp`; empty for the document as a whole.
  public var path: String
  /// Counted from 0; `nil` for what is missing.
  public var byte: Int?
  /// What was expected, and what was found.
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

/// What a reader of JSON takes; beyond it a document is refused before anything is made of it.
public struct JSONLimits: Hashable, Sendable {
  /// Arrays and objects within each other. Twice what the hub takes in a request, which may wrap it in a few more.
  public var depth: Int
  /// Bytes of one string as it is written.
  public var stringBytes: Int

  public init(depth: Int = 64, stringBytes: Int = .max) {
    self.depth = depth
    self.stringBytes = stringBytes
  }
}
