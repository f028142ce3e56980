public import TrendyFoundation
import TrendyInsights
public import TrendyModels
public import TrendyProtocols

/// Event type with a goal, and its progress on the current day or in the current week.
public struct TypeGoal: Hashable, Sendable {
  /// The event type.
  public let type: EventType
  /// Progress of its goal.
  public let progress: GoalProgress

  public init(type: EventType, progress: GoalProgress) {
    self.type = type
    self.progress = progress
  }

  /// Returns the goals of the types that have one, in their order. Reads nothing if there are none.
  /// - Parameters:
  ///   - types: Types to check.
  ///   - store: The record.
  ///   - now: A time within the day or week.
  ///   - local: The user's calendar.
  /// - Throws: Errors of the store.
  public static func all(
    among types: [EventType], in store: any DataStoreProtocol, now: Date, local: LocalTime
  ) throws -> [TypeGoal] {
    let types = types.filter { $0.goal != nil }
    guard !types.isEmpty else { return [] }
    var tally = try TodayTally(of: types, in: store, now: now, local: local)
    for type in types { try tally.add(type, from: store, hasStreak: false) }
    return types.compactMap { type in
      tally.count(of: type.id)?.progress.map { TypeGoal(type: type, progress: $0) }
    }
  }

  /// Returns the key of the first duration property of each type, by id of the type.
  static func durationKeys(in store: any DataStoreProtocol) throws -> [String: String] {
    Dictionary(
      grouping: try store.fetchAllPropertyDefinitions().filter { $0.propertyType == .duration }, by: \.eventTypeId
    ).compactMapValues { $0.min { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) }?.key }
  }
}

extension Skip {
  /// Returns the skipped days. A skip that ends at the start of a day does not include that day.
  public func dates(in local: LocalTime) -> ClosedRange<CivilDate> {
    let first = local.day(of: days.lowerBound)
    return first...max(first, local.day(of: days.upperBound.addingTimeInterval(-0.001)))
  }
}
