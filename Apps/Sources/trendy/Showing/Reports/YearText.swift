import CommandSupport
import TrendyInsights
import TrendyModels

/// Best months, days and streaks of a year, which supplement ``PeriodText``.
struct YearText {
  static let columns = [
    "best month", "entries in it", "best day", "entries on it", "longest streak in days", "last day of it",
  ]

  private let review: PeriodReview
  /// Types with entries in the year, and their records.
  private let bests: [(type: EventType, records: PersonalRecords)]

  init(_ review: PeriodReview) {
    self.review = review
    bests = review.rows.compactMap { row in row.records.map { (row.type, $0) } }
  }

  /// Sentences after the review's first one.
  var sentences: [String] {
    guard let best = review.best else { return [] }
    let narrator = PlainNarrator()
    let peaks = InsightStatement.best(
      month: Self.month(best), events: best.month.events, day: day(best.day.days.lowerBound),
      eventsOfDay: best.day.events)
    return [narrator.sentence(.total(review.total, .year)), narrator.sentence(peaks)]
  }

  func lines(_ terminal: Terminal) -> [StyledText] {
    guard !bests.isEmpty else { return [] }
    let table = FigureTable(
      rows: bests.map { type, records in
        FigureTable.Row(
          type.name, color: type.colorHex,
          figures: [
            "\(Self.month(records)) \(records.month.events)",
            "\(records.day.days.lowerBound.day) \(Self.name(records.day)) \(records.day.events)",
            Quantity(records.streak, "day").description,
          ])
      })
    let heading = terminal.lines(of: "Best month, best day and longest streak by type:", indent: 2)
    return [StyledText([])] + heading.map { StyledText($0) } + table.lines(terminal)
  }

  private static func name(_ peak: PersonalRecords.Peak) -> String {
    LocalTime.months[peak.days.lowerBound.month - 1]
  }

  private static func month(_ records: PersonalRecords) -> String { name(records.month) }

  private func day(_ day: CivilDate) -> String { day.words(near: review.span.days.upperBound) }

  /// Returns the cells for a type, which are empty if it has no entries in the year.
  func cells(_ row: PeriodReview.Row) -> [String] {
    guard let records = row.records else { return Self.columns.map { _ in "" } }
    return [
      Self.monthCell(records), "\(records.month.events)", records.day.days.lowerBound.description,
      "\(records.day.events)", "\(records.streak)", records.streakEnd.description,
    ]
  }

  /// Formats the best month as `2026-11`.
  private static func monthCell(_ records: PersonalRecords) -> String {
    String(records.month.days.lowerBound.description.prefix(7))
  }

  var members: [(String, JSONText)] {
    func best(_ records: PersonalRecords) -> [(String, JSONText)] {
      [
        (
          "best_month",
          .object([("month", .string(Self.monthCell(records))), ("events", .number(records.month.events))])
        ),
        (
          "best_day",
          .object([
            ("day", .string(records.day.days.lowerBound.description)), ("events", .number(records.day.events)),
          ])
        ),
        (
          "longest_streak",
          .object([("days", .number(records.streak)), ("through", .string(records.streakEnd.description))])
        ),
      ]
    }
    let total = review.total
    return [
      (
        "total",
        .object(
          [
            ("now", .number(total.now)), ("before", .number(total.before)), ("percent", .number(total.percent)),
            ("active_days", .number(total.activeDays)), ("active_days_before", .number(total.activeDaysBefore)),
          ] + (review.best.map(best) ?? []))
      ),
      (
        "bests",
        .array(
          bests.map { type, records in
            .object(
              [("event_type", .object([("id", .string(type.id)), ("name", .string(type.name))]))] + best(records))
          })
      ),
      ("summary", .array(sentences.map { .string($0) })),
    ]
  }
}
