import CommandSupport
import TrendyInsights
import TrendyModels

/// Formats the series of one event type as text, `--plain` rows and JSON.
struct ChartText {
  static let columns = ["first day", "last day", "value", "entries", "14-day mean (by day)"]
  private static let widestBar = 40

  private let row: Report.Row
  private let series: Report.Series
  private let period: CalendarPeriod
  private let today: CivilDate
  /// Measured property or time; `nil` if the series counts events.
  private let amount: (name: String, summary: AmountSummary, isLength: Bool)?

  init(_ report: Report) {
    row = report.allRows[0]
    series = report.series(of: row)
    (period, today) = (report.query.step, report.query.today)
    amount = report.query.measure.amount
  }

  var type: EventType { row.type }
  /// Whether the type has any selected event or time, even before the charted days.
  var hasEvents: Bool { row.history.events > 0 || row.values?.entries.isEmpty == false }
  var isEmpty: Bool { amount == nil ? series.steps.events == 0 : !hasEvents }

  private var isLength: Bool { amount?.isLength == true }

  private func words(_ value: Double) -> String {
    isLength ? value == 0 ? "0 min" : DurationPhrase.words(value) : value.shortText(decimals: 2)
  }

  private var what: String {
    amount.map { "\($0.name) of \(type.name)" } ?? type.name
  }

  private var sentence: String? {
    if let statement = period == .day ? series.statement : peak {
      return PlainNarrator().sentence(statement) + "."
    }
    return nil
  }

  private var peak: InsightStatement? {
    let points = series.steps.points.filter { $0.value != nil }
    let sorted = points.compactMap(\.value).sorted()
    guard let most = sorted.last, let point = points.first(where: { $0.value == most }) else { return nil }
    return .peak(
      value: words(most), when: period == .month ? "in \(name(point))" : "in the week of \(name(point))",
      usual: words(Distribution.quantile(0.5, of: sorted)), what: what)
  }

  private func name(_ point: AmountSeries.Point) -> String {
    let first = point.days.lowerBound
    return period == .month ? first.monthWords : first.words(near: today)
  }

  func lines(_ terminal: Terminal) -> [StyledText] {
    guard series.steps.events > 0 || series.steps.points.contains(where: { $0.value ?? 0 > 0 }) else {
      guard amount != nil, hasEvents else { return [] }
      let lines = terminal.lines(of: "\(what): no \(isLength ? "durations" : "numbers") recorded.") + leftOut
      return lines.map { StyledText($0) }
    }
    var texts = sentence.map { terminal.lines(of: $0, indent: 2) } ?? []
    if period == .day { texts += lineChart(terminal) } else { texts += bars(terminal) }
    texts += leftOut.flatMap { terminal.lines(of: $0, indent: 2) }
    return [heading] + texts.map { StyledText($0) }
  }

  private var leftOut: [String] {
    guard let name = amount?.name, let count = row.values?.leftOut, count > 0 else { return [] }
    let has = count == 1 ? "has" : "have"
    return [
      "Skipped: \(Quantity(count, "entry", "entries")) \(has) a value of another kind than "
        + "\(isLength ? "duration" : "number") in '\(name)'."
    ]
  }

  private var heading: StyledText {
    let summary =
      switch amount {
      case .some(let amount): "\(amount.name), \(amount.summary.rawValue) per \(period.rawValue)"
      case nil: "entries per \(period.rawValue)"
      }
    let first = series.steps.points.first?.days.lowerBound ?? today
    return StyledText([
      StyledText.Part(type.name, .name(color: type.colorHex)), StyledText.Part(summary),
      StyledText.Part("since \(first.words(near: today))", .dim, rank: .id),
    ])
  }

  private func lineChart(_ terminal: Terminal) -> [String] {
    let dots = series.steps.points.map(\.value)
    let isMean = amount?.summary == .mean
    let scale = ChartScale(
      dots.compactMap(\.self) + series.movingMean.compactMap(\.self), fromZero: !isMean,
      units: isLength ? [1, 60, 3600] : [amount == nil ? 1 : 0])
    guard let scale else { return terminal.lines(of: tooLarge, indent: 2) }
    let names = series.steps.points.enumerated().compactMap { place, point in
      let day = point.days.lowerBound
      return place == 0 || day.day == 1 ? (place: place, text: LocalTime.months[day.month - 1]) : nil
    }
    let picture = LineChart(dots: dots, line: series.movingMean, scale: scale, names: names, label: words)
    let legend =
      series.movingMean.contains { $0 != nil } ? "Dots: days. Line: 14-day mean." : "Dots: days."
    return picture.lines(for: terminal) + terminal.lines(of: legend, indent: 2)
      + notDrawn(terminal)
  }

  private let tooLarge = "Sums that are too large are not shown. Use --mean for the mean."

  private func notDrawn(_ terminal: Terminal) -> [String] {
    let isMissing = series.steps.points.contains { $0.value == nil && $0.events > 0 }
    return isMissing ? terminal.lines(of: tooLarge, indent: 2) : []
  }

  private func bars(_ terminal: Terminal) -> [String] {
    let points = series.steps.points
    let most = points.compactMap(\.value).map(abs).max() ?? 0
    let names = points.map(name)
    let values = points.map { $0.value.map(words) ?? ($0.events == 0 ? "" : "too large") }
    let (left, right) = (names.map(\.columns).max() ?? 0, values.map(\.columns).max() ?? 0)
    let width = min(Self.widestBar, max(1, (terminal.width ?? 80) - left - right - 6))
    return zip(points, zip(names, values)).map { point, texts in
      let share = most > 0 ? abs(point.value ?? 0) / most : 0
      let bar = TextPicture.bar(share, width: width, isUnicode: terminal.showsUnicode)
      return "  \(texts.0.padded(to: left))  \(bar)\(bar.isEmpty ? "" : " ")\(texts.1)".trimmedAtEnd
    } + notDrawn(terminal)
  }

  var members: [(String, JSONText)] {
    let points = series.steps.points.map { point in
      JSONText.object([
        ("from", .string(point.days.lowerBound.description)), ("through", .string(point.days.upperBound.description)),
        ("value", .number(point.value)), ("events", .number(point.events)),
      ])
    }
    return [
      ("event_type", .object([("id", .string(type.id)), ("name", .string(type.name))])),
      ("property", .string(amount?.name)),
      ("property_type", .string(amount.map { $0.isLength ? "duration" : "number" })),
      ("summary", .string(amount?.summary.rawValue ?? "count")), ("by", .string(period.rawValue)),
      ("sentence", .string(series.steps.events > 0 ? sentence : nil)), ("points", .array(points)),
      ("mean_of_14_days", .array(series.movingMean.map { .number($0) })),
      ("left_out", .number(row.values?.leftOut ?? 0)),
    ]
  }

  /// `--plain` rows, one per day, week or month. Cells without a value are empty.
  var rows: [[String]] {
    func text(_ value: Double?) -> String { value.map { JSONText.number($0).description } ?? "" }
    return series.steps.points.enumerated().map { place, point in
      [
        point.days.lowerBound.description, point.days.upperBound.description, text(point.value), "\(point.events)",
        place < series.movingMean.count ? text(series.movingMean[place]) : "",
      ]
    }
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
