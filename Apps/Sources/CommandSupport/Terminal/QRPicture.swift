/// QR code rendered in a terminal, dark on light even if the terminal has a dark background.
public struct QRPicture: Sendable {
  private let code: QRCode

  /// Creates a picture of a QR code.
  public init(_ code: QRCode) { self.code = code }

  /// Width of the quiet zone in modules (ISO/IEC 18004:2015, 9.1).
  private static let quietZone = 4

  private var span: Range<Int> { -Self.quietZone..<code.size + Self.quietZone }

  /// Returns the lines to print, each with two rows of modules, or no lines if the terminal is too narrow or lacks
  /// block characters.
  public func lines(for terminal: Terminal) -> [String] {
    guard let width = terminal.width, span.count <= width, terminal.showsUnicode else { return [] }
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
      let line = span.map { column in
        block(
          isUpperDark: code.isDark(row: row, column: column), isLowerDark: code.isDark(row: row + 1, column: column))
      }.joined()
      // Use fixed colours from the 256-colour palette, because users can redefine the first sixteen colours.
      return terminal.showsStyles ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
    }
    .map { terminal.showsStyles ? $0 : Self.inverted($0) }
  }

  private func block(isUpperDark: Bool, isLowerDark: Bool) -> String {
    isUpperDark ? (isLowerDark ? "█" : "▀") : isLowerDark ? "▄" : " "
  }

  /// Swaps dark and light for terminals without colours. The result is correct on a dark background.
  private static func inverted(_ line: String) -> String {
    String(line.map { ["█": " ", " ": "█", "▀": "▄", "▄": "▀"][$0] ?? $0 })
  }
}
