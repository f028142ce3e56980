public import TrendyFoundation

/// Notice for the user about a trip or visit in progress.
public enum LiveNotice: Hashable, Sendable {
  /// A trip has started.
  /// - Parameters:
  ///   - id: Id that the trip's event will have.
  ///   - place: Name of the user's place where it started, if any.
  ///   - vehicle: Name of the vehicle, if known.
  case tripStarted(id: String, place: String?, vehicle: String?)
  /// A trip has ended; with distance in metres, duration in seconds, and the name of the place where it ended.
  case tripEnded(id: String, distance: Double, duration: TimeInterval, place: String?)
  /// A started trip was discarded because it was not a trip.
  case noTrip(id: String)
  case entered(place: String)
  /// Left a place after a stay of the given number of seconds.
  case left(place: String, after: TimeInterval)
}
