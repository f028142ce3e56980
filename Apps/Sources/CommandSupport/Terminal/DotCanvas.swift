/// Canvas of dots, rendered as braille patterns with 2×4 dots per cell, or as asterisks.
public struct DotCanvas: Sendable {
  /// Number of dots across a cell.
  public static let dotsAcross = 2
  /// Number of dots down a cell.
  public static let dotsDown = 4

  /// Width of the canvas in cells.
  public let width: Int
  public let height: Int
  private var cells: [UInt8]
  private var letters: [Int: Character] = [:]

  /// Creates an empty canvas with the given size in cells.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: 0, count: width * height)
  }

  /// Bits of a braille pattern for each column and row (Unicode Standard, 21.1).
  private static let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

  /// Sets a dot at a position, with (0, 0) at the upper left. Dots outside the canvas are ignored.
  public mutating func dot(x: Int, y: Int) {
    guard x >= 0, y >= 0, x < width * Self.dotsAcross, y < height * Self.dotsDown else { return }
    cells[y / Self.dotsDown * width + x / Self.dotsAcross] |= Self.bits[x % Self.dotsAcross][y % Self.dotsDown]
  }

  /// Sets the dots on a straight line.
  public mutating func line(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
    let steps = max(1, Int(max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up)))
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      dot(
        x: Int((start.x + (end.x - start.x) * part).rounded()), y: Int((start.y + (end.y - start.y) * part).rounded()))
    }
  }

  /// Places a letter in the cell that contains a dot or, if another letter is already there, in a free cell next to it.
  public mutating func letter(_ letter: Character, x: Int, y: Int) {
    guard width > 0, height > 0 else { return }
    let row = min(max(y / Self.dotsDown, 0), height - 1)
    let column = min(max(x / Self.dotsAcross, 0), width - 1)
    let free = [column, column + 1, column - 1].first { 0..<width ~= $0 && letters[row * width + $0] == nil }
    if let free { letters[row * width + free] = letter }
  }

  /// Returns the lines of the canvas from top to bottom. `isUnicode` is whether the terminal can display braille
  /// patterns.
  public func lines(isUnicode: Bool) -> [String] {
    (0..<height).map { row in
      var line = ""
      for index in row * width..<(row + 1) * width {
        if let letter = letters[index] {
          line.append(letter)
        } else if cells[index] == 0 {
          line += " "
        } else {
          line += isUnicode ? String(UnicodeScalar(0x2800 + UInt32(cells[index])) ?? "*") : "*"
        }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
