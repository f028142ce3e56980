public import TrendyModels

/// What a finding rests on.
public struct Evidence: Hashable, Sendable, Codable {
  /// Days that have an event.
  public let activeDays: Int
  public let events: Int
  /// The first and the last day that were looked at.
  public let from: CivilDate
  public let through: CivilDate

  public init(activeDays: Int, events: Int, from: CivilDate, through: CivilDate) {
    self.activeDays = activeDays
    self.events = events
    self.from = from
    self.through = through
  }

  /// Days that were looked at.
  public var days: Int { from.distance(to: through) + 1 }
}

/// Something that can be said, or how much is still missing: never a number made of nothing.
public enum Finding<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
  case found(Value)
  /// So many more days are needed.
  case needsDays(Int)
  /// So many more events are needed.
  case needsEvents(Int)
  /// There is enough, and nothing stands out.
  case nothing

  public var value: Value? {
    if case .found(let value) = self { value } else { nil }
  }
}

/// How much a finding can be relied on.
public enum Confidence: String, Hashable, Sendable, Codable, CaseIterable {
  case low
  case medium
  case high
}
