/// Division of a QR code into codewords, for one version at error correction level M (ISO/IEC 18004:2015, table 9).
struct QRLayout {
  let version: Int
  /// Number of data and error correction codewords.
  private let total: Int
  private let blocks: Int
  /// Number of error correction codewords per block.
  private let checks: Int
  /// Rows and columns of alignment pattern centres (annex E).
  let alignment: [Int]

  private static let all = [
    QRLayout(version: 1, total: 26, blocks: 1, checks: 10, alignment: []),
    QRLayout(version: 2, total: 44, blocks: 1, checks: 16, alignment: [6, 18]),
    QRLayout(version: 3, total: 70, blocks: 1, checks: 26, alignment: [6, 22]),
    QRLayout(version: 4, total: 100, blocks: 2, checks: 18, alignment: [6, 26]),
    QRLayout(version: 5, total: 134, blocks: 2, checks: 24, alignment: [6, 30]),
    QRLayout(version: 6, total: 172, blocks: 4, checks: 16, alignment: [6, 34]),
    QRLayout(version: 7, total: 196, blocks: 4, checks: 18, alignment: [6, 22, 38]),
    QRLayout(version: 8, total: 242, blocks: 4, checks: 22, alignment: [6, 24, 42]),
    QRLayout(version: 9, total: 292, blocks: 5, checks: 22, alignment: [6, 26, 46]),
    QRLayout(version: 10, total: 346, blocks: 5, checks: 26, alignment: [6, 28, 50]),
  ]

  static func smallest(for bytes: Int) -> QRLayout? {
    all.first { 4 + $0.countBits + 8 * bytes <= 8 * $0.capacity }
  }

  private var capacity: Int { total - blocks * checks }

  /// Number of bits in the character count in byte mode.
  private var countBits: Int { version < 10 ? 8 : 16 }

  /// Returns the data and error correction codewords, interleaved by block.
  func codewords(of bytes: [UInt8]) -> [UInt8] {
    let data = dataCodewords(of: bytes)
    let (short, longer) = (capacity / blocks, capacity % blocks)
    var rest = data[...]
    let parts = (0..<blocks).map { block -> [UInt8] in
      let part = Array(rest.prefix(short + (block >= blocks - longer ? 1 : 0)))
      rest = rest.dropFirst(part.count)
      return part
    }
    let generator = ReedSolomon.generator(degree: checks)
    let checked = parts.map { ReedSolomon.remainder(of: $0, generator: generator) }
    return Self.interleaved(parts) + Self.interleaved(checked)
  }

  private static func interleaved(_ parts: [[UInt8]]) -> [UInt8] {
    var codewords: [UInt8] = []
    for place in 0..<(parts.map(\.count).max() ?? 0) {
      for part in parts where place < part.count { codewords.append(part[place]) }
    }
    return codewords
  }

  /// Returns the data codewords: mode indicator, character count, text, terminator and padding.
  private func dataCodewords(of bytes: [UInt8]) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for place in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, countBits)
    for byte in bytes { append(Int(byte), 8) }
    append(0, min(4, 8 * capacity - bits.count))
    while !bits.count.isMultiple(of: 8) { bits.append(false) }
    var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    for place in 0..<(capacity - codewords.count) { codewords.append(place.isMultiple(of: 2) ? 0xEC : 0x11) }
    return codewords
  }
}

/// Reed-Solomon code over GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, as used in QR codes.
enum ReedSolomon {
  static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt16 = 0
    for place in stride(from: 7, through: 0, by: -1) {
      product = product << 1 ^ (product >> 7 & 1) * 0x11D
      if right >> place & 1 == 1 { product ^= UInt16(left) }
    }
    return UInt8(product & 0xFF)
  }

  /// Returns the generator polynomial, the product of (x - 2^i) for i below the degree. Coefficients are in descending
  /// order of power and omit the leading 1.
  static func generator(degree: Int) -> [UInt8] {
    var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for place in 0..<degree {
        coefficients[place] = multiply(coefficients[place], root) ^ (place + 1 < degree ? coefficients[place + 1] : 0)
      }
      root = multiply(root, 2)
    }
    return coefficients
  }

  static func remainder(of data: [UInt8], generator: [UInt8]) -> [UInt8] {
    var rest = [UInt8](repeating: 0, count: generator.count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for place in rest.indices { rest[place] ^= multiply(generator[place], factor) }
    }
    return rest
  }
}
