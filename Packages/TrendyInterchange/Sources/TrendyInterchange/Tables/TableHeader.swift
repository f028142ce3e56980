/// Header row of a table. The header may be absent, or preceded by title rows.
struct TableHeader {
  /// Names as in the file, or `column1`, `column2` and so on for a table without a header.
  let names: [String]
  /// Names for comparison: in lower case, with single spaces between words.
  let normalized: [String]
  /// Number of rows up to and including the header, or 0 if there is no header.
  let rowCount: Int
  /// Number of non-empty rows above the header.
  let titleCount: Int
  /// Whether one of the first rows contains a time with its UTC offset.
  let hasOffsets: Bool

  /// Number of rows that are searched for the header.
  static let searched = 30

  /// Finds the header in the first rows of a table. Requires ``searched`` rows, or all rows of a shorter table. Returns
  /// `nil` for a table without rows.
  init?(_ rows: [[String]], profiles: [TableProfile]) {
    let names = rows.prefix(Self.searched).map { $0.map(Self.normal) }
    let known = names.indices.first { index in
      names[index].count > 1 && !Self.isData(rows[index])
        && (profiles.contains { $0.matches(names[index]) } || TableProfile.any.namesTime(names[index]))
    }
    let widths = rows.prefix(Self.searched).map { Self.filled($0) }
    guard let width = widths.max() else { return nil }
    let index =
      known
      ?? rows.prefix(Self.searched).indices.prefix { index in
        widths[index] * 2 <= width || !Self.isData(rows[index])
      }.first { widths[$0] * 2 > width }
    titleCount = index ?? 0
    rowCount = index.map { $0 + 1 } ?? 0
    hasOffsets = rows.prefix(Self.searched).contains { $0.contains(where: CellText.hasOffset) }
    if let index {
      self.names = rows[index]
      normalized = names[index]
    } else {
      let count = rows.prefix(Self.searched).map(\.count).max() ?? 0
      self.names = (0..<count).map { "column\($0 + 1)" }
      normalized = self.names
    }
  }

  private static func filled(_ cells: [String]) -> Int { cells.count { !$0.isEmpty } }

  /// Whether a row contains values rather than names.
  private static func isData(_ cells: [String]) -> Bool {
    cells.contains { cell in
      guard let first = cell.unicodeScalars.first(where: { $0 != "-" && $0 != "+" }), ("0"..."9").contains(first) else {
        return false
      }
      return DecimalSign.point.number(cell) != nil || DecimalSign.comma.number(cell) != nil
        || DateStyle.allCases.contains { $0.read(cell) != nil } || DateStyle.clock(cell[...]) != nil
    }
  }

  /// Returns a name in its comparable form, which is the same for `Start_Time`, `startTime` and `Start  time`.
  static func normal(_ name: String) -> String {
    var text = ""
    var before: Character = " "
    // Samsung Health adds the name of the table, as in `com.samsung.health.weight.start_time`.
    let name = name.hasPrefix("com.samsung.") ? name.split(separator: ".").last.map(String.init) ?? name : name
    for character in name {
      if before.isLowercase, character.isUppercase { text.append(" ") }
      text.append(character == "_" || character == "\u{A0}" || character.isNewline ? " " : character)
      before = character
    }
    return text.lowercased().split(separator: " ").joined(separator: " ")
  }

  static func base(_ name: String) -> String {
    guard let open = name.firstIndex(where: { $0 == "(" || $0 == "[" }), open > name.startIndex else { return name }
    return FieldText.trim(name[..<open])
  }
}
