import Foundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Settings of a user's types: names, goals, skips. Few entries, read for each request.
struct PersonFacts: Sendable {
  /// Goals of the living types by id; the value is `nil` for a type without a goal.
  let goals: [String: Goal?]
  let names: [String: String]
  /// Type of odometer readings; `nil` if there is none, or if it has a goal and is treated like any type.
  let readingType: String?
  /// Days on which no events are expected, by type.
  let skips: [String: Set<CivilDate>]
  /// Key of the first duration property, by type.
  let durationKeys: [String: String]
  /// Ids of running events; empty if no goal measures durations.
  let running: Set<String>

  init(_ reading: any HubReading, days: PersonDays, today: CivilDate) throws {
    var goals: [String: Goal?] = [:]
    var names: [String: String] = [:]
    for type in try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max) {
      // Assigning `nil` by subscript would remove the type instead.
      goals.updateValue(type.fields["goal"].flatMap { Goal($0.value) } as Goal?, forKey: type.id)
      names[type.id] = type.fields["name"]?.value.stringValue ?? ""
    }
    (self.goals, self.names) = (goals, names)
    readingType = BuiltInType.odometer.present(among: names).flatMap { goals[$0] ?? nil == nil ? $0 : nil }
    skips = try Self.skips(reading, days: days, today: today)
    durationKeys = try Self.durationKeys(reading)
    let asksForDurations = goals.values.contains { $0?.measure == .duration }
    running = asksForDurations ? try Self.running(reading) : []
  }

  /// Returns the progress of a type's goal in the day or week of a date; `nil` without a goal.
  ///
  /// - Parameters:
  ///   - type: Id of the type.
  ///   - date: A day in the period.
  ///   - firstWeekday: First day of a week; 0 is Sunday.
  ///   - amounts: Contribution of each day to the goal.
  func progress(
    ofType type: String, on date: CivilDate, firstWeekday: Int, amounts: [CivilDate: Double]
  ) -> GoalProgress? {
    guard let goal = goals[type] ?? nil else { return nil }
    return goal.progress(
      on: date, firstWeekday: firstWeekday, amounts: amounts, skips: (skips[type] ?? []).map { $0...$0 })
  }

  /// Returns the contribution of an event to the goal of its type; `nil` without a goal.
  func amount(of entry: HubEntry, type: String, now: Date) -> Double? {
    guard let goal = goals[type] ?? nil else { return nil }
    return goal.amount(
      of: entry.event(ofType: type), durationKey: durationKeys[type], isRunning: running.contains(entry.id), now: now)
  }

  private static func running(_ reading: any HubReading) throws -> Set<String> {
    Set(
      try reading.living(kind: SyncedKind.setting.name, offset: 0, limit: .max)
        .filter { $0.fields["key"]?.value.stringValue == "running" }
        .compactMap { $0.fields["value"]?.value.stringValue })
  }

  /// Returns the days that begin within a skip, limited to the last hundred years.
  private static func skips(
    _ reading: any HubReading, days: PersonDays, today: CivilDate
  ) throws -> [String: Set<CivilDate>] {
    var skips: [String: Set<CivilDate>] = [:]
    for skip in try reading.living(kind: SyncedKind.skip.name, offset: 0, limit: .max) {
      func moment(_ name: String) -> Date? { skip.fields[name]?.value.stringValue.flatMap { RFC3339.date(from: $0) } }
      guard let type = skip.fields["event_type_id"]?.value.stringValue, let from = moment("from"), let to = moment("to")
      else { continue }
      var day = max(days.day(of: from), today.advanced(by: -36_525))
      while day <= today, days.start(of: day) < to.milliseconds {
        if days.start(of: day) >= from.milliseconds { skips[type, default: []].insert(day) }
        day = day.advanced(by: 1)
      }
    }
    return skips
  }

  private static func durationKeys(_ reading: any HubReading) throws -> [String: String] {
    var keys: [String: (order: Int64, key: String)] = [:]
    for property in try reading.living(kind: SyncedKind.propertyDefinition.name, offset: 0, limit: .max) {
      guard property.fields["property_type"]?.value.stringValue == PropertyType.duration.rawValue,
        let type = property.fields["event_type_id"]?.value.stringValue,
        let key = property.fields["key"]?.value.stringValue
      else { continue }
      let found = (property.fields["display_order"]?.value.intValue ?? 0, key)
      if let known = keys[type], known < found { continue }
      keys[type] = found
    }
    return keys.mapValues(\.key)
  }
}

extension HubEntry {
  /// Returns an event with the properties that goals use.
  fileprivate func event(ofType type: String) -> Event {
    var properties: [String: PropertyValue] = [:]
    for (name, field) in fields where name.hasPrefix("properties.") {
      guard let kind = field.value.objectValue?["type"]?.stringValue.flatMap({ PropertyType(rawValue: $0) }),
        kind == .number || kind == .duration
      else { continue }
      properties[String(name.dropFirst("properties.".count))] = PropertyValue(
        type: kind, value: field.value.objectValue?["value"] ?? .null)
    }
    return Event(
      id: id, eventTypeId: type, timestamp: Date(milliseconds: listMoment),
      endDate: fields["end_date"]?.value.stringValue.flatMap { RFC3339.date(from: $0) },
      isAllDay: fields["is_all_day"]?.value.boolValue ?? false, properties: properties)
  }
}
