public import TrendyFoundation

/// Notice to the user about a trip or a visit.
public enum LiveNotice: Hashable, Sendable {
  /// A trip has started.
  /// - Parameters:
  ///   - id: Id that the trip's event will have.
  ///   - place: Name of the user's place where the trip started, or `nil`.
  ///   - vehicle: Name of the vehicle, or `nil` if unknown.
  case tripStarted(id: String, place: String?, vehicle: String?)
  /// A trip has ended. The values are the distance in metres, the duration in seconds, and the name of the place where
  /// the trip ended.
  case tripEnded(id: String, distance: Double, duration: TimeInterval, place: String?)
  /// A trip was discarded after its start, because it turned out not to be a trip.
  case noTrip(id: String)
  case entered(place: String)
  /// The user has left a place after a visit of this number of seconds.
  case left(place: String, after: TimeInterval)
}
