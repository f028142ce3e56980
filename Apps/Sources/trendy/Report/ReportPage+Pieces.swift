import CommandSupport
import TrendyInsights
import TrendyModels

/// Building blocks of sections: figures, tables, event type icons and formatted numbers.
extension ReportPage {
  func figure(_ finding: String, _ picture: Markup, _ twin: Markup) -> Markup {
    "<figure><p class=\"finding\">\(finding)</p>\n\(picture)\n\(twin)</figure>\n"
  }

  enum Cell {
    case text(String)
    case number(String)
  }

  /// Returns a collapsed table of the numbers in a picture.
  func table(_ caption: String, _ columns: [String], _ rows: [[Cell]]) -> Markup {
    "<details><summary>Table</summary>\(plainTable(caption, columns, rows))</details>\n"
  }

  func plainTable(_ caption: String, _ columns: [String], _ rows: [[Cell]]) -> Markup {
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

  /// Returns a table with a row per month and a column per day of the month.
  func dayTable(_ history: TypeHistory, caption: String) -> Markup {
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

  func disc(_ type: EventType) -> Markup {
    "<span class=\"disc t t\(number(of: type.id))\" aria-hidden=\"true\">\(type.sign)</span>"
  }

  func disc(_ id: String) -> Markup? { found.entries.first { $0.type.id == id }.map { disc($0.type) } }

  /// Returns the number in the CSS class for an event type's colour: `t1` is the first type.
  func number(of id: String) -> Int { (found.entries.firstIndex { $0.type.id == id } ?? -1) + 1 }

  func day(_ day: CivilDate) -> String { day.words(near: found.days.upperBound) }

  func against(_ change: PeriodChange) -> String {
    change.before == 0
      ? "new" : change.now == change.before ? "same" : "\(self.change(change)), \(Self.number(change.before)) before"
  }

  func change(_ change: PeriodChange) -> String {
    guard let percent = change.percent else { return "new" }
    return change.now == change.before ? "same" : "\(Self.signed(percent)) %"
  }

  func distanceText(_ metres: Double) -> String {
    // Distances have no decimals from 100 km or 100 miles.
    let text = units.distance(metres)
    guard abs(metres) >= 100 * units.metresOfUnit, let space = text.lastIndex(of: " ") else { return text }
    return Self.number((metres / units.metresOfUnit).rounded()) + text[space...]
  }

  func distance(_ metres: Double) -> Markup {
    let text = distanceText(metres)
    guard let space = text.lastIndex(of: " ") else { return "\(text)" }
    return "\(String(text[..<space])) <small>\(String(text[text.index(after: space)...]))</small>"
  }

  func hours(_ seconds: Double) -> String {
    seconds >= 36_000 ? "\(Self.number((seconds / 3600).rounded())) h" : DurationPhrase.words(seconds)
  }

  func counted(_ count: Double, _ thing: String, _ things: String) -> String {
    "\(Self.number(count)) \(count == 1 ? thing : things)"
  }

  static let weekdays = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"]

  static func percent(_ share: Double) -> String { "\((share * 100).text(decimals: 0)) %" }

  static func signed(_ value: Double, decimals: Int = 0) -> String {
    "\(value < 0 ? "−" : "+")\(abs(value).text(decimals: decimals))"
  }

  /// Formats an integer as `2789` or `12 789`. From five digits, narrow no-break spaces group the digits, as SI
  /// recommends.
  static func number(_ value: Double) -> String {
    let digits = value.text(decimals: 0)
    guard digits.count > 4, digits.allSatisfy({ $0.isNumber || $0 == "-" }) else { return digits }
    var text = ""
    for (place, digit) in digits.reversed().enumerated() {
      if place > 0, place % 3 == 0, digit != "−" { text = "\u{202F}" + text }
      text = String(digit) + text
    }
    return text
  }

  /// Formats a number with at most two decimals, or none from 1000.
  static func decimal(_ value: Double) -> String {
    abs(value) >= 1000 ? number(value) : value.shortText(decimals: 2)
  }
}
