import TrendyFoundation
import TrendyModels

/// Reads the fields of a row sequentially. On malformed bytes it stops within the payload and sets ``isBroken``.
struct RowReader {
  private let payload: UnsafeRawBufferPointer
  private(set) var position = 0
  private(set) var isBroken = false

  init(_ payload: UnsafeRawBufferPointer) { self.payload = payload }

  struct Field {
    var number: Int
    fileprivate var wire: RowWire
    fileprivate var word: UInt64 = 0
    fileprivate var second: UInt64 = 0
    fileprivate var content = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  mutating func next() -> Field? {
    guard position < payload.count, !isBroken else { return nil }
    guard let header = number() else { return broken() }
    return content(header: header)
  }

  mutating func content(header: UInt64) -> Field? {
    guard let wire = RowWire(rawValue: UInt8(header & 3)), let number = Int(exactly: header >> 2) else {
      return broken()
    }
    var field = Field(number: number, wire: wire)
    switch wire {
    case .integer:
      guard let value = self.number() else { return broken() }
      field.word = value
    case .eight:
      guard let value = word() else { return broken() }
      field.word = value
    case .sixteen:
      guard let high = word(), let low = word() else { return broken() }
      field.word = high
      field.second = low
    case .bytes:
      guard let content = bytes() else { return broken() }
      field.content = content
    }
    return field
  }

  private mutating func broken() -> Field? {
    isBroken = true
    return nil
  }

  private mutating func byte() -> UInt8? {
    guard position < payload.count else { return nil }
    defer { position += 1 }
    return payload[position]
  }

  @inline(__always) private mutating func number() -> UInt64? {
    guard position < payload.count else { return nil }
    let first = payload[position]
    if first < 0x80 {
      position &+= 1
      return UInt64(first)
    }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < payload.count, shift < 64 {
      let byte = payload[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  @inline(__always) private mutating func word() -> UInt64? {
    guard payload.count - position >= 8 else { return nil }
    defer { position &+= 8 }
    return UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  mutating func bytes() -> UnsafeRawBufferPointer? {
    guard let count = number(), count <= UInt64(payload.count - position) else { return nil }
    defer { position += Int(count) }
    return UnsafeRawBufferPointer(rebasing: payload[position..<position + Int(count)])
  }

  private mutating func text() -> String? {
    bytes().map { String(decoding: $0, as: UTF8.self) }
  }

  private mutating func value() -> JSONValue? { PackedJSON.read(payload, at: &position) }
}

extension RowReader.Field {
  var integer: UInt64 { word }
  var signed: Int64 { Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1) }
  /// Version, sequence number, count or stamp, clamped to ±(2^62 - 1) so that adding two of them cannot overflow.
  var bounded: Int64 { signed.bounded }
  var flag: Bool { word != 0 }
  var double: Double { Double(bitPattern: word) }
  var date: Date { Date(timeIntervalSinceReferenceDate: double) }
  var text: String { String(decoding: content, as: UTF8.self) }
  var data: Data { Data(content) }

  var identifier: String {
    wire == .sixteen ? RowKey(high: word, low: second).uuidText : text
  }

  /// Whether the field contains this identifier. Does not create a string.
  func isIdentifier(_ other: String, key: RowKey?) -> Bool {
    guard wire == .sixteen else {
      guard key == nil else { return false }
      var other = other
      return other.withUTF8 { $0.elementsEqual(content) }
    }
    return key == RowKey(high: word, low: second)
  }

  var json: JSONValue? {
    var reader = RowReader(content)
    return reader.value()
  }

  var member: (name: String, value: JSONValue)? {
    var reader = RowReader(content)
    guard let name = reader.text(), let value = reader.value() else { return nil }
    return (name, value)
  }
}

extension Int64 {
  /// The value, clamped to the range for versions, sequence numbers, counts and stamps.
  var bounded: Int64 { clamped(to: -SyncRange.counter.upperBound...SyncRange.counter.upperBound) }
}
