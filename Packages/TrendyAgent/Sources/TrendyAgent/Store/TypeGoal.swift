#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
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
    let goals = types.compactMap { type in type.goal.map { (type, $0) } }
    guard !goals.isEmpty else { return [] }
    let skips = try store.fetchRecords(kind: .skip).compactMap(Skip.init)
    let lastsMatter = goals.contains { $0.1.measure == .duration }
    let running = lastsMatter ? Set(try RunningEvent.all(in: store).map(\.event.id)) : []
    let durationKeys = lastsMatter ? try durationKeys(in: store) : [:]
    let today = local.day(of: now)
    return try goals.map { type, goal in
      let days = goal.days(around: today, firstWeekday: local.firstWeekday)
      var amounts: [CivilDate: Double] = [:]
      for event in try store.events(in: local.timestamps(of: days), ofType: type.id, limit: nil) {
        let day = local.day(of: event)
        guard days.contains(day) else { continue }
        amounts[day, default: 0] += goal.amount(
          of: event, durationKey: durationKeys[type.id], isRunning: running.contains(event.id), now: now)
      }
      let excused = skips.filter { $0.eventTypeId == type.id }.map { $0.dates(in: local) }
      return TypeGoal(
        type: type,
        progress: goal.progress(on: today, firstWeekday: local.firstWeekday, amounts: amounts, skips: excused))
    }
  }

  /// The keys of the first properties of type duration, by the ids of their types.
  static func durationKeys(in store: any DataStoreProtocol) throws -> [String: String] {
    Dictionary(
      grouping: try store.fetchAllPropertyDefinitions().filter { $0.propertyType == .duration }, by: \.eventTypeId
    ).compactMapValues { $0.min { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) }?.key }
  }
}

extension LocalTime {
  /// The timestamps that events of some days may have, in whatever zone they were recorded.
  func timestamps(of days: ClosedRange<CivilDate>) -> Range<Date> {
    let (first, end) = (midnight(of: days.lowerBound), midnight(of: days.upperBound.advanced(by: 1)))
    return first.addingTimeInterval(-Self.longestDateShift)..<end.addingTimeInterval(Self.longestDateShift)
  }
}

extension Skip {
  /// The days of the person that it excuses; what ends where a day begins takes nothing of that day.
  public func dates(in local: LocalTime) -> ClosedRange<CivilDate> {
    let first = local.day(of: days.lowerBound)
    return first...max(first, local.day(of: days.upperBound.addingTimeInterval(-0.001)))
  }
}
