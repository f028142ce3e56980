public import TrendyModels

/// Change to a trip, with the fix at which it happened.
public struct TripReport: Hashable, Sendable {
  /// Kind of change. After `end`, tracking has stopped but `resume` may follow; `cancel` discards the trip.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case start
    case ping
    case resume
    case end
    case cancel
  }

  /// Kind of change.
  public var kind: Kind
  /// Fix at which the change happened; its timestamp is the time of the change.
  public var location: Location

  public init(kind: Kind, location: Location) {
    self.kind = kind
    self.location = location
  }
}

/// Receiver of a trip coordinator's reports, for example to queue, store or log them.
public protocol TripReporting: Sendable {
  /// Receives one report. Called in order on the coordinator's isolation; must not block.
  func report(_ report: TripReport)
}
