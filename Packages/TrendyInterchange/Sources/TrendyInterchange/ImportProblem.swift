/// Something in a file or a request that could not be taken, while the rest was.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
  /// Where it stands, such as `line 12` or `locations[3]`; counted from 1 for lines and from 0 in brackets.
  public var place: String
  /// What is wrong with it, in words.
  public var reason: String

  public init(place: String, reason: String) {
    self.place = place
    self.reason = reason
  }

  public var description: String { "\(place): \(reason)" }
}
