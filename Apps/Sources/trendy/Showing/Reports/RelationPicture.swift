import CommandSupport
import TrendyInsights
import TrendyModels

/// Chart of two correlated types' daily series, one above the other, with a column per day.
struct RelationPicture {
  private struct Side {
    let id: String
    let name: String
    let color: String?
    /// Series for the days that the correlation covers.
    let series: DailySeries
  }

  private let relation: CorrelationFinding
  /// Number of pairs of types tested for correlation.
  private let pairs: Int
  /// If the correlation has a lag, the type that precedes the other by a day.
  private let first: Side
  private let second: Side
  private let today: CivilDate
  private let narrator = PlainNarrator()

  /// Returns `nil` if there are not enough correlations. `place` is the rank of the correlation, from 0.
  init?(_ found: FoundInsights, ofRelation place: Int) {
    guard found.search.strongest.indices.contains(place) else { return nil }
    let relation = found.search.strongest[place]
    let days = relation.firstBasis.from...relation.firstBasis.through
    let histories = found.report.histories
    func side(_ id: String) -> Side {
      let series = histories[id]?.days ?? DailySeries(days)
      return Side(id: id, name: found.name(id), color: found.type(id)?.colorHex, series: series.over(days))
    }
    (self.relation, pairs, today) = (relation, found.search.pairs, found.today)
    (first, second) = (side(relation.first), side(relation.second))
  }

  func show(_ console: Console) {
    if console.isJSON { console.document("trendy.relation/1", members) }
    if console.format == .plain {
      for (place, value) in first.series.values.enumerated() {
        let day = first.series.first.advanced(by: place)
        console.row(["\(day)", number(value), number(second.series[day])])
      }
    }
    for line in lines(console.terminal) { console.text(line) }
  }

  private func number(_ value: Double) -> String { JSONText.number(value).description }

  private func name(_ id: String) -> String { id == first.id ? first.name : second.name }

  // MARK: Text

  private func lines(_ terminal: Terminal) -> [StyledText] {
    let sentence = narrator.sentence(relation, first: first.name, second: second.name) + "."
    let p = relation.adjustedP < 0.001 ? "below 0.001" : relation.adjustedP.text(decimals: 3)
    let span = (relation.firstBasis.from...relation.firstBasis.through).words(near: today)
    let basis =
      "\(span): r \(relation.correlation.r.text(decimals: 2)) over \(Quantity(relation.correlation.count, "day")), "
      + "p \(p) adjusted for \(Quantity(pairs, "pair")), \(relation.confidence.rawValue) confidence."
    let legend =
      relation.lag == 0
      ? "Each column is a day."
      : "Each column is a day for \(first.name); below it is \(second.name) on the following day."
    return plain(terminal.lines(of: sentence)) + plain(terminal.lines(of: basis, indent: 2)) + bands(terminal)
      + plain([""]) + plain(terminal.lines(of: legend, indent: 2))
  }

  private func plain(_ lines: [String]) -> [StyledText] { lines.map { StyledText($0) } }

  /// Splits the days into bands that fit the terminal width.
  private func bands(_ terminal: Terminal) -> [StyledText] {
    let count = first.series.count - relation.lag
    let margin = min(max(first.name.columns, second.name.columns), 16)
    let room = max(14, (terminal.width ?? 80) - margin - 4)
    let bands = (count + room - 1) / room
    let size = (count + bands - 1) / bands
    return stride(from: 0, to: count, by: size).flatMap { start in
      let columns = start..<min(start + size, count)
      return plain([""]) + [
        band(first, columns, lag: 0, margin, terminal),
        band(second, columns, lag: relation.lag, margin, terminal),
      ] + plain([String(repeating: " ", count: margin + 4) + names(columns)])
    }
  }

  private func band(
    _ side: Side, _ columns: Range<Int>, lag: Int, _ margin: Int, _ terminal: Terminal
  ) -> StyledText {
    // All bands have the same scale.
    let most = side.series.values.max() ?? 0
    let values = columns.map { side.series.values[$0 + lag] }
    let drawn = TextPicture.series(values + [most], isUnicode: terminal.showsUnicode).dropLast()
    let name = side.name.columns > margin ? side.name.cut(to: margin) : side.name
    return StyledText([
      StyledText.Part("  " + name.padded(to: margin), .name(color: side.color)), StyledText.Part(String(drawn)),
    ])
  }

  /// Returns labels for the first day and for each month.
  private func names(_ columns: Range<Int>) -> String {
    var text = ""
    for place in columns {
      let (_, month, day) = first.series.first.advanced(by: place).fields
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
    let points = first.series.values.enumerated().map { place, value in
      let day = first.series.first.advanced(by: place)
      return JSONText.object([
        ("date", .string("\(day)")), ("first", .number(value)), ("second", .number(second.series[day])),
      ])
    }
    return [
      ("relation", .object(Self.members(relation, name, narrator))), ("pairs", .number(pairs)),
      ("days", .array(points)),
    ]
  }

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
