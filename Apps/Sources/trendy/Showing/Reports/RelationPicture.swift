import CommandSupport
import TrendyInsights
import TrendyModels

/// Chart of two correlated event types, with one sparkline above the other and a column for each day.
struct RelationPicture {
  private let days: RelationDays
  private let narrator = PlainNarrator()

  init(_ days: RelationDays) { self.days = days }

  func show(_ console: Console) {
    if console.isJSON { console.document("trendy.relation/1", members) }
    if console.format == .plain {
      for (place, first) in days.first.series.values.enumerated() {
        let day = days.first.series.first.advanced(by: place)
        console.row(["\(day)", number(first), number(days.second.series[day])])
      }
    }
    for line in lines(console.terminal) { console.text(line) }
  }

  private func number(_ value: Double) -> String { JSONText.number(value).description }

  private func name(_ id: String) -> String { id == days.first.id ? days.first.name : days.second.name }

  // MARK: Text

  private func lines(_ terminal: Terminal) -> [StyledText] {
    let relation = days.relation
    let sentence = narrator.sentence(relation, first: days.first.name, second: days.second.name) + "."
    let p = relation.adjustedP < 0.001 ? "below 0.001" : relation.adjustedP.text(decimals: 3)
    let span = (relation.firstBasis.from...relation.firstBasis.through).words(near: days.today)
    let basis =
      "\(span): r \(relation.correlation.r.text(decimals: 2)) over \(Quantity(relation.correlation.count, "day")), "
      + "p \(p) adjusted for \(Quantity(days.pairs, "pair")), \(relation.confidence.rawValue) confidence."
    let legend =
      relation.lag == 0
      ? "Each column is a day."
      : "Each column is a day; \(days.second.name) is shifted by one day and shown below the day before."
    return plain(terminal.lines(of: sentence)) + plain(terminal.lines(of: basis, indent: 2)) + bands(terminal)
      + plain([""]) + plain(terminal.lines(of: legend, indent: 2))
  }

  private func plain(_ lines: [String]) -> [StyledText] { lines.map { StyledText($0) } }

  /// Returns the chart, split into several bands if it is wider than the terminal.
  private func bands(_ terminal: Terminal) -> [StyledText] {
    let count = days.first.series.count - days.relation.lag
    let margin = min(max(days.first.name.columns, days.second.name.columns), 16)
    let room = max(14, (terminal.width ?? 80) - margin - 4)
    let bands = (count + room - 1) / room
    let size = (count + bands - 1) / bands
    return stride(from: 0, to: count, by: size).flatMap { start in
      let columns = start..<min(start + size, count)
      return plain([""]) + [
        band(days.first, columns, lag: 0, margin, terminal),
        band(days.second, columns, lag: days.relation.lag, margin, terminal),
      ] + plain([String(repeating: " ", count: margin + 4) + names(columns)])
    }
  }

  private func band(
    _ side: RelationDays.Side, _ columns: Range<Int>, lag: Int, _ margin: Int, _ terminal: Terminal
  ) -> StyledText {
    // The maximum is appended and then removed, so that all bands have the same scale.
    let most = side.series.values.max() ?? 0
    let values = columns.map { side.series.values[$0 + lag] }
    let drawn = TextPicture.series(values + [most], isUnicode: terminal.showsUnicode).dropLast()
    let name = side.name.columns > margin ? side.name.cut(to: margin) : side.name
    return StyledText([
      StyledText.Part("  " + name.padded(to: margin), .name(color: side.color)), StyledText.Part(String(drawn)),
    ])
  }

  /// Returns the line of dates below a band, with the first day and the start of each month.
  private func names(_ columns: Range<Int>) -> String {
    var text = ""
    for place in columns {
      let (_, month, day) = days.first.series.first.advanced(by: place).fields
      guard place == columns.lowerBound || day == 1 else { continue }
      let name = place == columns.lowerBound ? "\(day) \(LocalTime.months[month - 1])" : LocalTime.months[month - 1]
      let column = place - columns.lowerBound
      guard column == 0 || column > text.columns, column + name.columns <= max(columns.count, name.columns) else {
        continue
      }
      text = text.padded(to: column) + name
    }
    return text
  }

  // MARK: JSON

  private var members: [(String, JSONText)] {
    let points = days.first.series.values.enumerated().map { place, value in
      let day = days.first.series.first.advanced(by: place)
      return JSONText.object([
        ("date", .string("\(day)")), ("first", .number(value)), ("second", .number(days.second.series[day])),
      ])
    }
    return [
      ("relation", .object(Self.members(days.relation, name, narrator))), ("pairs", .number(days.pairs)),
      ("days", .array(points)),
    ]
  }

  /// Returns the members of the JSON object that describes a correlation.
  static func members(
    _ relation: CorrelationFinding, _ name: (String) -> String, _ narrator: some InsightNarrator
  ) -> [(String, JSONText)] {
    func type(_ id: String) -> JSONText { .object([("id", .string(id)), ("name", .string(name(id)))]) }
    return [
      ("first", type(relation.first)), ("second", type(relation.second)), ("lag_days", .number(relation.lag)),
      ("r", .number(relation.correlation.r)), ("p", .number(relation.correlation.p)),
      ("adjusted_p", .number(relation.adjustedP)), ("days", .number(relation.correlation.count)),
      ("confidence", .string(relation.confidence.rawValue)), ("from", .string(relation.firstBasis.from.description)),
      ("through", .string(relation.firstBasis.through.description)),
      ("first_events", .number(relation.firstBasis.events)), ("second_events", .number(relation.secondBasis.events)),
      ("sentence", .string(narrator.sentence(relation, first: name(relation.first), second: name(relation.second)))),
    ]
  }
}
