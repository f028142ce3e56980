public import TrendyModels

/// Event type with a goal, and its progress on the current day or in the current week.
public struct TypeGoal: Hashable, Sendable {
  /// The event type.
  public let type: EventType
  /// Progress of the type's goal.
  public let progress: GoalProgress

  public init(type: EventType, progress: GoalProgress) {
    self.type = type
    self.progress = progress
  }
}
