public import TrendyFoundation

/// What a person is told while it happens.
public enum LiveNotice: Hashable, Sendable {
  /// - Parameters:
  ///   - id: of the trip in the record, when it is over.
  ///   - place: where it began, by the name of the person's place.
  case tripStarted(id: String, place: String?, vehicle: String?)
  /// Metres, seconds, and the name of the place where it ended.
  case tripEnded(id: String, distance: Double, duration: TimeInterval, place: String?)
  /// What had begun was no trip.
  case noTrip(id: String)
  case entered(place: String)
  /// After so many seconds.
  case left(place: String, after: TimeInterval)
}
