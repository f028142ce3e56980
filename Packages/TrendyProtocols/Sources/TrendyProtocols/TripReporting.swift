public import TrendyModels

/// One thing that happened to a trip. Its time is the fix's own.
public struct TripReport: Hashable, Sendable {
  /// What happened. An `end` is of tracking, and a `resume` may follow it; a `cancel` is of a trip that was none.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case start
    case ping
    case resume
    case end
    case cancel
  }

  public var kind: Kind
  public var location: Location

  public init(kind: Kind, location: Location) {
    self.kind = kind
    self.location = location
  }
}

/// Takes what a trip coordinator has to tell: a queue to the hub, a store, a log.
public protocol TripReporting: Sendable {
  /// Called on the coordinator's isolation, in order; must not wait.
  func report(_ report: TripReport)
}
