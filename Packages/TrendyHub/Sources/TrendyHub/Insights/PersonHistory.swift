import Foundation
import TrendyInsights
import TrendyModels

/// When a person's events began, and how much they added to goals: read once from the record, asked for many findings.
struct PersonHistory: Sendable, InsightSource {
  struct TypeRecord: Sendable {
    var moments: [TypeHistory.Moment] = []
    /// What each day added to the type's goal; empty without one.
    var amounts: [CivilDate: Double] = [:]
  }

  /// Of the types that live, by id.
  let goals: [String: Goal?]
  let names: [String: String]
  /// Excused days, by the ids of types.
  let skips: [String: Set<CivilDate>]
  private(set) var records: [String: TypeRecord] = [:]
  let today: CivilDate

  /// Reads the whole record, a part at a time.
  /// - Parameters:
  ///   - from: events before this moment, in milliseconds since 1970, are left out.
  init(_ reading: any HubReading, days: PersonDays, now: Date, from: Int64 = Int64.min / 4) throws {
    today = days.day(of: now)
    var goals: [String: Goal?] = [:]
    var names: [String: String] = [:]
    for type in try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max) {
      // Not by the subscript, which would leave a type without a goal out.
      goals.updateValue(type.fields["goal"].flatMap { Goal($0.value) } as Goal?, forKey: type.id)
      names[type.id] = type.fields["name"]?.value.stringValue ?? ""
    }
    (self.goals, self.names) = (goals, names)
    skips = try Self.skips(reading, days: days, today: today)
    let durations = try Self.durationKeys(reading)
    let running = Set(
      try reading.living(kind: SyncedKind.setting.name, offset: 0, limit: .max)
        .filter { $0.fields["key"]?.value.stringValue == "running" }.compactMap {
          $0.fields["value"]?.value.stringValue
        })
    var records: [String: TypeRecord] = [:]
    try reading.eachEvent(during: from..<Int64.max / 4) { event, entry in
      let type = event.eventTypeId
      guard let goal = goals[type] else { return }
      let moment = days.moment(of: event)
      records[type, default: TypeRecord()].moments.append(moment)
      guard let goal else { return }
      let entry = try entry()
      let amount = goal.amount(
        of: entry.event(ofType: type), durationKey: durations[type], isRunning: running.contains(entry.id), now: now)
      records[type, default: TypeRecord()].amounts[moment.day, default: 0] += amount
    }
    self.records = records
  }

  /// Of every type that has an event up to today.
  func histories() -> [String: TypeHistory] { histories(through: today) }

  func histories(through last: CivilDate) -> [String: TypeHistory] {
    records.mapValues { TypeHistory(moments: $0.moments, today: last) }.filter { $0.value.events > 0 }
  }

  func forEachMoment(
    in days: ClosedRange<CivilDate>, _ body: (String, TypeHistory.Moment) throws -> Void
  ) rethrows {
    for (type, record) in records {
      for moment in record.moments where days.contains(moment.day) { try body(type, moment) }
    }
  }

  /// What each day from the first event to today added to a goal.
  func amounts(ofType type: String, over days: DailySeries) -> DailySeries {
    var series = DailySeries(days.first...today)
    for (day, amount) in records[type]?.amounts ?? [:] { series[day] = amount }
    return series
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

  /// The first property of type duration, of each type that has one.
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

extension HubReading {
  /// Goes through the living of one kind, the latest first, without holding more than a part of them.
  /// - Parameter moments: in milliseconds since 1970.
  func eachLiving(kind: String, during moments: Range<Int64>, atOnce: Int = 5000, _ body: (HubEntry) throws -> Void)
    throws
  {
    var end = moments.upperBound
    while moments.lowerBound < end {
      let found = try living(kind: kind, during: moments.lowerBound..<end, limit: atOnce)
      guard found.count == atOnce, let last = found.last?.listMoment else { return try found.forEach(body) }
      // Those of one moment stay together, as the next part ends before it.
      for entry in found where entry.listMoment != last { try body(entry) }
      for entry in try living(kind: kind, during: last..<last + 1, limit: .max) { try body(entry) }
      end = last
    }
  }
}
