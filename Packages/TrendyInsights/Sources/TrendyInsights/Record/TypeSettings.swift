public import TrendyFoundation
public import TrendyModels

/// A user's event types with all data except events on which the goals and streaks depend.
public struct TypeSettings: Hashable, Sendable {
  /// Event types by id.
  public let types: [String: EventType]
  /// Skipped days by type.
  public let skips: [String: DaySet]
  /// Key of the first duration property, by type. Empty if no goal measures durations.
  public let durationKeys: [String: String]
  /// Ids of running events. Empty if no goal measures durations.
  public let running: Set<String>

  public init(
    types: [EventType], skips: [String: DaySet] = [:], durationKeys: [String: String] = [:], running: Set<String> = []
  ) {
    self.types = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.skips = skips
    self.durationKeys = durationKeys
    self.running = running
  }

  /// Reads the settings of the given types from a record, or the settings of all types.
  public init(_ record: some UserRecord, types: [EventType]? = nil) throws {
    let types = try types ?? record.eventTypes()
    let measuresDurations = types.contains { $0.goal?.measure == .duration }
    self.init(
      types: types, skips: Skip.days(in: try record.records(of: .skip)),
      durationKeys: measuresDurations ? try record.propertyDefinitions().firstDurationKeys : [:],
      running: measuresDurations ? RunningSetting.eventIds(in: try record.records(of: .setting)) : [])
  }

  /// Types sorted by name.
  public var sortedTypes: [EventType] {
    types.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
  }

  /// Goal of a type, or `nil` if the type has no goal or does not exist.
  public func goal(of type: String) -> Goal? { types[type]?.goal }

  /// Returns the skipped days of a type.
  public func skips(of type: String) -> DaySet { skips[type] ?? [] }

  /// Returns the amount that an event adds to its type's goal, or `nil` if the type has no goal. A running event is
  /// assumed to end at `now`.
  public func amount(of event: Event, now: Date) -> Double? {
    goal(of: event.eventTypeId)?
      .amount(
        of: event, durationKey: durationKeys[event.eventTypeId], isRunning: running.contains(event.id), now: now)
  }

  /// Returns the amounts that an event adds to its type's goal by day, or an empty array if the type has no goal.
  ///
  /// Durations are split at the start of each day. For a goal that counts events, the event counts towards its own day.
  /// A running event is assumed to end at `now`.
  public func amounts(of event: Event, now: Date, local: LocalTime) -> [(day: CivilDate, amount: Double)] {
    guard let amount = amount(of: event, now: now) else { return [] }
    guard goal(of: event.eventTypeId)?.measure == .duration else { return [(local.day(of: event), amount)] }
    return local.shares(of: event, until: running.contains(event.id) ? now : nil).map { ($0.day, $0.share * amount) }
  }

  /// Returns the progress of a type's goal in the day or week of a date, or `nil` if the type has no goal. `amounts`
  /// contains the amount of each day. A `firstWeekday` of 0 means Sunday.
  public func progress(
    of type: String, on day: CivilDate, firstWeekday: Int, amounts: [CivilDate: Double]
  ) -> GoalProgress? {
    goal(of: type)?.progress(on: day, firstWeekday: firstWeekday, amounts: amounts, skips: skips(of: type))
  }

  /// Returns the streak of a type, in weeks if its goal is a weekly minimum, otherwise in days. `amounts` is called
  /// only for a streak in weeks. A `firstWeekday` of 0 means Sunday.
  public func streak(
    of type: String, _ history: TypeHistory, firstWeekday: Int, amounts: () throws -> [CivilDate: Double]
  ) rethrows -> Streak {
    guard let goal = goal(of: type), goal.asksForEveryWeek else { return history.streak(skips: skips(of: type)) }
    return Streak(
      weeksOf: goal, amounts: try amounts(), skips: skips(of: type), today: history.today, firstWeekday: firstWeekday)
  }
}

/// Setting that marks an event as running.
public enum RunningSetting: Sendable {
  /// Key of the setting, whose value is the id of the event.
  public static let key = "running"

  /// Returns the id of the running event that a setting names, or `nil` for any other setting.
  public static func eventId(in setting: SyncedRecord) -> String? {
    setting.fields["key"]?.stringValue == key ? setting.fields["value"]?.stringValue : nil
  }

  static func eventIds(in settings: [SyncedRecord]) -> Set<String> { Set(settings.compactMap(eventId)) }
}
