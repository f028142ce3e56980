public import TrendyFoundation
import TrendyInsights
public import TrendyModels
public import TrendyProtocols

/// A type with a goal, and how far that is met in the present day or week.
public struct TypeGoal: Hashable, Sendable {
  public let type: EventType
  public let progress: GoalProgress

  public init(type: EventType, progress: GoalProgress) {
    self.type = type
    self.progress = progress
  }

  /// Of those types that have a goal, in their order; without one, nothing is read.
  /// - Parameters:
  ///   - types: those that are asked about.
  ///   - store: has their events, the excused days and what runs.
  ///   - now: lies in the day, or the week.
  ///   - local: says when days and weeks begin.
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

  /// The keys of the first properties of type duration, by the ids of their types.
  static func durationKeys(in store: any DataStoreProtocol) throws -> [String: String] {
    Dictionary(
      grouping: try store.fetchAllPropertyDefinitions().filter { $0.propertyType == .duration }, by: \.eventTypeId
    ).compactMapValues { $0.min { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) }?.key }
  }
}

extension Skip {
  /// The days of the person that it excuses; what ends where a day begins takes nothing of that day.
  public func dates(in local: LocalTime) -> ClosedRange<CivilDate> {
    let first = local.day(of: days.lowerBound)
    return first...max(first, local.day(of: days.upperBound.addingTimeInterval(-0.001)))
  }
}
