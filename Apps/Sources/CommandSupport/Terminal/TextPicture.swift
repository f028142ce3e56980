/// Renderer for sparklines, bars and heat map cells, in block characters or ASCII.
public enum TextPicture: Sendable {
  private static let blocks = Array("▁▂▃▄▅▆▇█")
  private static let signs = Array(".:-=+*#@")

  /// Returns a sparkline of nonnegative values, such as `▁▂▅█`, scaled to the largest value. Uses ASCII unless
  /// `isUnicode`.
  public static func series(_ values: [Double], isUnicode: Bool) -> String {
    let signs = isUnicode ? blocks : signs
    let highest = values.max() ?? 0
    guard highest > 0 else { return String(repeating: signs[0], count: values.count) }
    return String(values.map { signs[min(signs.count - 1, Int(max(0, $0) / highest * Double(signs.count - 1) + 0.5))] })
  }

  /// Returns a horizontal bar that fills a share, 0 to 1, of the width, such as `███▌`. Its resolution is an eighth of
  /// a column, or a whole column in ASCII.
  public static func bar(_ share: Double, width: Int, isUnicode: Bool) -> String {
    let eighths = Int((min(max(share, 0), 1) * Double(width) * 8).rounded())
    guard isUnicode else { return String(repeating: "#", count: (eighths + 4) / 8) }
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// Returns a cell of a heat map for a level from 0 (none) to 4 (most): a shade or, unless `isUnicode`, a digit.
  public static func heat(_ level: Int, isUnicode: Bool) -> Character {
    let signs: [Character] = isUnicode ? ["·", "░", "▒", "▓", "█"] : ["0", "1", "2", "3", "4"]
    return signs[min(max(level, 0), 4)]
  }
}
