/// Reason why one item in a file or request was rejected while the rest was accepted.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
  /// Position of the item, such as `line 12` or `locations[3]`. Lines count from 1, array elements from 0.
  public var place: String
  /// Reason for the rejection, worded for the user.
  public var reason: String

  /// Creates a problem.
  public init(place: String, reason: String) {
    self.place = place
    self.reason = reason
  }

  /// Position and reason, separated by a colon.
  public var description: String { "\(place): \(reason)" }
}
