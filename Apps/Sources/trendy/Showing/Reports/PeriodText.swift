import CommandSupport
import TrendyInsights
import TrendyModels
import TrendyTrips

/// Formats a ``PeriodReview`` and the distance driven as text, `--plain` rows and JSON.
struct PeriodText {
  static let columns = [
    "type", "now", "before", "percent (or new)", "count per day or month",
  ]

  private let review: PeriodReview
  private let driven: Driven?
  private let times: TypeTimes
  /// Current time of day if the last day has not ended; otherwise `nil`.
  private let clock: String?
  private let isNarrow: Bool
  private let units: Units

  private var span: ReviewedPeriod { review.span }

  /// - Precondition: the report has a comparison.
  init(_ report: Report, _ record: SelectedRecord, isNarrow: Bool, _ session: Session) throws {
    guard let span = report.query.comparison else { preconditionFailure("a report without a comparison") }
    review = PeriodReview(report, over: span)
    driven = try Driven(span, report.query, record)
    times = try TypeTimes(report, on: span.days, from: record)
    clock = span.isPresent ? session.local.time(session.now) : nil
    self.isNarrow = isNarrow
    units = session.units
  }

  func show(_ console: Console) {
    let year = span.period == .year ? YearText(review) : nil
    if console.isJSON { console.document("trendy.\(span.period.rawValue)/1", members + (year?.members ?? [])) }
    if console.format == .plain {
      for row in review.rows {
        console.row(
          [
            row.type.name, "\(Int(row.change.now))", "\(Int(row.change.before))",
            row.change.percent.map { "\($0)" } ?? "new", row.values.map { "\(Int($0))" }.joined(separator: ","),
          ] + (year?.cells(row) ?? []))
      }
    }
    for line in console.terminal.lines(of: heading) { console.text(line) }
    guard !review.rows.isEmpty else {
      console.text(
        "  " + (review.together.events > 0 ? "No entries in either period." : NothingRecorded.words(isNarrow: isNarrow))
      )
      return
    }
    for sentence in [times.sentence, sentence].compactMap(\.self) + (year?.sentences ?? []) {
      for line in console.terminal.lines(of: sentence, indent: 2) { console.text(line) }
    }
    let table = FigureTable(
      rows: review.rows.map { row in
        FigureTable.Row(
          row.type.name, color: row.type.colorHex,
          figures: ["\(Int(row.change.now))", "\(Int(row.change.before))", Self.words(row.change)],
          picture: TextPicture.series(row.values, isUnicode: console.terminal.showsUnicode))
      })
    for line in table.lines(console.terminal) + (year?.lines(console.terminal) ?? []) { console.text(line) }
    if let driven {
      for line in console.terminal.lines(of: driven.sentence(span.period, units), indent: 2) { console.text(line) }
    }
  }

  private var sentence: String {
    PlainNarrator().sentence(.changes(review.rows.map { (name: $0.type.name, change: $0.change) }))
  }

  private static func words(_ change: PeriodChange) -> String {
    guard let percent = change.percent else { return "new" }
    return change.now == change.before ? "same" : "\(percent < 0 ? "−" : "+")\(abs(percent).text(decimals: 0)) %"
  }

  private var heading: String {
    let clock = clock.map { " \($0)" } ?? ""
    let (days, before) = (words(span.days) + clock, words(span.daysBefore))
    guard span.isPresent else { return "\(days), compared with \(before)" }
    let name = span.period.rawValue
    return "This \(name), \(days), compared with \(span.isPart ? "the same part of " : "")last \(name), \(before)"
  }

  /// Formats a range of days as `Mon 16 to Fri 20 Nov`, or as the name of a whole month or year.
  private func words(_ days: ClosedRange<CivilDate>) -> String {
    let first = days.lowerBound
    let isWhole = days == span.period.days(around: first, firstWeekday: first.weekday)
    if span.period == .year, isWhole { return "\(first.year)" }
    if span.period == .month, isWhole { return first.monthWords }
    return days.words(near: span.last)
  }

  private var members: [(String, JSONText)] {
    func driven(_ mileage: Mileage) -> JSONText {
      .object([
        ("trips", .number(mileage.trips)), ("distance_m", .number((mileage.total * 10).rounded() / 10)),
      ])
    }
    return [
      ("from", .string(span.days.lowerBound.description)), ("through", .string(span.days.upperBound.description)),
      ("before_from", .string(span.daysBefore.lowerBound.description)),
      ("before_through", .string(span.daysBefore.upperBound.description)),
      ("sentence", .string(review.rows.isEmpty ? nil : sentence)),
      (
        "types",
        .array(
          review.rows.map { row in
            .object(
              [
                ("event_type", .object([("id", .string(row.type.id)), ("name", .string(row.type.name))])),
                ("now", .number(row.change.now)), ("before", .number(row.change.before)),
                ("percent", .number(row.change.percent)), ("direction", .string(row.change.direction.rawValue)),
                ("active_days", .number(row.change.activeDays)),
                ("active_days_before", .number(row.change.activeDaysBefore)),
                ("values", .array(row.values.map { .number($0) })),
              ] + times.members(of: row.type.id))
          })
      ),
      ("driven", self.driven.map { driven($0.now) } ?? .null),
      ("driven_before", self.driven.map { driven($0.before) } ?? .null),
    ]
  }
}
