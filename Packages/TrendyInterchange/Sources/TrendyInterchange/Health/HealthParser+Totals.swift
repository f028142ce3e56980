import TrendyFoundation
import TrendyModels

/// Creates the events that combine many samples: daily totals and sleep. Called at the end of the file.
extension HealthParser {
  mutating func finish(_ body: (HealthEvent) throws -> Void) throws {
    for (name, count) in zip(otherNames, otherCounts) where count > 0 { summary.skipped[name, default: 0] += count }
    // Release each total as soon as possible to reduce peak memory.
    try give(steps.totals(sources), as: .steps, "steps", body)
    steps = DailyTotals()
    try give(energy.totals(sources), as: .activeEnergy, "energy", body)
    energy = DailyTotals()
    for total in measurements.totals where isFinished(total.day) {
      guard let category = HealthCategory(rawValue: total.type) else { continue }
      let unit = [HealthCategory.weight: "kg", .heartRate: "beats/min", .bloodPressure: "mmHg"][category] ?? ""
      try give(
        HealthEvent(
          category: category, key: "apple-health|\(category.rawValue)|\(total.day)",
          start: Self.date(Int64(total.day.daysSince1970) * 86_400), date: total.day, secondsFromGMT: 0,
          properties: total.properties.merging(["unit": .text(unit)]) { first, _ in first }), body)
    }
    let (sessions, short) = sleep.sessions(sources)
    if short > 0 { summary.skipped["sleep of less than \(SleepSessions.shortest / 60) minutes"] = short }
    for session in sessions { try give(event(of: session), body) }
  }

  /// Returns whether a day ended before the export. Counts another day as skipped.
  private mutating func isFinished(_ day: CivilDate) -> Bool {
    guard let text = summary.exportDate, let today = DateStyle.yearFirst.read(String(text.prefix(10)))?.day,
      day >= today
    else { return true }
    summary.skipped[DailyValues.unfinished, default: 0] += 1
    return false
  }

  mutating func give(
    _ totals: [(date: Int, value: Double)], as category: HealthCategory, _ property: String,
    _ body: (HealthEvent) throws -> Void
  ) throws {
    for (day, value) in totals {
      guard value > 0 else {
        summary.skipped["day with a total of 0", default: 0] += 1
        continue
      }
      let date = CivilDate(daysSince1970: day)
      guard isFinished(date) else { continue }
      try give(
        HealthEvent(
          category: category, key: "apple-health|\(category.rawValue)|\(date)", start: Self.date(Int64(day) * 86_400),
          date: date, secondsFromGMT: 0, properties: [property: .number(Self.rounded(value))]), body)
    }
  }

  func event(of session: SleepSessions.Session) -> HealthEvent {
    let offset = Int64(session.offset)
    // Sleep that ends before noon belongs to the night of the previous date.
    let local = session.end + offset - 43_200
    let night = CivilDate(daysSince1970: Int(local >= 0 ? local / 86_400 : -1))
    var properties: [String: PropertyValue] = [
      "duration": .duration(Double(session.asleep)),
      // Midnight with an explicit offset represents a date without a zone.
      "night": PropertyValue(type: .date, value: .string("\(night)T00:00:00+00:00")),
    ]
    for (stage, name) in [(SleepSessions.Stage.deep, "deep"), (.core, "core"), (.rem, "rem")] {
      if let seconds = session.stages[stage] { properties[name] = .duration(Double(seconds)) }
    }
    if session.awake > 0 { properties["awake"] = .duration(Double(session.awake)) }
    properties["source"] = sourceProperty(session.source)
    return HealthEvent(
      category: .sleep, key: "apple-health|sleep|\(Self.text(session.start))", start: Self.date(session.start),
      end: Self.date(session.end), timeZone: name(of: session.zone), secondsFromGMT: Int(session.offset),
      properties: properties)
  }

  func sourceProperty(_ index: UInt16) -> PropertyValue? {
    let name = sources.all[Int(index)].name
    return name.isEmpty ? nil : .text(name)
  }
}
