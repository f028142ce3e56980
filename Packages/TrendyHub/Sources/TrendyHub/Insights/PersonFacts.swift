import Foundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// What a person says of their types: names, goals, excused days. A few entries, read anew each time.
struct PersonFacts: Sendable {
  /// Of the types that live, by id.
  let goals: [String: Goal?]
  let names: [String: String]
  /// The type under which odometers are read; `nil` where there is none, or where it has a goal, so that its person wants it looked at.
  let readingType: String?
  /// Excused days, by the ids of types.
  let skips: [String: Set<CivilDate>]
  /// The first property of type duration, of each type that has one.
  let durationKeys: [String: String]
  /// Events that were started and not stopped; none where no goal measures durations.
  let running: Set<String>

  init(_ reading: any HubReading, days: PersonDays, today: CivilDate) throws {
    var goals: [String: Goal?] = [:]
    var names: [String: String] = [:]
    for type in try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max) {
      // Not by the subscript, which would leave a type without a goal out.
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

  /// How far the goal of a type is met in the day or week around a date; `nil` without a goal.
  /// - Parameters:
  ///   - firstWeekday: with which weeks begin; 0 is Sunday.
  ///   - amounts: what each day added to the goal.
  func progress(
    ofType type: String, on date: CivilDate, firstWeekday: Int, amounts: [CivilDate: Double]
  ) -> GoalProgress? {
    guard let goal = goals[type] ?? nil else { return nil }
    return goal.progress(
      on: date, firstWeekday: firstWeekday, amounts: amounts, skips: (skips[type] ?? []).map { $0...$0 })
  }

  /// What an event adds to the goal of its type; `nil` where the type has none.
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

  /// The days that begin in a skip; those of a century before today at most.
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
  /// As much of an event as a goal looks at.
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
