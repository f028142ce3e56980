/// A QR code drawn for a terminal, dark on light whatever the terminal's own colours.
public struct QRPicture: Sendable {
  private let code: QRCode

  public init(_ code: QRCode) { self.code = code }

  /// Modules of light around the code, so that a reader finds its edges (ISO/IEC 18004:2015, 9.1).
  private static let quietZone = 4

  private var span: Range<Int> { -Self.quietZone..<code.size + Self.quietZone }

  /// Two rows of modules a line. None where the terminal cannot show it: too narrow, or without block characters.
  public func lines(for terminal: Terminal) -> [String] {
    guard let width = terminal.width, span.count <= width, terminal.showsUnicode else { return [] }
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
      let line = span.map { column in
        block(
          isUpperDark: code.isDark(row: row, column: column), isLowerDark: code.isDark(row: row + 1, column: column))
      }.joined()
      // Black on white, by their numbers among 256 colours: a terminal's palette may give others to the first sixteen.
      return terminal.showsStyles ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
    }
    .map { terminal.showsStyles ? $0 : Self.inverted($0) }
  }

  private func block(isUpperDark: Bool, isLowerDark: Bool) -> String {
    isUpperDark ? (isLowerDark ? "█" : "▀") : isLowerDark ? "▄" : " "
  }

  /// Without colours, light is what is drawn: on a dark terminal, that is right.
  private static func inverted(_ line: String) -> String {
    String(line.map { ["█": " ", " ": "█", "▀": "▄", "▄": "▀"][$0] ?? $0 })
  }
}
