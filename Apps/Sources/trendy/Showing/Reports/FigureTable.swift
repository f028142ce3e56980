import CommandSupport

/// Table with a name, aligned figures and a sparkline per row. On a narrow terminal, sparklines are omitted first.
struct FigureTable {
  struct Row {
    let name: String
    /// Event type colour as `#RRGGBB`, if any.
    let color: String?
    /// Formatted figures, which are never shortened. Every row has the same number of figures.
    let figures: [String]
    let picture: String

    init(_ name: String, color: String? = nil, figures: [String], picture: String = "") {
      self.name = name
      self.color = color
      self.figures = figures
      self.picture = picture
    }
  }

  private static let widestName = 24
  private static let narrowestName = 4
  private static let gap = 3

  let rows: [Row]

  func lines(_ terminal: Terminal) -> [StyledText] {
    let widths = (rows.first?.figures.indices ?? 0..<0).map { column in
      rows.map(\.figures[column].columns).max() ?? 0
    }
    let figuresWidth = widths.reduce(0) { $0 + $1 + Self.gap }
    let room = (terminal.width ?? 200) - 2 - figuresWidth
    let widest = min(Self.widestName, max(Self.narrowestName, room))
    let nameWidth = min(widest, rows.map(\.name.columns).max() ?? 0)
    return rows.map { row in
      // StyledText inserts two spaces between the name and the figures.
      let figures = zip(row.figures, widths).map { $0.rightAligned(to: $1) }.joined(
        separator: String(repeating: " ", count: Self.gap))
      return StyledText([
        StyledText.Part("  \(row.name.cut(to: nameWidth).padded(to: nameWidth))", .name(color: row.color)),
        StyledText.Part(figures),
        StyledText.Part(row.picture, rank: .id),
      ])
    }
  }
}
