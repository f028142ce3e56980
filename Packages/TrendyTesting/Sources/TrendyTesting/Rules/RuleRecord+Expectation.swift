import Foundation
public import TrendyModels

extension RuleRecord {
  /// Expected results for a reader with a given time zone and start of the day.
  public struct Expectation: Hashable, Sendable {
    /// Streak of a type.
    public struct Streak: Hashable, Sendable {
      public var period: Goal.Period
      public var current = 0
      public var longest = 0
    }

    /// Progress towards a goal in the current day or week.
    public struct Progress: Hashable, Sendable {
      public var amount: Double
      public var target: Int
      public var isExcused: Bool
    }

    /// Reader's current day.
    public var today: CivilDate
    /// Number of events by type and day, future days included.
    public var counts: [String: [CivilDate: Int]] = [:]
    public var streaks: [String: Streak] = [:]
    public var progress: [String: Progress] = [:]
  }

  /// Computes the expected results for a reader.
  ///
  /// - Parameters:
  ///   - zone: IANA name of the reader's time zone.
  ///   - dayStart: start of a day in seconds after midnight.
  ///   - firstWeekday: first day of a week, where 0 is Sunday.
  public func expectation(zone: String, dayStart: Int, firstWeekday: Int = 1) -> Expectation {
    let today = day(of: now, zone: zone, dayStart: dayStart)
    var expected = Expectation(today: today)
    var amounts: [String: [CivilDate: Double]] = [:]
    for event in events {
      let own = event.timeZone ?? zone
      let day = day(of: event.timestamp, zone: own, dayStart: event.isAllDay ? 0 : dayStart)
      expected.counts[event.eventTypeId, default: [:]][day, default: 0] += 1
      for (day, part) in parts(of: event, zone: own, dayStart: dayStart, day) {
        amounts[event.eventTypeId, default: [:]][day, default: 0] += part * amount(of: event)
      }
    }
    for type in types {
      let (counts, amounts) = (expected.counts[type.id] ?? [:], amounts[type.id] ?? [:])
      let isWeekly = type.goal?.period == .week && type.goal?.bound == .atLeast
      if let goal = type.goal {
        let days = goal.period == .day ? [today] : week(of: today, firstWeekday: firstWeekday)
        expected.progress[type.id] = progress(goal, on: days, amounts, type.id)
      }
      guard let first = counts.keys.min(), first <= today else { continue }
      var streak = Expectation.Streak(period: isWeekly ? .week : .day)
      if let goal = type.goal, isWeekly {
        var week = week(of: first, firstWeekday: firstWeekday)
        while week[0] <= today {
          let progress = progress(goal, on: week, amounts, type.id)
          let isMet = progress.amount >= Double(progress.target)
          streak.add(
            isDone: isMet && !progress.isExcused, isExcused: progress.isExcused, isCurrent: week.contains(today))
          week = week.map { $0.advanced(by: 7) }
        }
      } else {
        for day in first...today {
          streak.add(
            isDone: counts[day] != nil, isExcused: isSkipped(day, type.id), isCurrent: day == today)
        }
      }
      expected.streaks[type.id] = streak
    }
    return expected
  }

  /// Returns the day of a timestamp in a zone. Assumes that no day starts in an hour that a clock change repeats or
  /// skips.
  private func day(of moment: Date, zone: String, dayStart: Int) -> CivilDate {
    let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: moment) ?? 0
    let clock = moment.timeIntervalSince1970 + Double(offset - dayStart)
    return CivilDate(daysSince1970: Int((clock / 86_400).rounded(.down)))
  }

  /// Returns an event's shares on its day and on the next day, which suffices because events last at most two hours.
  private func parts(of event: Event, zone: String, dayStart: Int, _ first: CivilDate) -> [(CivilDate, Double)] {
    let isRunning = records.contains { $0.fields["value"] == .string(event.id) }
    let isInTime = types.first { $0.id == event.eventTypeId }?.goal?.measure == .duration
    guard isInTime, !event.isAllDay, let end = event.endDate ?? (isRunning ? now : nil) else { return [(first, 1)] }
    var (before, after) = (event.timestamp.timeIntervalSince1970, end.timeIntervalSince1970)
    let seconds = after - before
    func isOfFirst(_ moment: Double) -> Bool {
      day(of: Date(timeIntervalSince1970: moment), zone: zone, dayStart: dayStart) == first
    }
    guard !isOfFirst(after - 0.001) else { return [(first, 1)] }
    while after - before > 0.0001 {
      let middle = (before + after) / 2
      if isOfFirst(middle) { before = middle } else { after = middle }
    }
    let share = (before - event.timestamp.timeIntervalSince1970) / seconds
    return [(first, share), (first.advanced(by: 1), 1 - share)]
  }

  private func week(of day: CivilDate, firstWeekday: Int) -> [CivilDate] {
    var first = day
    while first.weekday != firstWeekday { first = first.advanced(by: -1) }
    return (0..<7).map { first.advanced(by: $0) }
  }

  private func isSkipped(_ day: CivilDate, _ type: String) -> Bool {
    records.contains { record in
      record.kind == .skip && record.fields["event_type_id"] == .string(type)
        && record.fields["from"]?.stringValue ?? "" <= "\(day)" && record.fields["to"]?.stringValue ?? "" >= "\(day)"
    }
  }

  private func amount(of event: Event) -> Double {
    let type = types.first { $0.id == event.eventTypeId }
    guard type?.goal?.measure == .duration else { return event.properties["count"]?.doubleValue ?? 1 }
    let own = definitions.filter { $0.eventTypeId == event.eventTypeId }
    let top = own.map(\.displayOrder).min()
    let first = own.filter { $0.displayOrder == top }.map(\.id).min()
    let key = own.first { $0.id == first }?.key ?? ""
    if let told = event.properties[key]?.doubleValue { return told }
    let isRunning = records.contains { $0.fields["value"] == .string(event.id) }
    guard !event.isAllDay, let end = event.endDate ?? (isRunning ? now : nil) else { return 0 }
    return end.timeIntervalSince(event.timestamp)
  }

  private func progress(
    _ goal: Goal, on days: [CivilDate], _ amounts: [CivilDate: Double], _ type: String
  ) -> Expectation.Progress {
    let left = days.filter { !isSkipped($0, type) }.count
    var target = goal.amount
    if goal.bound == .atLeast, left < days.count {
      let unit = goal.measure == .duration ? 60.0 : 1
      let share = (Double(goal.amount) * Double(left) / Double(days.count) / unit).rounded() * unit
      target = left == 0 ? 0 : Int(max(unit, share))
    }
    return Expectation.Progress(
      amount: days.reduce(0) { $0 + (amounts[$1] ?? 0) }, target: target, isExcused: left == 0)
  }
}

extension RuleRecord.Expectation.Streak {
  fileprivate mutating func add(isDone: Bool, isExcused: Bool, isCurrent: Bool) {
    if isDone {
      current += 1
    } else if !isExcused, !isCurrent {
      current = 0
    }
    longest = max(longest, current)
  }
}
