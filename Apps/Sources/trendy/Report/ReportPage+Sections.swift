import CommandSupport
import TrendyInsights
import TrendyModels

/// Sections on all event types together: entries by day, month, weekday and hour, correlations, streaks, records.
extension ReportPage {
  var days: Markup {
    let shown = found.isYear ? found.days.lowerBound...yearEnd : found.days
    let most = found.best.map { ", most on \(day($0.day.days.lowerBound)): \($0.day.events)" } ?? ""
    let finding = "Entries on \(found.total.activeDays) of \(Quantity(found.days.count, "day"))\(most)."
    let picture = HeatPicture(
      days: shown, last: found.days.upperBound, isPresent: found.isPresent, history: found.everything, skips: [],
      firstWeekday: local.firstWeekday, label: "All entries by day. \(finding)")
    return figure(
      finding, "<div class=\"t t0\">\(picture.markup)</div>\(key(shown, [found.everything]))",
      dayTable(found.everything, caption: "Entries by day"))
  }

  /// Returns a heat map's legend, which explains only the cells that occur.
  func key(_ shown: ClosedRange<CivilDate>, _ histories: [TypeHistory], skips: Bool = false) -> Markup {
    let isFuture = shown.upperBound > found.days.upperBound
    let isBefore = histories.contains { $0.days.count > 0 && $0.days.first > shown.lowerBound }
    let levels = (1...4).map { level -> Markup in
      "<svg viewBox=\"0 0 14.8 14.8\" aria-hidden=\"true\"><path class=\"c l\(level)\" d=\"M1.5 1.5h11.8v11.8h-11.8z\"/></svg>"
    }
    let skipped: Markup =
      skips
      ? "<span><svg viewBox=\"0 0 14.8 14.8\" aria-hidden=\"true\"><path class=\"skip\" d=\"M.5.5h13.8v13.8H.5z\"/></svg>skipped</span>"
      : ""
    let come: Markup =
      isFuture
      ? "<span><svg viewBox=\"0 0 14.8 14.8\" aria-hidden=\"true\"><path class=\"future\" d=\"M.5.5h13.8v13.8H.5z\"/></svg>future</span>"
      : ""
    let before: Markup =
      isBefore
      ? "<span><svg viewBox=\"0 0 14.8 14.8\" aria-hidden=\"true\"><path class=\"before\" d=\"M7.4 7.4h.01\"/></svg>before the first entry</span>"
      : ""
    return """
      <p class="key t t0"><span>few \(levels) many</span><span><svg viewBox="0 0 14.8 14.8" aria-hidden="true"><path class="c l0" \
      d="M1.5 1.5h11.8v11.8h-11.8z"/></svg>none</span>\(before)\(skipped)\(come)</p>
      """
  }

  var types: Markup {
    let most = found.entries.map { max($0.change.now, $0.change.before) }.max() ?? 1
    let rows = found.entries.enumerated().map { place, entry -> Markup in
      """
      <li class="t t\(place + 1)">\(disc(entry.type))<span class="name">\(name: entry.type.name)</span>\
      <div class="bar">\(RowPicture(share: entry.change.now / most, mark: entry.change.before > 0 ? entry.change.before / most : nil).markup)</div>\
      <div class="end"><b>\(Self.number(entry.change.now))</b> <span class="quiet">\(against(entry.change))</span></div></li>

      """
    }
    let finding = narrator.sentence(.changes(found.entries.map { (name: $0.type.name.isolated, change: $0.change) }))
    let table = self.table(
      "Entries by type", ["type", "now", "before", "change", "active days", "before"],
      found.entries.map { entry in
        [
          .text(entry.type.name), .number(Self.number(entry.change.now)), .number(Self.number(entry.change.before)),
          .number(change(entry.change)), .number("\(entry.change.activeDays)"),
          .number("\(entry.change.activeDaysBefore)"),
        ]
      })
    let key: Markup = found.total.before > 0 ? "<p class=\"key\"><span>the line marks \(beforeWords)</span></p>" : ""
    return figure("\(finding)", "<ul class=\"rows\">\n\(rows)</ul>\(key)", table)
  }

  var beforeWords: String { found.isYear ? "the previous year" : "the previous period" }

  var months: Markup {
    let months = found.months
    guard months.count > 1 else { return "<div class=\"columns\">\n\(weekdays)</div>\n" }
    let isOneYear = found.isYear
    let bars = months.map { month in
      BarPicture.Bar(
        name: isOneYear || months.count <= 12
          ? LocalTime.months[month.days.lowerBound.month - 1] : month.days.lowerBound.shortMonth,
        value: month.now, figure: months.count <= 14 ? Self.number(month.now) : nil, before: month.before)
    }
    let most = months.max { ($0.now, $1.days.lowerBound) < ($1.now, $0.days.lowerBound) }
    let finding =
      most.map { "Most in \($0.days.lowerBound.monthWords(near: found.days)): \(counted($0.now, "entry", "entries"))." }
      ?? ""
    let picture = BarPicture(
      bars: bars, label: "Entries by month. \(finding)", width: max(360, Double(bars.count) * 24), height: 150,
      nameStep: max(1, bars.count / 16 + (bars.count > 14 ? 1 : 0)))
    let hasBefore = months.contains { $0.before != nil }
    let table = self.table(
      "Entries by month", ["month", "entries"] + (hasBefore ? ["previous year"] : []),
      months.map { month in
        [.text(month.days.lowerBound.monthWords(near: nil)), .number(Self.number(month.now))]
          + (hasBefore ? [.number(month.before.map(Self.number) ?? "")] : [])
      })
    let mark: Markup = hasBefore ? "<p class=\"key\"><span>the line marks the previous year</span></p>" : ""
    return """
      <div class="columns">
      \(figure(finding, "<div class=\"t t0\">\(picture.markup)</div>\(mark)", table))
      \(weekdays)</div>

      """
  }

  var weekdays: Markup {
    let counts = found.together.weekdays
    let order = (0..<7).map { ($0 + local.firstWeekday) % 7 }
    let picture = BarPicture(
      bars: order.map {
        BarPicture.Bar(name: LocalTime.weekdays[$0], value: Double(counts[$0]), figure: Self.number(Double(counts[$0])))
      }, label: "Entries by weekday. \(weekdayFinding(found.together))", height: 150)
    let table = self.table(
      "Entries by weekday", ["day", "entries"],
      order.map { [.text(LocalTime.weekdays[$0]), .number(Self.number(Double(counts[$0])))] })
    return figure(weekdayFinding(found.together), "<div class=\"t t0\">\(picture.markup)</div>", table)
  }

  var hours: Markup {
    let history = found.together
    let week = WeekPicture(
      grid: found.grid, local: local, label: "Entries by weekday and hour. \(whenFinding(history))")
    let order = (0..<7).map { ($0 + local.firstWeekday) % 7 }
    let hours = table(
      "Entries by weekday and hour", ["day"] + (0..<24).map { "\($0)" },
      order.map { day in [.text(LocalTime.weekdays[day])] + found.grid.counts[day].map { .number("\($0)") } })
    let bars = BarPicture(
      bars: history.hours.enumerated().map { BarPicture.Bar(name: hourName($0.offset), value: Double($0.element)) },
      label: "Entries by hour", height: 126, nameStep: 6)
    let byHour = table(
      "Entries by hour", ["hour", "entries"],
      history.hours.enumerated().map { [.text(clock($0.offset)), .number(Self.number(Double($0.element)))] })
    return """
      <div class="columns">
      \(figure(whenFinding(history), "<div class=\"t t0\">\(week.markup)</div>", hours))
      \(figure(hourFinding(history), "<div class=\"t t0\">\(bars.markup)</div>", byHour))
      </div>

      """
  }

  func whenFinding(_ history: TypeHistory) -> String {
    guard let pattern = CyclePattern(counts: history.hours) else { return "All-day entries only." }
    let peak = "Most from \(clock(pattern.peak)) to \(clock(pattern.peak + 1)) (\(Self.percent(pattern.peakShare)))"
    guard let usual = history.usualTime.value else { return peak + "." }
    let (from, through) = (clock(minute: usual.from), clock(minute: usual.through))
    return "\(peak); half of them \(from == through ? "at \(from)" : "from \(from) to \(through)")."
  }

  /// Returns a sentence on the regularity of an event type's hours, with the figures of `trendy stats`.
  func hourFinding(_ history: TypeHistory) -> String {
    switch history.hourHabit {
    case .found(let habit):
      "\(habit.confidence.habitWords.prefix(1).uppercased() + habit.confidence.habitWords.dropFirst()) (consistency \(habit.pattern.consistency.text(decimals: 2)))."
    case .needsEvents(let count): "Habits need \(Quantity(count, "more entry", "more entries"))."
    case .needsDays(let count): "Habits need \(Quantity(count, "more day", "more days")) of entries."
    case .nothing: "Spread over the day, without a preferred hour."
    }
  }

  func hourName(_ hour: Int) -> String { local.showsTwelveHours ? clock(hour).hourWord : "\(hour)" }

  func weekdayFinding(_ history: TypeHistory) -> String {
    guard let pattern = CyclePattern(counts: history.weekdays) else { return "" }
    return "Most on \(Self.weekdays[pattern.peak]) (\(Self.percent(pattern.peakShare)))."
  }

  func clock(_ hour: Int) -> String { local.clock(hour: hour, minute: 0) }
  func clock(minute: Int) -> String { local.clock(hour: minute / 60, minute: minute % 60) }

  var together: Markup {
    func name(_ id: String) -> String { found.entries.first { $0.type.id == id }?.type.name ?? id }
    guard let first = found.relations.first else {
      let finding =
        found.missingDays > 0
        ? "Correlations need \(Quantity(found.missingDays, "more day", "more days")) with entries of two types."
        : "No clear correlations found."
      return "<p class=\"finding\">\(finding)</p>\n"
    }
    let rows = found.relations.map { relation -> Markup in
      let (share, isMore) = (min(1, abs(relation.correlation.r)), relation.correlation.r > 0)
      let axis: Markup =
        "<svg class=\"lying\" viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"axis\" d=\"M0 8h200\"/><rect class=\"solid\" x=\"\(isMore ? 100 : 100 - 100 * share)\" y=\"3\" width=\"\(100 * share)\" height=\"10\"/><path class=\"mark\" d=\"M100 0v16\"/></svg>"
      let dots = [Confidence.low, .medium, .high].map { $0 == .low || relation.confidence.rank >= $0.rank ? "●" : "○" }
        .joined()
      return """
        <li><span class="pair">\(disc(relation.first))\(disc(relation.second))</span>\
        <div><span class="name">\(name: name(relation.first)) and \(name: name(relation.second))</span>\
        <p class="quiet">\(narrator.sentence(relation, first: name(relation.first).isolated, second: name(relation.second).isolated)).</p></div>\
        <div class="bar">\(axis)</div><div class="end"><b>\(Self.signed(relation.correlation.r, decimals: 2))</b> \
        <span class="dots" aria-hidden="true">\(dots)</span><div class="quiet">\(relation.confidence.rawValue), \
        \(Quantity(relation.correlation.count, "day"))</div></div></li>

        """
    }
    let table = self.table(
      "Correlations", ["first", "second", "days later", "r", "p", "days", "confidence"],
      found.relations.map { relation in
        [
          .text(name(relation.first)), .text(name(relation.second)), .number("\(relation.lag)"),
          .number(Self.signed(relation.correlation.r, decimals: 2)), .number(relation.adjustedP.text(decimals: 3)),
          .number("\(relation.correlation.count)"), .text(relation.confidence.rawValue),
        ]
      })
    return figure(
      "Strongest: \(name(first.first).isolated) and \(name(first.second).isolated). Correlation is not causation.",
      "<ul class=\"rows relations\">\n\(rows)</ul><p class=\"key\"><span>left of the middle: more of one with less of the other; right: more of both</span></p>",
      table)
  }

  var streaks: Markup {
    let list = found.habits.compactMap { entry in entry.records.map { (entry, $0) } }
      .sorted { ($1.1.streak, $0.0.type.name) < ($0.1.streak, $1.0.type.name) }
    guard let best = list.first else { return "" }
    let rows = list.map { entry, records -> Markup in
      let now = found.isPresent && entry.streak.current > 1 ? ", \(entry.streak.current) now" : ""
      return """
        <li class="t t\(number(of: entry.type.id))">\(disc(entry.type))<span class="name">\(name: entry.type.name)</span>\
        <div class="bar">\(RowPicture(share: Double(records.streak) / Double(max(1, best.1.streak))).markup)</div>\
        <div class="end"><b>\(Quantity(records.streak, "day"))</b> <span class="quiet">until \(day(records.streakEnd))\(now)</span></div></li>

        """
    }
    let table = self.table(
      "Streaks",
      ["type", "longest streak", "until", found.isPresent ? "now" : "on the last day", "active days", "of days"],
      list.map { entry, records in
        [
          .text(entry.type.name), .number("\(records.streak)"), .text(day(records.streakEnd)),
          .number("\(entry.streak.current)"), .number("\(entry.change.activeDays)"), .number("\(found.days.count)"),
        ]
      })
    let finding =
      best.1.streak > 1
      ? "Longest: \(best.0.type.name.isolated), \(Quantity(best.1.streak, "day")) until \(day(best.1.streakEnd))."
      : "No streaks of two days or more."
    return figure(finding, "<ul class=\"rows\">\n\(rows)</ul>", table)
  }

  var records: Markup {
    let list = found.present.compactMap { entry in entry.records.map { (entry, $0) } }
    let rows = list.map { entry, records -> [Cell] in
      [
        .text(entry.type.name),
        .text(records.day.events == 1 ? "1" : "\(records.day.events) on \(day(records.day.days.lowerBound))"),
        .text("\(records.week.events) from \(day(records.week.days.lowerBound))"),
        .text("\(records.month.events) in \(records.month.days.lowerBound.monthWords(near: found.days))"),
        .text(records.pause.map { "\(Quantity($0.count, "day")) from \(day($0.lowerBound))" } ?? "none"),
      ]
    }
    let top = list.max { ($0.1.day.events, $1.0.type.name) < ($1.1.day.events, $0.0.type.name) }
    let finding =
      top.map {
        "Most in a day: \($0.0.type.name.isolated), \($0.1.day.events) on \(day($0.1.day.days.lowerBound))."
      } ?? ""
    return
      "<figure><p class=\"finding\">\(finding)</p>\n\(plainTable("Records", ["type", "in a day", "in a week", "in a month", "longest break"], rows))</figure>\n"
  }
}
