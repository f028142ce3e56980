import TrendyInsights
import TrendyModels

/// Heat map of an event type with a column per week.
///
/// The map is divided into two halves of six months each, which are side by side on a wide page. To keep the report
/// small, all cells of a level share an SVG path, and all digits of a row share a text element. The digits are visible
/// only in print.
struct HeatPicture {
  /// Days shown. Days after `last` are drawn as future days.
  let days: ClosedRange<CivilDate>
  let last: CivilDate
  /// Whether `last` is today and therefore highlighted.
  let isPresent: Bool
  let history: TypeHistory
  let skips: DaySet
  let firstWeekday: Int
  let label: String

  private static let pitch = 18.0
  private static let cell = 14.8
  private static let left = 34.0
  private static let top = 20.0

  var markup: Markup { "<div class=\"halves\">\(halves.map(picture))</div>" }

  /// Days in each half, which has six calendar months.
  private var halves: [ClosedRange<CivilDate>] {
    var halves: [ClosedRange<CivilDate>] = []
    for month in days.split(by: .month, firstWeekday: firstWeekday) {
      let isNew = halves.last.map { ($0.upperBound.monthNumber - $0.lowerBound.monthNumber) == 5 } ?? true
      if isNew {
        halves.append(month)
      } else {
        halves[halves.count - 1] = halves[halves.count - 1].lowerBound...month.upperBound
      }
    }
    return halves
  }

  /// Number of weeks in the longest half, at least 27. Both halves use this number, so that all cells have the same
  /// size.
  private var columns: Int {
    max(27, halves.map { column($0.upperBound, from: $0.lowerBound) + 1 }.max() ?? 0)
  }

  private func row(_ day: CivilDate) -> Int { (day.weekday - firstWeekday + 7) % 7 }
  private func column(_ day: CivilDate, from first: CivilDate) -> Int { (row(first) + first.distance(to: day)) / 7 }

  /// Appearance of a cell. Cells with the same mark share an SVG path.
  private enum Mark: Hashable {
    case level(Int)
    case skipped, before, future

    var name: Markup {
      switch self {
      case .level(let level): "c l\(level)"
      case .skipped: "skip"
      case .before: "before"
      case .future: "future"
      }
    }

    static let all: [Mark] = (0...4).map { .level($0) } + [.skipped, .before, .future]
  }

  private func mark(_ day: CivilDate, _ level: (Double) -> Int) -> Mark {
    let value = history.days[day]
    if day > last { return .future }
    if value > 0 { return .level(level(value)) }
    if skips.contains(day) { return .skipped }
    return history.days.count == 0 || day < history.days.first ? .before : .level(0)
  }

  /// Returns the level for a number of events. Only levels 3 and 4 are used if all quartiles are equal.
  private var level: (Double) -> Int {
    guard let levels = HeatLevels(history.days.over(days.lowerBound...last)) else { return { _ in 0 } }
    guard let first = levels.bounds.first, first == levels.bounds.last else { return levels.level }
    return { $0 > first ? 4 : 3 }
  }

  private func picture(_ half: ClosedRange<CivilDate>) -> Markup {
    let level = level
    var paths: [Mark: String] = [:]
    // Indices 0 to 6 are dark digits on light cells, one element per row. Indices 7 to 13 are light digits on dark
    // cells.
    var digits = [(x: [String], text: String)](repeating: ([], ""), count: 14)
    var months: [Markup] = []
    for day in half {
      let (x, y) = (
        Self.left + Double(column(day, from: half.lowerBound)) * Self.pitch, Self.top + Double(row(day)) * Self.pitch
      )
      if day.day == 1 || day == half.lowerBound, day.day <= 20 {
        // A month's name is above its first whole week.
        let isWhole = row(day) == 0 || day == half.lowerBound
        months.append("<text x=\"\(isWhole ? x : x + Self.pitch)\" y=\"11\">\(LocalTime.months[day.month - 1])</text>")
      }
      let mark = mark(day, level)
      let inset: Markup
      switch mark {
      case .before: inset = "M\(x + 7.4) \(y + 7.4)h.01"
      // The stroke, which rounds the corners, needs this inset.
      case .level: inset = "M\(x + 1.5) \(y + 1.5)h11.8v11.8h-11.8z"
      case .skipped, .future: inset = "M\(x + 0.5) \(y + 0.5)h13.8v13.8h-13.8z"
      }
      paths[mark, default: ""] += inset.source
      if case .level(let number) = mark, number > 0 {
        let line = row(day) + (number > 2 ? 7 : 0)
        digits[line].x.append("\((x + Self.cell / 2).shortText)")
        digits[line].text += "\(number)"
      }
    }
    let weekdays = stride(from: 0, to: 7, by: 2).map { row -> Markup in
      "<text x=\"0\" y=\"\(Self.top + Double(row) * Self.pitch + 11)\">\(LocalTime.weekdays[(firstWeekday + row) % 7])</text>"
    }
    let cells = Mark.all.compactMap { mark -> Markup? in
      paths[mark].map { "<path class=\"\(mark.name)\" d=\"\(Markup(stringLiteral: $0))\"/>" }
    }
    let numbers = digits.indices.filter { !digits[$0].x.isEmpty }.map { line -> Markup in
      let (places, name) = (digits[line].x.joined(separator: " "), line < 7 ? "d" : "d e")
      let y = Self.top + Double(line % 7) * Self.pitch + 11
      return "<text class=\"\(name)\" x=\"\(places)\" y=\"\(y)\">\(digits[line].text)</text>"
    }
    var now: Markup?
    if isPresent, half.contains(last) {
      let (x, y) = (Double(column(last, from: half.lowerBound)), Double(row(last)))
      now =
        "<rect class=\"now\" x=\"\(Self.left + x * Self.pitch)\" y=\"\(Self.top + y * Self.pitch)\" width=\"14.8\" height=\"14.8\" rx=\"3\"/>"
    }
    let width = Self.left + Double(columns) * Self.pitch
    return """
      <svg viewBox="0 0 \(width) \(Self.top + 7 * Self.pitch)" role="img" aria-label="\(label)">\(weekdays)\(months)\(cells)\
      \(numbers)\(now)</svg>
      """
  }
}

/// Bar chart with labels below, optional values above, and marks for the previous period.
struct BarPicture {
  struct Bar {
    let name: String
    let value: Double
    /// Value to show above the bar, if any.
    var figure: String?
    var before: Double?
  }

  let bars: [Bar]
  let label: String
  /// Size in SVG units, which are pixels on a phone.
  var width = 360.0
  var height = 130.0
  /// Interval between visible labels, which is 1 if all labels are visible.
  var nameStep = 1

  var markup: Markup {
    let most = max(bars.map { max($0.value, $0.before ?? 0) }.max() ?? 0, 1e-9)
    let hasFigures = bars.contains { $0.figure != nil }
    let (top, bottom) = (hasFigures ? 16.0 : 2.0, height - 18)
    let pitch = width / Double(max(1, bars.count))
    let gap = min(6, pitch * 0.22)
    func y(_ value: Double) -> Double { bottom - (bottom - top) * value / most }
    let highest = bars.map(\.value).max() ?? 0
    let shapes = bars.enumerated().map { place, bar -> Markup in
      let x = Double(place) * pitch + gap / 2
      let height = bar.value > 0 ? max(2, bottom - y(bar.value)) : 0
      let strength: Markup = bar.value == highest && highest > 0 ? "b most" : "b"
      var shape: Markup =
        height > 0
        ? "<rect class=\"\(strength)\" x=\"\(x)\" y=\"\(bottom - height)\" width=\"\(pitch - gap)\" height=\"\(height)\" rx=\"2\"/>"
        : "<rect class=\"none\" x=\"\(x)\" y=\"\(bottom - 2)\" width=\"\(pitch - gap)\" height=\"2\"/>"
      if let before = bar.before {
        let line = y(before)
        shape += "<path class=\"mark\" d=\"M\(x - gap / 2) \(line)h\(pitch)\"/>"
      }
      if let figure = bar.figure, bar.value > 0 {
        let line = min(
          bottom - height, bar.before.map { abs(y($0) - (bottom - height)) < 12 ? y($0) : .infinity } ?? .infinity)
        shape += "<text class=\"f\" x=\"\(x + (pitch - gap) / 2)\" y=\"\(line - 4)\">\(figure)</text>"
      }
      if place % nameStep == 0 {
        shape += "<text class=\"n\" x=\"\(x + (pitch - gap) / 2)\" y=\"\(self.height - 4)\">\(bar.name)</text>"
      }
      return shape
    }
    return
      "<svg class=\"plot\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" aria-label=\"\(label)\"><path class=\"axis\" d=\"M0 \(bottom)h\(width)\"/>\(shapes)</svg>"
  }
}

struct WeekPicture {
  let grid: WeekGrid
  let local: LocalTime
  let label: String

  var markup: Markup {
    let most = Double(max(1, grid.counts.flatMap { $0 }.max() ?? 1))
    var paths = [String](repeating: "", count: 5)
    let order = (0..<7).map { ($0 + local.firstWeekday) % 7 }
    for (row, weekday) in order.enumerated() {
      for (hour, count) in grid.counts[weekday].enumerated() {
        let level = count == 0 ? 0 : Int((Double(count) / most * 4).rounded(.up))
        let cell: Markup = "M\(30 + Double(hour) * 13.7 + 1) \(Double(row) * 15 + 1)h10v11h-10z"
        paths[level] += cell.source
      }
    }
    let cells = paths.indices.filter { !paths[$0].isEmpty }.map { level -> Markup in
      "<path class=\"c l\(level)\" d=\"\(Markup(stringLiteral: paths[level]))\"/>"
    }
    let names = order.enumerated().map { row, weekday -> Markup in
      "<text x=\"0\" y=\"\(Double(row) * 15 + 10)\">\(LocalTime.weekdays[weekday])</text>"
    }
    let hours = stride(from: 0, to: 24, by: 6).map { hour -> Markup in
      "<text x=\"\(30 + Double(hour) * 13.7)\" y=\"120\">\(local.clock(hour: hour, minute: 0))</text>"
    }
    return
      "<svg class=\"plot heat\" viewBox=\"0 0 360 126\" role=\"img\" aria-label=\"\(label)\">\(names)\(cells)\(hours)</svg>"
  }
}

/// Horizontal bar with a mark for the previous period.
struct RowPicture {
  var parts: [(share: Double, kind: Markup)]
  var mark: Double?

  init(share: Double, mark: Double? = nil) {
    parts = [(share, "b most")]
    self.mark = mark
  }

  init(parts: [(share: Double, kind: Markup)]) { self.parts = parts }

  var markup: Markup {
    var x = 0.0
    let bars = parts.map { part -> Markup in
      let width = part.share > 0 ? max(1.5, 200 * part.share) : 0
      defer { x += width }
      return "<rect class=\"\(part.kind)\" x=\"\(x)\" y=\"2\" width=\"\(width)\" height=\"12\"/>"
    }
    let line: Markup? = mark.map { "<path class=\"mark\" d=\"M\(max(1, min(199, 200 * $0))) 0v16\"/>" }
    return
      "<svg class=\"lying\" viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"track\" y=\"2\" width=\"200\" height=\"12\"/>\(bars)\(line)</svg>"
  }
}

extension CivilDate {
  /// Months since year 0, for differences.
  fileprivate var monthNumber: Int { year * 12 + month }
}

extension Double {
  /// Text with at most one decimal.
  fileprivate var shortText: String {
    let text: Markup = "\(self)"
    return text.source
  }
}
