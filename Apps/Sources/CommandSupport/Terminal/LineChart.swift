/// Line chart that also shows values as dots, with axis labels on the left and names below.
public struct LineChart: Sendable {
  private static let rows = 12
  private static let narrowest = 24

  /// Values shown as dots, from left to right. Missing values are `nil`.
  private let dots: [Double?]
  private let line: [Double?]
  private let scale: ChartScale
  private let marks: [(value: Double, text: String)]
  /// Labels below the chart, each with the index of its value.
  private let names: [(place: Int, text: String)]

  /// Creates a chart. `line` has as many values as `dots`, and `label` formats an axis label.
  public init(
    dots: [Double?], line: [Double?], scale: ChartScale, names: [(place: Int, text: String)],
    label: (Double) -> String
  ) {
    self.dots = dots
    self.line = line
    self.scale = scale
    self.names = names
    marks = scale.marks.map { ($0, label($0)) }
  }

  /// Returns the lines of the chart from top to bottom, fitted to the terminal width.
  public func lines(for terminal: Terminal) -> [String] {
    let margin = marks.map(\.text.columns).max() ?? 0
    let room = (terminal.width ?? 80) - margin - 3
    let width = min(room, max(Self.narrowest, 2 * dots.count))
    var canvas = DotCanvas(width: width, height: Self.rows)
    let (right, bottom) = (width * DotCanvas.dotsAcross - 1, Self.rows * DotCanvas.dotsDown - 1)
    func x(_ place: Int) -> Double { dots.count < 2 ? 0 : Double(place) / Double(dots.count - 1) * Double(right) }
    func y(_ value: Double) -> Double { (1 - scale.height(value)) * Double(bottom) }
    for (place, value) in dots.enumerated() {
      if let value { canvas.dot(x: Int(x(place).rounded()), y: Int(y(value).rounded())) }
    }
    for (place, pair) in zip(line, line.dropFirst()).enumerated() {
      guard let value = pair.0, let next = pair.1 else { continue }
      canvas.line(from: (x(place), y(value)), to: (x(place + 1), y(next)))
    }
    let texts = Dictionary(
      marks.map { (Int(y($0.value).rounded()) / DotCanvas.dotsDown, $0.text) }, uniquingKeysWith: { $1 })
    let shown = canvas.lines(isUnicode: terminal.showsUnicode).enumerated().map { row, line in
      let text = (texts[row] ?? "").rightAligned(to: margin)
      return "  \(text)\(line.isEmpty ? "" : " \(line)")"
    }
    return shown + [String(repeating: " ", count: margin + 3) + namesLine(width) { Int(x($0)) / DotCanvas.dotsAcross }]
  }

  private func namesLine(_ width: Int, column: (Int) -> Int) -> String {
    var text = ""
    var used = 0
    for (index, (place, name)) in names.enumerated() {
      let start = column(place)
      guard start >= used, start + name.columns <= width else { continue }
      // The first label may belong to a month of which only the last few days are shown. Omit it if it leaves no space
      // for the next label.
      if index == 0, names.count > 1, start + name.columns >= column(names[1].place) { continue }
      text = text.padded(to: start) + name
      used = start + name.columns + 1
    }
    return text
  }
}
