public import TrendyModels

/// Days and events on which a finding is based.
public struct Evidence: Hashable, Sendable, Codable {
  /// Number of days with events.
  public let activeDays: Int
  /// Number of events.
  public let events: Int
  /// First day of the range considered.
  public let from: CivilDate
  /// Last day of the range considered.
  public let through: CivilDate

  public init(activeDays: Int, events: Int, from: CivilDate, through: CivilDate) {
    self.activeDays = activeDays
    self.events = events
    self.from = from
    self.through = through
  }

  /// Number of days in the range.
  public var days: Int { from.distance(to: through) + 1 }
}

/// Result of an analysis: a value, the amount of data still missing, or nothing notable.
public enum Finding<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
  case found(Value)
  /// Number of further days needed.
  case needsDays(Int)
  /// Number of further events needed.
  case needsEvents(Int)
  /// There is enough data, but no pattern.
  case nothing

  /// Value of `found`, otherwise `nil`.
  public var value: Value? {
    if case .found(let value) = self { value } else { nil }
  }
}

/// Confidence in a finding, from sample size and significance.
public enum Confidence: String, Hashable, Sendable, Codable, CaseIterable {
  case low
  case medium
  case high
}
