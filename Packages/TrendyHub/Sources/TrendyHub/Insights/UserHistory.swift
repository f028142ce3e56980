import Foundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Times of a user's events and their contributions to goals.
///
/// Read once, updated with later writes, and shared by many findings.
struct UserHistory: Sendable {
  /// Number of days, ending today, whose events are kept individually.
  static let longestSpan = 366

  private(set) var settings: TypeSettings
  private(set) var records: [String: TypeRecord] = [:]
  let today: CivilDate

  init(_ reading: any HubReadTransaction, settings: TypeSettings, local: LocalTime, now: Date) throws {
    self.settings = settings
    today = local.day(of: now)
    var moments: [String: [TypeHistory.Moment]] = [:]
    var amounts: [String: [CivilDate: Double]] = [:]
    try reading.eachEvent(during: Int64.min / 4..<Int64.max / 4) { event, entry in
      let type = event.eventTypeId
      guard settings.types[type] != nil else { return }
      let moment = local.moment(of: event)
      moments[type, default: []].append(moment)
      guard settings.goal(of: type) != nil else { return }
      for (day, amount) in settings.amounts(of: try entry().ruleEvent(event), now: now, local: local) {
        amounts[type, default: [:]][day, default: 0] += amount
      }
    }
    for (type, list) in moments { records[type] = TypeRecord(list, amounts: amounts[type] ?? [:], today: today) }
  }

  /// Returns the history updated with writes since a position, or `nil` if the record must be read again.
  func updated(
    _ reading: any HubReadTransaction, since position: SourcePosition, settings: TypeSettings, local: LocalTime,
    now: Date
  ) throws -> UserHistory? {
    // The contribution of a running event grows continuously, so the record must be read again while there is one.
    guard settings.types.mapValues(\.goal) == self.settings.types.mapValues(\.goal),
      settings.durationKeys == self.settings.durationKeys, settings.running.isEmpty, self.settings.running.isEmpty,
      let changes = try EventChanges(reading, since: position, { settings.hasPart(field: $1, of: $0) })
    else { return nil }
    var history = self
    history.settings = settings
    for (count, entries) in [(1, changes.added), (-1, changes.removed)] {
      for entry in entries {
        guard let event = HubEventMoment(entry), settings.types[event.eventTypeId] != nil else { continue }
        let amounts = settings.amounts(of: entry.ruleEvent(event), now: now, local: local)
        // Adding and subtracting fractions would accumulate rounding errors.
        guard count > 0 || amounts.allSatisfy({ $0.amount.rounded() == $0.amount }) else { return nil }
        history.records[event.eventTypeId, default: TypeRecord([], amounts: [:], today: today)]
          .add(count, local.moment(of: event), amounts: amounts)
      }
    }
    return history
  }

  /// Returns every type with events up to today, sorted by name. `firstWeekday` is 0 for Sunday.
  func rows(firstWeekday: Int) -> [Report.Row] {
    let readings = BuiltInType.odometer.present(among: Array(settings.types.values))
    return settings.sortedTypes.compactMap { type in
      guard let record = records[type.id], record.history.events > 0 else { return nil }
      var history = record.history
      // Treat odometer readings with a goal like any other type.
      history.isOfReadings = type.id == readings?.id && type.goal == nil
      let amounts = record.amounts
      return Report.Row(
        type, history, skips: settings.skips(of: type.id),
        progress: settings.progress(of: type.id, on: today, firstWeekday: firstWeekday, amounts: amounts),
        weeklyStreak: type.goal?.asksForEveryWeek == true
          ? settings.streak(of: type.id, history, firstWeekday: firstWeekday) { amounts } : nil)
    }
  }

  /// Returns each day's contribution to a type's goal, from the first event to today.
  func amounts(ofType type: String, over days: DailySeries) -> DailySeries {
    var series = DailySeries(days.first...today)
    for (day, amount) in records[type]?.amounts ?? [:] { series[day] = amount }
    return series
  }
}

struct TypeRecord: Sendable {
  private(set) var history: TypeHistory
  /// Events of the last ``UserHistory/longestSpan`` days, in any order.
  private(set) var recent: [TypeHistory.Moment]
  /// Each day's contribution to the type's goal. Empty if the type has no goal.
  private(set) var amounts: [CivilDate: Double]

  init(_ moments: [TypeHistory.Moment], amounts: [CivilDate: Double], today: CivilDate) {
    history = TypeHistory(moments: moments, today: today)
    let first = today.advanced(by: 1 - UserHistory.longestSpan)
    recent = moments.filter { (first...today).contains($0.day) }
    self.amounts = amounts
  }

  /// Adds an event (`count` is 1) or removes one (-1). `parts` are the event's contributions to the type's goal.
  mutating func add(_ count: Int, _ moment: TypeHistory.Moment, amounts parts: [(day: CivilDate, amount: Double)]) {
    for (day, amount) in parts where amount != 0 { amounts[day, default: 0] += Double(count) * amount }
    let today = history.today
    guard moment.day <= today else { return }
    var days = DailySeries(min(moment.day, history.days.count == 0 ? today : history.days.first)...today)
    for (place, value) in history.days.values.enumerated() { days[history.days.first.advanced(by: place)] = value }
    days[moment.day] += Double(count)
    var minutes = history.eventsByMinute
    if let minute = moment.minute { minutes[minute] += count }
    history = TypeHistory(
      days: days, minutes: minutes, eventsOfPosition: history.eventsOfPosition + (moment.isOfPosition ? count : 0),
      today: today)
    guard moment.day > today.advanced(by: -UserHistory.longestSpan) else { return }
    if count > 0 {
      recent.append(moment)
    } else if let place = recent.firstIndex(of: moment) {
      recent.remove(at: place)
    }
  }
}

extension TypeSettings {
  /// Returns whether the values kept for an event depend on a field.
  fileprivate func hasPart(field: String, of entry: HubEntry) -> Bool {
    if EventChanges.isOfDay(field) || field == "source_type" { return true }
    guard let type = entry.fields["event_type_id"]?.value.stringValue, goal(of: type) != nil else { return false }
    return field == "end_date" || field.hasPrefix("properties.")
  }
}

extension HubReadTransaction {
  /// Calls `body` with each live entity of a kind, latest first, in batches. `moments` is in milliseconds since 1970.
  func eachLiving(kind: String, during moments: Range<Int64>, atOnce: Int = 5000, _ body: (HubEntry) throws -> Void)
    throws
  {
    var end = moments.upperBound
    while moments.lowerBound < end {
      let found = try living(kind: kind, during: moments.lowerBound..<end, limit: atOnce)
      guard found.count == atOnce, let last = found.last?.listMoment else { return try found.forEach(body) }
      // Include every entity with the last timestamp, because the next batch ends before it.
      for entry in found where entry.listMoment != last { try body(entry) }
      for entry in try living(kind: kind, during: last..<last + 1, limit: .max) { try body(entry) }
      end = last
    }
  }
}
