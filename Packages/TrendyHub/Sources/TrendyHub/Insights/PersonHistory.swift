import Foundation
import TrendyInsights
import TrendyModels

/// When a person's events began, and how much they added to goals: read once from the record, kept up with what is written, asked for
/// many findings.
struct PersonHistory: Sendable {
  /// Days up to today of which events are known one by one.
  static let longestSpan = 366

  private(set) var facts: PersonFacts
  private(set) var records: [String: TypeRecord] = [:]
  let today: CivilDate

  /// Reads the whole record, a part at a time.
  init(_ reading: any HubReading, facts: PersonFacts, days: PersonDays, now: Date) throws {
    self.facts = facts
    today = days.day(of: now)
    var moments: [String: [TypeHistory.Moment]] = [:]
    var amounts: [String: [CivilDate: Double]] = [:]
    try reading.eachEvent(during: Int64.min / 4..<Int64.max / 4) { event, entry in
      let type = event.eventTypeId
      guard let goal = facts.goals[type] else { return }
      let moment = days.moment(of: event)
      moments[type, default: []].append(moment)
      guard goal != nil, let amount = facts.amount(of: try entry(), type: type, now: now) else { return }
      amounts[type, default: [:]][moment.day, default: 0] += amount
    }
    for (type, list) in moments { records[type] = TypeRecord(list, amounts: amounts[type] ?? [:], today: today) }
  }

  /// As it is after what was written since it was read.
  /// - Returns: `nil` where that cannot be told from what is there now.
  func updated(
    _ reading: any HubReading, since position: ReadPosition, facts: PersonFacts, days: PersonDays, now: Date
  ) throws -> PersonHistory? {
    // What runs adds more with each second.
    guard facts.goals == self.facts.goals, facts.durationKeys == self.facts.durationKeys, facts.running.isEmpty,
      self.facts.running.isEmpty,
      let changes = try EventChanges(reading, since: position, { facts.hasPart(field: $1, of: $0) })
    else { return nil }
    var history = self
    history.facts = facts
    for (count, entries) in [(1, changes.added), (-1, changes.removed)] {
      for entry in entries {
        guard let event = HubEventMoment(entry), facts.goals[event.eventTypeId] != nil else { continue }
        let amount = facts.amount(of: entry, type: event.eventTypeId, now: now) ?? 0
        // Of others a sum is not what it was after one is added and taken off.
        guard count > 0 || amount.rounded() == amount else { return nil }
        history.records[event.eventTypeId, default: TypeRecord([], amounts: [:], today: today)]
          .add(count, days.moment(of: event), amount: amount)
      }
    }
    return history
  }

  /// Of every type that has an event up to today.
  func histories() -> [String: TypeHistory] {
    var histories = records.mapValues(\.history).filter { $0.value.events > 0 }
    if let type = facts.readingType { histories[type]?.isOfReadings = true }
    return histories
  }

  /// What each day from the first event to today added to a goal.
  func amounts(ofType type: String, over days: DailySeries) -> DailySeries {
    var series = DailySeries(days.first...today)
    for (day, amount) in records[type]?.amounts ?? [:] { series[day] = amount }
    return series
  }

  /// How far the goal of a type is met in the present day or week; `nil` without a goal.
  /// - Parameter firstWeekday: with which weeks begin; 0 is Sunday.
  func progress(ofType type: String, firstWeekday: Int) -> GoalProgress? {
    facts.progress(ofType: type, on: today, firstWeekday: firstWeekday, amounts: records[type]?.amounts ?? [:])
  }
}

/// The events of one type.
struct TypeRecord: Sendable {
  private(set) var history: TypeHistory
  /// Those of the last days, in no order.
  private(set) var recent: [TypeHistory.Moment]
  /// What each day added to the type's goal; empty without one.
  private(set) var amounts: [CivilDate: Double]

  init(_ moments: [TypeHistory.Moment], amounts: [CivilDate: Double], today: CivilDate) {
    history = TypeHistory(moments: moments, today: today)
    let first = today.advanced(by: 1 - PersonHistory.longestSpan)
    recent = moments.filter { (first...today).contains($0.day) }
    self.amounts = amounts
  }

  /// - Parameters:
  ///   - count: 1 for an event that is new, −1 for one that is gone.
  ///   - moment: when it began.
  ///   - amount: what it adds, or added, to a goal.
  mutating func add(_ count: Int, _ moment: TypeHistory.Moment, amount: Double) {
    if amount != 0 { amounts[moment.day, default: 0] += Double(count) * amount }
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
    guard moment.day > today.advanced(by: -PersonHistory.longestSpan) else { return }
    if count > 0 {
      recent.append(moment)
    } else if let place = recent.firstIndex(of: moment) {
      recent.remove(at: place)
    }
  }
}

extension PersonFacts {
  /// Whether what is kept of an event follows from one of its fields.
  fileprivate func hasPart(field: String, of entry: HubEntry) -> Bool {
    if EventChanges.isOfDay(field) || field == "source_type" { return true }
    guard let type = entry.fields["event_type_id"]?.value.stringValue, goals[type] ?? nil != nil else { return false }
    return field == "end_date" || field.hasPrefix("properties.")
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
