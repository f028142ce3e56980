import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Printable HTML page for a ``LookBack``.
///
/// The page is a single file with inline SVG pictures, without scripts or external resources. Each picture has a title,
/// a sentence with its main result, and a table of its numbers.
struct ReportPage {
  let found: LookBack
  let local: LocalTime
  let units: Units
  let made: Date
  let narrator = PlainNarrator()

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
      <footer>Created on \(local.dayAndTime(made, year: 0)) (\(local.zoneName ?? "UTC")) from the record on this device. \
      This file loads nothing from the network.</footer>
      </body>
      </html>

      """
    return page.source
  }

  enum Section: String, CaseIterable {
    case days, types, months, hours, together, streaks, records, trips, places, each

    var title: String {
      switch self {
      case .days: "Day by day"
      case .types: "Entries by type"
      case .months: "Months and weekdays"
      case .hours: "Hours"
      case .together: "Correlations"
      case .streaks: "Streaks"
      case .records: "Records"
      case .trips: "Trips and mileage"
      case .places: "Places"
      case .each: "Each type"
      }
    }
  }

  /// Returns the content of a section, or `nil` if there is none.
  func body(of section: Section) -> Markup? {
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

  var title: String {
    if found.isYear { return "\(found.days.lowerBound.year)" }
    return words(found.days)
  }

  /// Formats a range of days, as in `18 to 25 November 2026`.
  func words(_ days: ClosedRange<CivilDate>) -> String {
    let (first, last) = (days.lowerBound, days.upperBound)
    if first == last { return last.longWords }
    let isOneYear = first.year == last.year
    let start = isOneYear ? first.month == last.month ? "\(first.day)" : first.dayAndMonth : first.longWords
    return "\(start) to \(last.longWords)"
  }

  var span: String {
    let whole = found.isYear && !(found.isPresent && found.days.upperBound < yearEnd)
    let days = whole ? "The whole year" : words(found.days)
    return "Trendy · \(found.isYear ? days : Quantity(found.days.count, "day").description)"
  }

  var yearEnd: CivilDate { CivilDate(year: found.days.upperBound.year, month: 12, day: 31) }

  var lead: String {
    guard found.total.now > 0 else {
      return found.total.before > 0
        ? "No entries in this period; \(counted(found.total.before, "entry", "entries")) in the previous one."
        : "No entries in this period."
    }
    return [totalSentence, bestSentence].compactMap { $0 }.joined(separator: " ")
  }

  var totalSentence: String {
    if found.isYear { return narrator.sentence(.total(found.total, .year)) }
    let change = found.total
    let said =
      "\(counted(change.now, "entry", "entries")) on \(change.activeDays) of \(Quantity(change.days.count, "day"))"
    guard let percent = change.percent else { return said + "; none in the previous period." }
    return said + ", \(Self.signed(percent)) % compared with the previous period (\(Self.number(change.before)))."
  }

  var bestSentence: String? {
    guard let best = found.best else { return nil }
    return narrator.sentence(
      .best(
        month: best.month.days.lowerBound.monthWords(near: found.days), events: best.month.events,
        day: day(best.day.days.lowerBound), eventsOfDay: best.day.events))
  }

  var figures: Markup {
    guard found.total.now > 0 else { return "" }
    var list: [(String, Markup)] = [
      (found.total.now == 1 ? "entry" : "entries", "\(Self.number(found.total.now))"),
      (
        found.total.activeDays == 1 ? "day with an entry" : "days with an entry",
        "\(found.total.activeDays) <small>of \(found.days.count)</small>"
      ),
      (found.present.count == 1 ? "type" : "types", "\(found.present.count)"),
    ]
    if let longest = found.habits.compactMap({ entry in entry.records.map { (entry, $0.streak) } }).max(by: {
      $0.1 < $1.1
    }),
      longest.1 > 1
    {
      list.append(("day streak, \(longest.0.type.name.shortened.isolated)", "\(longest.1)"))
    }
    if let driving = found.driving {
      list.append((driving.now.trips == 1 ? "trip" : "trips", "\(Self.number(Double(driving.now.trips)))"))
      list.append(("driven", distance(driving.now.total)))
    }
    let items = list.map { name, value -> Markup in "<div><dt>\(name)</dt><dd>\(value)</dd></div>" }
    return "<dl class=\"figures\">\(items)</dl>\n"
  }
}
