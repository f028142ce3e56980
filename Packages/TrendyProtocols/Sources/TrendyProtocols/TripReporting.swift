public import TrendyModels

/// Change to a trip, with the fix where it happened.
public struct TripReport: Hashable, Sendable {
  /// Kind of change. After `end`, tracking has stopped but the trip can still be resumed. After `cancel`, the trip is
  /// discarded.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case start
    case ping
    case resume
    case end
    case cancel
  }

  /// Kind of change.
  public var kind: Kind
  /// Fix where the change happened. Its timestamp is the time of the change.
  public var location: Location

  public init(kind: Kind, location: Location) {
    self.kind = kind
    self.location = location
  }
}

/// Receives a trip coordinator's reports, for example to queue, store or log them.
public protocol TripReporting: Sendable {
  /// Receives one report. Called in order on the coordinator's isolation, and must not block.
  func report(_ report: TripReport)
}
