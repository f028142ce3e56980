/// Binary format of JSON values in files (`docs/format-rows.md`, "JSON value"), which preserves every bit of a value.
public enum PackedJSON: Sendable {
  private enum Kind {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let string: UInt8 = 5
    static let array: UInt8 = 6
    static let object: UInt8 = 7
    /// Tags of decimal numbers, which are stored as a whole number of tenths (8), hundredths (9) or thousandths (10).
    static let decimals: ClosedRange<UInt8> = 8...10
  }

  // MARK: Writing

  /// Appends the packed form of a value.
  public static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(Kind.null)
    case .bool(let value): bytes.append(value ? Kind.yes : Kind.no)
    case .int(let value):
      bytes.append(Kind.integer)
      append(signed: value, to: &bytes)
    case .double(let value): append(value, to: &bytes)
    case .string(let value):
      bytes.append(Kind.string)
      append(value, to: &bytes)
    case .array(let values):
      bytes.append(Kind.array)
      append(number: UInt64(values.count), to: &bytes)
      for value in values { append(value, to: &bytes) }
    case .object(let values):
      bytes.append(Kind.object)
      append(number: UInt64(values.count), to: &bytes)
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        append(name, to: &bytes)
        append(value, to: &bytes)
      }
    }
  }

  /// Appends a double. Measured values often have few decimal places: 85.7 is stored as 857 tenths.
  private static func append(_ value: Double, to bytes: inout [UInt8]) {
    var scale = 10.0
    for kind in Kind.decimals {
      let whole = (value * scale).rounded()
      // All steps are exact below 2^53 / 1000. Zero is excluded, because an integer has no negative zero.
      if abs(whole) >= 1, abs(whole) < 9e12, whole / scale == value {
        bytes.append(kind)
        return append(signed: Int64(whole), to: &bytes)
      }
      scale *= 10
    }
    bytes.append(Kind.double)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(signed value: Int64, to bytes: inout [UInt8]) {
    append(number: UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
  }

  /// Appends a variable-length integer of seven bits per byte, lowest bits first.
  static func append(number: UInt64, to bytes: inout [UInt8]) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: number))
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 {
      append(number: UInt64($0.count), to: &bytes)
      bytes.append(contentsOf: $0)
    }
  }

  // MARK: Reading

  /// Reads a packed value and advances `position` past it. Returns `nil` if the bytes are invalid.
  public static func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> JSONValue? {
    guard let base = bytes.baseAddress else { return nil }
    var reader = PackedReader(base + position, end: base + bytes.count)
    defer { position = reader.position - base }
    return reader.value()
  }
}

/// Packed value, read in place. The value points into the bytes that contain it and is valid only as long as those
/// bytes.
public enum PackedValue: BitwiseCopyable {
  case int(Int64)
  case double(Double)
  /// String in UTF-8.
  case string(UnsafeRawBufferPointer)
  /// Any other value, in packed form.
  case other(UnsafeRawBufferPointer)

  /// The value as JSON.
  public var json: JSONValue {
    switch self {
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .string(let text): return .string(String(decoding: text, as: UTF8.self))
    case .other(let bytes):
      var position = 0
      // Cannot fail: the value was validated when it was found.
      return PackedJSON.read(bytes, at: &position) ?? .null
    }
  }
}

@available(*, unavailable)
extension PackedValue: Sendable {}

/// Bounds-checked reader for the format of ``PackedJSON``.
@usableFromInline struct PackedReader {
  @usableFromInline var position: UnsafeRawPointer
  @usableFromInline let end: UnsafeRawPointer

  /// Maximum nesting depth. Deeper values are never written.
  @usableFromInline static let deepest = 1024

  @inlinable @inline(__always) init(_ position: UnsafeRawPointer, end: UnsafeRawPointer) {
    self.position = position
    self.end = end
  }

  @inlinable @inline(__always) var isAtEnd: Bool { position == end }

  @inlinable @inline(__always) mutating func byte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return position.load(as: UInt8.self)
  }

  @inlinable @inline(__always) mutating func number() -> UInt64? {
    guard position < end else { return nil }
    let first = UInt64(position.load(as: UInt8.self))
    if first < 0x80 {
      position += 1
      return first
    }
    let left = end - position
    if left >= 2 {
      let second = UInt64((position + 1).load(as: UInt8.self))
      if second < 0x80 {
        position += 2
        return first & 0x7F | second &<< 7
      }
      if left >= 3 {
        let third = UInt64((position + 2).load(as: UInt8.self))
        if third < 0x80 {
          position += 3
          return first & 0x7F | (second & 0x7F) &<< 7 | third &<< 14
        }
      }
    }
    return longNumber()
  }

  @usableFromInline @inline(never) mutating func longNumber() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 64 {
      let byte = position.load(as: UInt8.self)
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  @inlinable @inline(__always) mutating func piece(_ count: UInt64) -> UnsafeRawBufferPointer? {
    guard count <= UInt64(bitPattern: Int64(end - position)) else { return nil }
    let length = Int(truncatingIfNeeded: count)
    defer { position += length }
    return UnsafeRawBufferPointer(start: position, count: length)
  }

  @inline(__always) mutating func text() -> String? {
    guard let count = number(), let piece = piece(count) else { return nil }
    return String(decoding: piece, as: UTF8.self)
  }

  @inline(__always) mutating func value() -> JSONValue? {
    guard let kind = byte() else { return nil }
    switch kind {
    case 3:
      guard let number = number() else { return nil }
      return .int(Self.signed(number))
    case 5:
      guard let text = text() else { return nil }
      return .string(text)
    case 8:
      guard let number = number() else { return nil }
      return .double(Double(Self.signed(number)) / 10)
    default:
      position -= 1
      return anyValue(depth: Self.deepest)
    }
  }

  @inlinable @inline(__always) mutating func packedValue() -> PackedValue? {
    let start = position
    guard let kind = byte() else { return nil }
    switch kind {
    case 3:
      guard let number = number() else { return nil }
      return .int(Self.signed(number))
    case 4:
      guard let piece = piece(8) else { return nil }
      return .double(Double(bitPattern: UInt64(littleEndian: piece.loadUnaligned(as: UInt64.self))))
    case 5:
      guard let count = number(), let piece = piece(count) else { return nil }
      return .string(piece)
    case 8, 9, 10:
      guard let number = number() else { return nil }
      return .double(Double(Self.signed(number)) / (kind == 8 ? 10 : kind == 9 ? 100 : 1000))
    default:
      position = start
      guard anyValue(depth: Self.deepest) != nil else { return nil }
      return .other(UnsafeRawBufferPointer(start: start, count: position - start))
    }
  }

  @usableFromInline @inline(never) mutating func anyValue(depth: Int) -> JSONValue? {
    guard depth > 0, let kind = byte() else { return nil }
    switch kind {
    case 0: return .null
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return number().map { .int(Self.signed($0)) }
    case 4:
      guard let piece = piece(8) else { return nil }
      return .double(Double(bitPattern: UInt64(littleEndian: piece.loadUnaligned(as: UInt64.self))))
    case 5: return text().map { .string($0) }
    case 6: return array(depth: depth)
    case 7: return object(depth: depth)
    case 8: return number().map { .double(Double(Self.signed($0)) / 10) }
    case 9: return number().map { .double(Double(Self.signed($0)) / 100) }
    case 10: return number().map { .double(Double(Self.signed($0)) / 1000) }
    default: return nil
    }
  }

  /// Skips a value. Values of frequent kinds are not decoded.
  ///
  /// - Returns: `false` if there is no valid value.
  @inlinable @inline(__always) mutating func skipValue() -> Bool {
    guard let kind = byte() else { return false }
    switch kind {
    case 3, 8: return number() != nil
    case 5:
      guard let count = number() else { return false }
      return piece(count) != nil
    default:
      position -= 1
      return anyValue(depth: Self.deepest) != nil
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    guard let count = number(), count <= UInt64(end - position) else { return nil }
    var values: [JSONValue] = []
    for _ in 0..<count {
      guard let value = anyValue(depth: depth - 1) else { return nil }
      values.append(value)
    }
    return .array(values)
  }

  private mutating func object(depth: Int) -> JSONValue? {
    guard let count = number(), count <= UInt64(end - position) else { return nil }
    var values: [String: JSONValue] = [:]
    for _ in 0..<count {
      guard let name = text(), let value = anyValue(depth: depth - 1) else { return nil }
      values[name] = value
    }
    return .object(values)
  }

  @inlinable @inline(__always) static func signed(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}

@available(*, unavailable)
extension PackedReader: Sendable {}
