import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyInsights
import TrendyModels
import TrendyTrips

/// A ``LookBack`` as one file of HTML: no script, nothing that is fetched, the pictures in it, readable on paper.
///
/// Each picture has a title, its finding in a sentence, and its numbers as a table.
struct ReportPage {
  private let found: LookBack
  private let local: LocalTime
  private let units: Units
  private let made: Date
  private let narrator = PlainNarrator()

  init(_ found: LookBack, _ session: Session) {
    self.found = found
    (local, units, made) = (session.local, session.units, session.now)
  }

  var html: String {
    let sections = Section.allCases.compactMap { section in body(of: section).map { (section, $0) } }
    let links = sections.map { section, _ -> Markup in "<a href=\"#\(section.rawValue)\">\(section.title)</a>\n" }
    let bodies = sections.map { section, body -> Markup in
      "<section id=\"\(section.rawValue)\">\n<h2>\(section.title)</h2>\n\(body)</section>\n"
    }
    let colours = [TypeColour("#4464c0")] + found.entries.map { TypeColour($0.type.colorHex) }
    let page: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <meta name="generator" content="Trendy \(Version.text)">
      <link rel="icon" href="data:,">
      <title>\(title). Trendy</title>
      <style>
      \(Markup(stringLiteral: ReportStyle.sheet))
      \(Markup(stringLiteral: ReportStyle.colours(colours)))
      </style>
      </head>
      <body>
      <svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="hatch" width="4.4" height="4.4" \
      patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v4.4" stroke="#7d8088" stroke-width="2.2"/></pattern></defs></svg>
      <header>
      <p class="over">\(span)</p>
      <h1>\(title)</h1>
      <p class="lead">\(lead)</p>
      \(figures)\(sections.count > 1 ? "<nav aria-label=\"Contents\">\(links)</nav>" : "" as Markup)
      </header>
      <main>
      \(bodies)</main>
      <footer>Made on \(local.dayAndTime(made, year: 0)) (\(local.zoneName ?? "UTC")) from the record on this device, and computed there. \
      This file asks nothing of any other machine.</footer>
      </body>
      </html>

      """
    return page.source
  }

  private enum Section: String, CaseIterable {
    case days, types, months, hours, together, streaks, records, trips, places, each

    var title: String {
      switch self {
      case .days: "Day by day"
      case .types: "What there was"
      case .months: "Months and weekdays"
      case .hours: "Hours"
      case .together: "What goes together"
      case .streaks: "Days in a row"
      case .records: "Records"
      case .trips: "Trips and mileage"
      case .places: "Places"
      case .each: "Each on its own"
      }
    }
  }

  /// `nil` where there is nothing to show.
  private func body(of section: Section) -> Markup? {
    guard found.total.now > 0 || section == .types && !found.entries.isEmpty else { return nil }
    switch section {
    case .days: return days
    case .types: return types
    case .months: return months
    case .hours: return hours
    case .together: return found.entries.count > 1 ? together : nil
    case .streaks: return streaks
    case .records: return records
    case .trips: return found.driving.map(trips)
    case .places: return found.stays.isEmpty ? nil : places
    case .each: return each
    }
  }

  // MARK: Head

  private var title: String {
    if let year = found.span.year { return "\(year)" }
    return words(found.days)
  }

  /// `18 to 25 November 2026`.
  private func words(_ days: ClosedRange<CivilDate>) -> String {
    let (first, last) = (days.lowerBound, days.upperBound)
    if first == last { return last.longWords }
    let isOneYear = first.year == last.year
    let start = isOneYear ? first.month == last.month ? "\(first.day)" : first.dayAndMonth : first.longWords
    return "\(start) to \(last.longWords)"
  }

  private var span: String {
    let whole = found.span.isYear && !(found.isPresent && found.days.upperBound < yearEnd)
    let days = whole ? "The whole year" : words(found.days)
    return "Trendy · \(found.span.isYear ? days : Quantity(found.days.count, "day").description)"
  }

  private var yearEnd: CivilDate { CivilDate(year: found.days.upperBound.year, month: 12, day: 31) }

  private var lead: String {
    guard found.total.now > 0 else {
      return found.total.before > 0
        ? "Nothing was recorded in these days; \(counted(found.total.before, "entry", "entries")) in those before."
        : "Nothing was recorded in these days."
    }
    return [totalSentence, bestSentence].compactMap { $0 }.joined(separator: " ")
  }

  private var totalSentence: String {
    if found.span.isYear { return narrator.sentence(.total(found.total, .year)) }
    let change = found.total
    let said =
      "\(counted(change.now, "entry", "entries")) on \(change.activeDays) of \(Quantity(change.days.count, "day"))"
    guard let percent = change.percent else { return said + "; none in as many days before." }
    return said + ", \(Self.signed(percent)) % on as many days before (\(Self.number(change.before)))."
  }

  private var bestSentence: String? {
    guard let best = found.best else { return nil }
    return narrator.sentence(
      .best(
        month: best.month.days.lowerBound.monthWords(near: found.days), events: best.month.events,
        day: day(best.day.days.lowerBound), eventsOfDay: best.day.events))
  }

  private var figures: Markup {
    guard found.total.now > 0 else { return "" }
    var list: [(String, Markup)] = [
      (found.total.now == 1 ? "entry" : "entries", "\(Self.number(found.total.now))"),
      (
        found.total.activeDays == 1 ? "day with an entry" : "days with an entry",
        "\(found.total.activeDays) <small>of \(found.days.count)</small>"
      ),
      (found.present.count == 1 ? "type" : "types", "\(found.present.count)"),
    ]
    if let longest = found.present.compactMap({ entry in entry.records.map { (entry, $0.streak) } }).max(by: {
      $0.1 < $1.1
    }),
      longest.1 > 1
    {
      list.append(("days in a row, \(longest.0.type.name.shortened.isolated)", "\(longest.1)"))
    }
    if let driving = found.driving {
      list.append((driving.now.trips == 1 ? "trip" : "trips", "\(Self.number(Double(driving.now.trips)))"))
      list.append(("driven", distance(driving.now.total)))
    }
    let items = list.map { name, value -> Markup in "<div><dt>\(name)</dt><dd>\(value)</dd></div>" }
    return "<dl class=\"figures\">\(items)</dl>\n"
  }

  // MARK: Pictures

  private var days: Markup {
    let shown = found.span.isYear ? found.days.lowerBound...yearEnd : found.days
    let most = found.best.map { ", most on \(day($0.day.days.lowerBound)): \($0.day.events)" } ?? ""
    let finding = "Something on \(found.total.activeDays) of \(Quantity(found.days.count, "day"))\(most)."
    let picture = HeatPicture(
      days: shown, last: found.days.upperBound, isPresent: found.isPresent, history: found.everything, skips: [],
      firstWeekday: local.firstWeekday, label: "All entries by day. \(finding)")
    return figure(
      finding, "<div class=\"t t0\">\(picture.markup)</div>\(key(shown, [found.everything]))",
      dayTable(found.everything, caption: "Entries of each day"))
  }

  /// What the cells of heat maps mean, of those that these have.
  private func key(_ shown: ClosedRange<CivilDate>, _ histories: [TypeHistory], skips: Bool = false) -> Markup {
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
      ? "<span><svg viewBox=\"0 0 14.8 14.8\" aria-hidden=\"true\"><path class=\"future\" d=\"M.5.5h13.8v13.8H.5z\"/></svg>still to come</span>"
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

  private var types: Markup {
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
      "Entries of each type", ["type", "now", "before", "change", "days with one", "before"],
      found.entries.map { entry in
        [
          .text(entry.type.name), .number(Self.number(entry.change.now)), .number(Self.number(entry.change.before)),
          .number(change(entry.change)), .number("\(entry.change.activeDays)"),
          .number("\(entry.change.activeDaysBefore)"),
        ]
      })
    let key: Markup = found.total.before > 0 ? "<p class=\"key\"><span>the mark is \(beforeWords)</span></p>" : ""
    return figure("\(finding)", "<ul class=\"rows\">\n\(rows)</ul>\(key)", table)
  }

  private var beforeWords: String { found.span.isYear ? "the year before" : "as many days before" }

  private var months: Markup {
    let months = found.months
    guard months.count > 1 else { return "<div class=\"columns\">\n\(weekdays)</div>\n" }
    let isOneYear = found.span.isYear
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
      bars: bars, label: "Entries of each month. \(finding)", width: max(360, Double(bars.count) * 24), height: 150,
      nameStep: max(1, bars.count / 16 + (bars.count > 14 ? 1 : 0)))
    let hasBefore = months.contains { $0.before != nil }
    let table = self.table(
      "Entries of each month", ["month", "entries"] + (hasBefore ? ["the year before"] : []),
      months.map { month in
        [.text(month.days.lowerBound.monthWords(near: nil)), .number(Self.number(month.now))]
          + (hasBefore ? [.number(month.before.map(Self.number) ?? "")] : [])
      })
    let mark: Markup = hasBefore ? "<p class=\"key\"><span>the mark is the year before</span></p>" : ""
    return """
      <div class="columns">
      \(figure(finding, "<div class=\"t t0\">\(picture.markup)</div>\(mark)", table))
      \(weekdays)</div>

      """
  }

  private var weekdays: Markup {
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

  private var hours: Markup {
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

  private func whenFinding(_ history: TypeHistory) -> String {
    guard let pattern = CyclePattern(counts: history.hours) else { return "All-day entries only." }
    let peak = "Most from \(clock(pattern.peak)) to \(clock(pattern.peak + 1)) (\(Self.percent(pattern.peakShare)))"
    guard let usual = history.usualTime.value else { return peak + "." }
    let (from, through) = (clock(minute: usual.from), clock(minute: usual.through))
    return "\(peak); half of them \(from == through ? "at \(from)" : "from \(from) to \(through)")."
  }

  /// How steady the hours are, in the word that `trendy stats` has for it.
  private func hourFinding(_ history: TypeHistory) -> String {
    switch history.hourHabit {
    case .found(let habit): "Consistency \(habit.pattern.consistency.text(decimals: 2)), \(habit.confidence.rawValue)."
    case .needsEvents(let count): "\(Quantity(count, "more entry", "more entries")) until a habit can be told."
    case .needsDays(let count): "\(Quantity(count, "more day", "more days")) until a habit can be told."
    case .nothing: "Spread over the day: no hour stands out."
    }
  }

  private func hourName(_ hour: Int) -> String { local.showsTwelveHours ? clock(hour).hourWord : "\(hour)" }

  private func weekdayFinding(_ history: TypeHistory) -> String {
    guard let pattern = CyclePattern(counts: history.weekdays) else { return "" }
    return "Most on \(Self.weekdays[pattern.peak]) (\(Self.percent(pattern.peakShare)))."
  }

  private func clock(_ hour: Int) -> String { local.clock(hour: hour, minute: 0) }
  private func clock(minute: Int) -> String { local.clock(hour: minute / 60, minute: minute % 60) }

  private var together: Markup {
    func name(_ id: String) -> String { found.entries.first { $0.type.id == id }?.type.name ?? id }
    guard let first = found.relations.first else {
      let finding =
        found.missingDays > 0
        ? "\(Quantity(found.missingDays, "more day", "more days")) of two types until what goes with what can be told."
        : "No two types move together clearly. That is an answer too."
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
      "What goes together", ["first", "second", "days later", "r", "p", "days", "confidence"],
      found.relations.map { relation in
        [
          .text(name(relation.first)), .text(name(relation.second)), .number("\(relation.lag)"),
          .number(Self.signed(relation.correlation.r, decimals: 2)), .number(relation.adjustedP.text(decimals: 3)),
          .number("\(relation.correlation.count)"), .text(relation.confidence.rawValue),
        ]
      })
    return figure(
      "\(name(first.first).isolated) and \(name(first.second).isolated) are tied most. A tie is not a cause.",
      "<ul class=\"rows relations\">\n\(rows)</ul><p class=\"key\"><span>left of the middle: more of one with less of the other; right: more of both</span></p>",
      table)
  }

  private var streaks: Markup {
    let list = found.present.compactMap { entry in entry.records.map { (entry, $0) } }
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
      "Days in a row",
      ["type", "days in a row", "until", found.isPresent ? "now" : "on the last day", "days with one", "of days"],
      list.map { entry, records in
        [
          .text(entry.type.name), .number("\(records.streak)"), .text(day(records.streakEnd)),
          .number("\(entry.streak.current)"), .number("\(entry.change.activeDays)"), .number("\(found.days.count)"),
        ]
      })
    let finding =
      best.1.streak > 1
      ? "\(best.0.type.name.isolated) longest: \(Quantity(best.1.streak, "day")) in a row, until \(day(best.1.streakEnd))."
      : "Nothing on two days in a row."
    return figure(finding, "<ul class=\"rows\">\n\(rows)</ul>", table)
  }

  private var records: Markup {
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
        "Most of one thing in a day: \($0.0.type.name.isolated), \($0.1.day.events) on \(day($0.1.day.days.lowerBound))."
      } ?? ""
    return
      "<figure><p class=\"finding\">\(finding)</p>\n\(plainTable("The most, and the longest without", ["type", "in a day", "in a week", "in a month", "longest without"], rows))</figure>\n"
  }

  private func trips(_ driving: LookBack.Driving) -> Markup {
    let change =
      driving.before.trips == 0
      ? "" : "; \(distanceText(driving.before.total)) in \(Quantity(driving.before.trips, "trip")) in \(beforeWords)"
    let finding = "\(distanceText(driving.now.total)) in \(Quantity(driving.now.trips, "trip"))\(change)."
    let most = driving.months.map(\.mileage.total).max() ?? 1
    let months = driving.months.map { days, mileage -> Markup in
      """
      <li><span class="name">\(days.lowerBound.monthWords(near: found.days))</span><div class="bar">\(mileageBar(mileage, most))</div>\
      <div class="end"><b>\(distance(mileage.total))</b> <span class="quiet">\(Quantity(mileage.trips, "trip"))</span></div></li>

      """
    }
    let isDecided = driving.now.unclassified == 0
    let columns = ["trips", "business", "private"] + (isDecided ? [] : ["nobody said"]) + ["together"]
    func cells(_ mileage: Mileage) -> [Cell] {
      [.number("\(mileage.trips)")]
        + ([mileage.business, mileage.`private`] + (isDecided ? [] : [mileage.unclassified]) + [mileage.total])
        .map { .number(distanceText($0)) }
    }
    let byMonth = table(
      "Mileage by month", ["month"] + columns,
      driving.months.map { [.text($0.days.lowerBound.monthWords(near: nil))] + cells($0.mileage) })
    let vehicles = plainTable(
      "By vehicle", ["vehicle"] + columns, driving.vehicles.map { [.text($0.name)] + cells($0.mileage) })
    let destinations = driving.destinations.prefix(10)
    var goals: Markup = ""
    if let first = destinations.first {
      let longest =
        driving.longest.map {
          " The longest trip was \(distanceText($0.distance)), on \(day(local.day(of: $0.event)))."
        } ?? ""
      goals =
        "<figure><p class=\"finding\">Most often to \(name: first.name): \(Quantity(first.mileage.trips, "time")).\(longest)</p>\n"
      goals += plainTable(
        "Where trips ended", ["place", "trips", "distance"],
        destinations.map { [.text($0.name), .number("\($0.mileage.trips)"), .number(distanceText($0.mileage.total))] })
      goals += "</figure>\n"
    }
    return """
      \(figure(finding, "<ul class=\"rows places\">\n\(months)</ul>\(mileageKey(driving.now))", byMonth))
      <div class="columns"><figure><p class="finding">\(categories(driving.now))</p>
      \(vehicles)</figure>
      \(goals)</div>

      """
  }

  private func categories(_ mileage: Mileage) -> String {
    guard mileage.total > 0, mileage.business + mileage.`private` > 0 else {
      return "Nobody said what the trips were for."
    }
    return
      "Business \(Self.percent(mileage.business / mileage.total)), private \(Self.percent(mileage.`private` / mileage.total))"
      + (mileage.unclassified > 0 ? ", of \(Self.percent(mileage.unclassified / mileage.total)) nobody said." : ".")
  }

  private func mileageBar(_ mileage: Mileage, _ most: Double) -> Markup {
    let whole = max(most, 1e-9)
    return RowPicture(parts: [
      (mileage.business / whole, "solid"), (mileage.`private` / whole, "outline"),
      (mileage.unclassified / whole, "open"),
    ]).markup
  }

  private func mileageKey(_ mileage: Mileage) -> Markup {
    func sample(_ kind: Markup, _ name: String) -> Markup {
      "<span><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect class=\"\(kind)\" x=\"1\" y=\"2\" width=\"12\" height=\"10\"/></svg>\(name)</span>"
    }
    return
      "<p class=\"key\">\(sample("solid", "business"))\(sample("outline", "private"))\(mileage.unclassified > 0 ? sample("open", "nobody said") : "")</p>"
  }

  private var places: Markup {
    let most = Double(found.stays.first?.visits ?? 1)
    let list = found.stays.prefix(20)
    let rows = list.map { stay -> Markup in
      """
      <li class="t t0"><span class="name">\(name: stay.place.name)</span><div class="bar">\(RowPicture(share: Double(stay.visits) / most).markup)</div>\
      <div class="end"><b>\(Quantity(stay.visits, "visit"))</b> <span class="quiet">\(hours(stay.seconds))</span></div></li>

      """
    }
    let table = self.table(
      "Visits", ["place", "visits", "time there"],
      found.stays.map { [.text($0.place.name), .number("\($0.visits)"), .number(hours($0.seconds))] })
    let first = found.stays[0]
    return figure(
      "Most often at \(first.place.name.isolated): \(Quantity(first.visits, "visit")), \(hours(first.seconds)) together.",
      "<ul class=\"rows places\">\n\(rows)</ul>", table)
  }

  // MARK: One type

  private var each: Markup {
    let hasSkips = found.present.contains { !$0.skips.isDisjoint(with: found.days) }
    let parts = found.present.map(type)
    let shown = found.span.isYear ? found.days.lowerBound...yearEnd : found.days
    return "\(key(shown, found.present.map(\.whole), skips: hasSkips))<div class=\"types\">\n\(parts)</div>\n"
  }

  private func type(_ entry: LookBack.Entry) -> Markup {
    let shown = found.span.isYear ? found.days.lowerBound...yearEnd : found.days
    var said = [
      "\(counted(entry.change.now, "entry", "entries")) on \(entry.change.activeDays) of \(Quantity(found.days.count, "day"))"
    ]
    if let records = entry.records {
      if found.months.count > 1 {
        said.append("most in \(records.month.days.lowerBound.monthWords(near: found.days)) (\(records.month.events))")
      }
      if records.streak > 1 { said.append("\(records.streak) days in a row until \(day(records.streakEnd))") }
    }
    let finding = said.joined(separator: "; ") + "."
    let heat = HeatPicture(
      days: shown, last: found.days.upperBound, isPresent: found.isPresent, history: entry.whole, skips: entry.skips,
      firstWeekday: local.firstWeekday, label: "\(entry.type.name.isolated) by day. \(finding)")
    let order = (0..<7).map { ($0 + local.firstWeekday) % 7 }
    let months = entry.history.series(by: .month, over: found.days, firstWeekday: local.firstWeekday).points
    let (weekdays, hours) = (entry.history.weekdays, entry.history.hours)
    func small(_ name: String, _ picture: BarPicture) -> Markup { "<div><h4>\(name)</h4>\(picture.markup)</div>" }
    var pictures: [Markup] = []
    if months.count > 1 {
      pictures.append(
        small(
          "Months",
          BarPicture(
            bars: months.map { point in
              BarPicture.Bar(
                name: months.count <= 12
                  ? LocalTime.months[point.days.lowerBound.month - 1] : point.days.lowerBound.shortMonth,
                value: point.value ?? 0, figure: months.count <= 12 ? Self.number(point.value ?? 0) : nil)
            }, label: "\(entry.type.name.isolated) by month", height: 84,
            nameStep: max(1, months.count / 12 + (months.count > 12 ? 1 : 0)))))
    }
    pictures.append(
      small(
        weekdayFinding(entry.history),
        BarPicture(
          bars: order.map {
            BarPicture.Bar(name: String(LocalTime.weekdays[$0].prefix(2)), value: Double(weekdays[$0]))
          },
          label: "\(entry.type.name.isolated) by weekday", width: 180, height: 84)))
    if hours.contains(where: { $0 > 0 }) {
      pictures.append(
        small(
          whenFinding(entry.history),
          BarPicture(
            bars: hours.enumerated().map { BarPicture.Bar(name: hourName($0.offset), value: Double($0.element)) },
            label: "\(entry.type.name.isolated) by hour", width: 288, height: 84, nameStep: 6)))
    }
    var amounts: Markup = ""
    if !entry.amounts.isEmpty {
      amounts = plainTable(
        "What it comes to", ["", "together", "on average", "half are below", "most"],
        entry.amounts.map { amount in
          let said = { (value: Double) in amount.isLength ? DurationPhrase.words(value) : Self.decimal(value) }
          return [
            .text(amount.label), .number(said(amount.distribution.sum)), .number(said(amount.distribution.mean)),
            .number(said(amount.distribution.median)), .number("\(said(amount.most.value)) on \(day(amount.most.day))"),
          ]
        })
    }
    let twin = table(
      "\(entry.type.name.isolated) by month", ["month", "entries", "days with one"],
      months.map { point in
        [
          .text(point.days.lowerBound.monthWords(near: nil)), .number(Self.number(point.value ?? 0)),
          .number("\(entry.whole.days.over(point.days).values.count { $0 > 0 })"),
        ]
      })
    return """
      <figure class="type t t\(number(of: entry.type.id))"><h3>\(disc(entry.type))\(name: entry.type.name)</h3>
      <p class="finding">\(finding)</p>
      \(heat.markup)
      <div class="small">\(pictures)</div>
      \(amounts)\(twin)</figure>

      """
  }

  // MARK: Pieces

  private func figure(_ finding: String, _ picture: Markup, _ twin: Markup) -> Markup {
    "<figure><p class=\"finding\">\(finding)</p>\n\(picture)\n\(twin)</figure>\n"
  }

  private enum Cell {
    case text(String)
    case number(String)
  }

  /// The numbers of a picture, behind a word that opens them.
  private func table(_ caption: String, _ columns: [String], _ rows: [[Cell]]) -> Markup {
    "<details><summary>Table</summary>\(plainTable(caption, columns, rows))</details>\n"
  }

  private func plainTable(_ caption: String, _ columns: [String], _ rows: [[Cell]]) -> Markup {
    func isNumber(_ column: Int) -> Bool { if case .number? = rows.first?[column] { true } else { false } }
    let heads = columns.enumerated().map { place, name -> Markup in
      isNumber(place) ? "<th scope=\"col\" class=\"num\">\(name)</th>" : "<th scope=\"col\">\(name)</th>"
    }
    let lines = rows.map { row -> Markup in
      let cells = row.enumerated().map { place, cell -> Markup in
        switch cell {
        case .text(let text) where place == 0: "<th scope=\"row\" class=\"words\">\(name: text)</th>"
        case .text(let text): "<td>\(name: text)</td>"
        case .number(let text): "<td class=\"num\">\(text)</td>"
        }
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <div class="table" role="region" aria-label="\(caption)" tabindex="0"><table><caption>\(caption)</caption>
      <thead><tr>\(heads)</tr></thead>
      <tbody>
      \(lines)</tbody></table></div>
      """
  }

  /// A month a row, a day a column.
  private func dayTable(_ history: TypeHistory, caption: String) -> Markup {
    let months = found.days.split(by: .month, firstWeekday: local.firstWeekday)
    let rows = months.map { month -> [Cell] in
      [.text(month.lowerBound.monthWords(near: nil))]
        + (1...31).map { number in
          let day = month.lowerBound.advanced(by: number - month.lowerBound.day)
          return .number(month.contains(day) ? Self.number(history.days[day]) : "")
        }
    }
    return table(caption, ["month"] + (1...31).map { "\($0)" }, rows)
  }

  private func disc(_ type: EventType) -> Markup {
    "<span class=\"disc t t\(number(of: type.id))\" aria-hidden=\"true\">\(type.sign)</span>"
  }

  private func disc(_ id: String) -> Markup? { found.entries.first { $0.type.id == id }.map { disc($0.type) } }

  /// Of its colours.
  private func number(of id: String) -> Int { (found.entries.firstIndex { $0.type.id == id } ?? -1) + 1 }

  private func day(_ day: CivilDate) -> String { day.words(near: found.days.upperBound) }

  private func against(_ change: PeriodChange) -> String {
    change.before == 0
      ? "new" : change.now == change.before ? "same" : "\(self.change(change)), \(Self.number(change.before)) before"
  }

  private func change(_ change: PeriodChange) -> String {
    guard let percent = change.percent else { return "new" }
    return change.now == change.before ? "same" : "\(Self.signed(percent)) %"
  }

  private func distanceText(_ metres: Double) -> String {
    // A tenth says nothing of hundreds.
    let text = units.distance(metres)
    guard abs(metres) >= 100 * units.metresOfUnit, let space = text.lastIndex(of: " ") else { return text }
    return Self.number((metres / units.metresOfUnit).rounded()) + text[space...]
  }

  private func distance(_ metres: Double) -> Markup {
    let text = distanceText(metres)
    guard let space = text.lastIndex(of: " ") else { return "\(text)" }
    return "\(String(text[..<space])) <small>\(String(text[text.index(after: space)...]))</small>"
  }

  private func hours(_ seconds: Double) -> String {
    seconds >= 36_000 ? "\(Self.number((seconds / 3600).rounded())) h" : DurationPhrase.words(seconds)
  }

  private func counted(_ count: Double, _ thing: String, _ things: String) -> String {
    "\(Self.number(count)) \(count == 1 ? thing : things)"
  }

  private static let weekdays = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"]

  private static func percent(_ share: Double) -> String { "\((share * 100).text(decimals: 0)) %" }

  private static func signed(_ value: Double, decimals: Int = 0) -> String {
    "\(value < 0 ? "−" : "+")\(abs(value).text(decimals: decimals))"
  }

  /// `2789`, `12 789`: from five digits on with thin spaces that do not break, as the SI has it.
  private static func number(_ value: Double) -> String {
    let digits = value.text(decimals: 0)
    guard digits.count > 4, digits.allSatisfy({ $0.isNumber || $0 == "-" }) else { return digits }
    var text = ""
    for (place, digit) in digits.reversed().enumerated() {
      if place > 0, place % 3 == 0, digit != "-" { text = "\u{202F}" + text }
      text = String(digit) + text
    }
    return text
  }

  /// A number as a person reads it: to a hundredth, a large one whole.
  private static func decimal(_ value: Double) -> String {
    abs(value) >= 1000 ? number(value) : value.shortText(decimals: 2)
  }
}

extension LookBack {
  /// A month of the days, and what the year before had in it; that only of a year.
  struct Month {
    let days: ClosedRange<CivilDate>
    let now: Double
    let before: Double?
  }
}

extension Confidence {
  fileprivate var rank: Int {
    switch self {
    case .low: 1
    case .medium: 2
    case .high: 3
    }
  }
}

extension EventType {
  /// Its icon where that is a sign and not the name of one, else the first letter of its name.
  fileprivate var sign: String {
    let icon = iconName.filter { !$0.isWhitespace }
    if (1...2).contains(icon.count), !icon.allSatisfy({ $0.isASCII }) { return icon }
    return name.first { !$0.isWhitespace }.map { String($0).uppercased() } ?? "·"
  }
}

extension String {
  /// Within a sentence: its direction of writing does not reach beyond it (Unicode's UAX 9, isolates).
  fileprivate var isolated: String { utf8.allSatisfy { $0 < 0x80 } ? self : "\u{2068}\(self)\u{2069}" }

  /// For where there is room for a word.
  fileprivate var shortened: String { count > 24 ? prefix(22) + "…" : self }

  /// `6 am` of `6:00 am`.
  fileprivate var hourWord: String { replacing(":00", with: "") }
}

extension CivilDate {
  /// `1 March 2026`.
  fileprivate var longWords: String { "\(dayAndMonth) \(year)" }

  /// `1 March`.
  fileprivate var dayAndMonth: String { "\(day) \(Self.monthNames[month - 1])" }

  private static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  /// `Aug`, with its year where the days lie in several.
  fileprivate func monthWords(near days: ClosedRange<CivilDate>?) -> String {
    let isOneYear = days.map { $0.lowerBound.year == $0.upperBound.year } ?? false
    return isOneYear ? LocalTime.months[month - 1] : monthWords
  }

  /// `1/26`.
  fileprivate var shortMonth: String { "\(month)/\(year % 100 < 10 ? "0" : "")\(year % 100)" }
}
