/// QR code (model 2) in byte mode at error correction level M (ISO/IEC 18004:2015).
public struct QRCode: Hashable, Sendable {
  /// QR code version, 1 to 10, which determines the size.
  public let version: Int
  /// Number of modules (dark or light squares) per side.
  public let size: Int
  private var modules: [Bool]
  /// Whether each module belongs to a finder, timing, alignment, format or version pattern, rather than to the data.
  private var isFixed: [Bool]

  /// Encodes text in the smallest version that can hold it. Returns `nil` if the text is longer than 213 bytes.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let layout = QRLayout.smallest(for: bytes.count) else { return nil }
    version = layout.version
    size = 17 + 4 * layout.version
    modules = Array(repeating: false, count: size * size)
    isFixed = modules
    drawPatterns(layout)
    draw(layout.codewords(of: bytes))
    // Of the eight masks, choose the one with the lowest penalty.
    let masked = (0..<8).map { mask -> QRCode in
      var code = self
      code.apply(mask: mask)
      code.drawFormat(mask: mask)
      return code
    }
    let best = masked.min { $0.penalty < $1.penalty } ?? masked[0]
    modules = best.modules
  }

  /// Returns whether a module is dark. Modules outside the code are light.
  public func isDark(row: Int, column: Int) -> Bool {
    guard 0..<size ~= row, 0..<size ~= column else { return false }
    return modules[row * size + column]
  }

  private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
    modules[row * size + column] = isDark
    isFixed[row * size + column] = true
  }
}

// MARK: Patterns

extension QRCode {
  private mutating func drawPatterns(_ layout: QRLayout) {
    for index in 0..<size {
      fix(6, index, index.isMultiple(of: 2))
      fix(index, 6, index.isMultiple(of: 2))
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
    let centres = layout.alignment
    for row in centres {
      // No alignment pattern overlaps a finder pattern.
      for column in centres
      where !(row < 9 && column < 9 || row < 9 && column > size - 10 || row > size - 10 && column < 9) {
        for (down, right) in Self.square(2) { fix(row + down, column + right, max(abs(down), abs(right)) != 1) }
      }
    }
    drawFormat(mask: 0)
    drawVersion()
  }

  /// Returns the module offsets in a square around a centre.
  private static func square(_ reach: Int) -> [(down: Int, right: Int)] {
    (-reach...reach).flatMap { down in (-reach...reach).map { (down, $0) } }
  }

  private mutating func drawFinder(_ row: Int, _ column: Int) {
    for (down, right) in Self.square(4) where 0..<size ~= row + down && 0..<size ~= column + right {
      let distance = max(abs(down), abs(right))
      fix(row + down, column + right, distance != 2 && distance != 4)
    }
  }

  /// Draws both copies of the format information, protected by a BCH(15,5) code (7.9).
  private mutating func drawFormat(mask: Int) {
    // The bits for error correction level M are 00.
    let bits = (mask << 10 | Self.remainder(mask << 10, generator: 0x537, degree: 10)) ^ 0x5412
    func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
    for place in 0...5 { fix(place, 8, bit(place)) }
    fix(7, 8, bit(6))
    fix(8, 8, bit(7))
    fix(8, 7, bit(8))
    for place in 9...14 { fix(8, 14 - place, bit(place)) }
    for place in 0...7 { fix(8, size - 1 - place, bit(place)) }
    for place in 8...14 { fix(size - 15 + place, 8, bit(place)) }
    fix(size - 8, 8, true)
  }

  /// Draws both copies of the version information, protected by a BCH(18,6) code (7.10).
  private mutating func drawVersion() {
    guard version >= 7 else { return }
    let bits = version << 12 | Self.remainder(version << 12, generator: 0x1F25, degree: 12)
    for place in 0..<18 {
      let (short, long) = (place / 3, size - 11 + place % 3)
      fix(short, long, bits >> place & 1 == 1)
      fix(long, short, bits >> place & 1 == 1)
    }
  }

  /// Returns the remainder of a polynomial division over GF(2).
  private static func remainder(_ dividend: Int, generator: Int, degree: Int) -> Int {
    var rest = dividend
    for place in stride(from: 20, through: degree, by: -1) where rest >> place & 1 == 1 {
      rest ^= generator << (place - degree)
    }
    return rest
  }
}

// MARK: Data and masks

extension QRCode {
  /// Draws the data modules (7.7.3).
  ///
  /// They fill columns of two modules from right to left, alternating upwards and downwards and skipping the vertical
  /// timing pattern.
  private mutating func draw(_ codewords: [UInt8]) {
    var place = 0
    for right in stride(from: size - 1, through: 1, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
      let isUpward = (right + 1) & 2 == 0
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * size + column] && place < codewords.count * 8 {
          modules[row * size + column] = codewords[place / 8] >> (7 - place % 8) & 1 == 1
          place += 1
        }
      }
    }
  }

  private mutating func apply(mask: Int) {
    for row in 0..<size {
      for column in 0..<size where !isFixed[row * size + column] && Self.flips(mask, row, column) {
        modules[row * size + column].toggle()
      }
    }
  }

  /// Whether a mask inverts the module in row `i` and column `j` (table 10).
  private static func flips(_ mask: Int, _ i: Int, _ j: Int) -> Bool {
    switch mask {
    case 0: (i + j) % 2 == 0
    case 1: i % 2 == 0
    case 2: j % 3 == 0
    case 3: (i + j) % 3 == 0
    case 4: (i / 2 + j / 3) % 2 == 0
    case 5: i * j % 2 + i * j % 3 == 0
    case 6: (i * j % 2 + i * j % 3) % 2 == 0
    default: ((i + j) % 2 + i * j % 3) % 2 == 0
    }
  }

  /// Penalty score of the mask, where a lower score is better (7.8.3).
  private var penalty: Int {
    let rows = (0..<size).map { row in (0..<size).map { modules[row * size + $0] } }
    let columns = (0..<size).map { column in (0..<size).map { modules[$0 * size + column] } }
    var blocks = 0
    for (upper, lower) in zip(rows, rows.dropFirst()) {
      for column in 0..<size - 1 {
        let colours: Set = [upper[column], upper[column + 1], lower[column], lower[column + 1]]
        blocks += colours.count == 1 ? 1 : 0
      }
    }
    let lines = (rows + columns).map { Self.penalty(ofLine: $0) }.reduce(0, +)
    let dark = modules.count { $0 }
    let imbalance = abs(dark * 20 - modules.count * 10) / modules.count
    return lines + 3 * blocks + 10 * imbalance
  }

  /// Returns the penalty of a row or column for runs of five or more equal modules and for patterns that look like a
  /// finder.
  private static func penalty(ofLine line: [Bool]) -> Int {
    var sum = 0
    var run = 0
    for (index, module) in line.enumerated() {
      run = index > 0 && line[index - 1] == module ? run + 1 : 1
      sum += run == 5 ? 3 : run > 5 ? 1 : 0
    }
    let finder = [true, false, true, true, true, false, true]
    let quiet = [false, false, false, false]
    let alike = [finder + quiet, quiet + finder]
    for start in 0...line.count - 11 where alike.contains(Array(line[start..<start + 11])) { sum += 40 }
    return sum
  }
}
