import TrendyFoundation
import TrendyModels

/// Writes the fields of a row (docs/format-rows.md, "Payload"). Each field has a number, so later versions can add
/// fields and earlier versions can preserve fields that they do not know.
///
/// The buffer is reused for all rows, and space is reserved once per field.
final class RowWriter {
  private var base: UnsafeMutableRawPointer
  private var capacity = 1024
  private var count = 0
  private let groups = SharedGroups()
  private(set) var typeGroup: UInt64 = 0

  init() { base = .allocate(byteCount: capacity, alignment: 8) }

  deinit { base.deallocate() }

  /// Bytes of the row, valid until the next write.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  func reset() { count = 0 }

  // MARK: Fields. The caller omits nil, empty and default values.

  @inline(__always) func integer(_ field: Int, _ value: UInt64) {
    header(field, .integer)
    number(value)
  }

  func signed(_ field: Int, _ value: Int64) {
    integer(field, UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  func flag(_ field: Int, _ value: Bool) {
    if value { integer(field, 1) }
  }

  @inline(__always) func double(_ field: Int, _ value: Double) {
    header(field, .eight)
    word(value.bitPattern)
  }

  @inline(__always) func double(_ field: Int, _ value: Double?) {
    if let value { double(field, value) }
  }

  /// Writes seconds since 2001-01-01T00:00:00Z without loss of precision.
  @inline(__always) func date(_ field: Int, _ value: Date) {
    double(field, value.timeIntervalSinceReferenceDate)
  }

  @inline(__always) func date(_ field: Int, _ value: Date?) {
    if let value { date(field, value) }
  }

  func text(_ field: Int, _ value: String) {
    value.withBytes { text in
      header(field, .bytes, before: text.count)
      piece(text)
    }
  }

  @inline(__always) func text(_ field: Int, _ value: String?) {
    if let value { text(field, value) }
  }

  /// Writes a canonical UUID as 16 bytes, any other identifier as text.
  func identifier(_ field: Int, _ value: String) {
    if let key = RowKey(canonicalUUID: value) { identifier(field, key) } else { text(field, value) }
  }

  @inline(__always) func identifier(_ field: Int, _ value: String?) {
    if let value { identifier(field, value) }
  }

  /// Writes the id of an event type and sets ``typeGroup``.
  func eventType(_ field: Int, _ value: String) {
    if let key = RowKey(canonicalUUID: value) {
      identifier(field, key)
      typeGroup = groups.group(value, key)
    } else {
      text(field, value)
      typeGroup = RowOrder.group(value)
    }
  }

  @inline(__always) private func identifier(_ field: Int, _ key: RowKey) {
    header(field, .sixteen)
    word(key.high)
    word(key.low)
  }

  func data(_ field: Int, _ value: Data) {
    value.withUnsafeBytes { content in
      header(field, .bytes, before: content.count)
      piece(content)
    }
  }

  func json(_ field: Int, _ value: JSONValue) {
    nested(field) { self.value(value) }
  }

  /// Writes one field per member, sorted by name, so that equal values have equal bytes.
  func members(_ field: Int, _ values: [String: JSONValue]) {
    if values.isEmpty { return }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      nested(field) {
        name.withBytes { text in
          reserve(text.count)
          piece(text)
        }
        self.value(value)
      }
    }
  }

  /// Writes the shape of the properties, then their values, so that readers can recognize equal shapes.
  func properties(_ field: Int, _ properties: borrowing PackedProperties) {
    guard let shape = properties.shape else { return }
    let names = shape.bytes.count
    let values = properties.byteCount
    let count = Self.length(of: UInt64(names)) + names + values
    header(field, .bytes, before: count)
    number(UInt64(count))
    shape.bytes.withUnsafeBytes { piece($0) }
    properties.copyBytes(to: base + self.count)
    self.count &+= values
  }

  /// Copies the fields of the replaced row that this version does not know.
  func unknownFields(of payload: UnsafeRawBufferPointer, above lastKnown: Int) {
    guard let start = payload.baseAddress else { return }
    var cursor = RowCursor(start, end: start + payload.count)
    while !cursor.isAtEnd {
      let rest = cursor.rest
      guard let header = cursor.number(), cursor.skip(header) else { return }
      guard header >> 2 > lastKnown else { continue }
      let unknown = UnsafeRawBufferPointer(rebasing: rest.dropLast(cursor.rest.count))
      reserve(unknown.count)
      copy(unknown)
    }
  }
}

// Only `reserve` and its callers ensure that there is enough space. The other functions rely on them.
extension RowWriter {
  /// Maximum length of a field without its content: the header, a length and another number, or two words.
  private static let maxNumbers = 40

  @inline(__always) private func reserve(_ more: Int) {
    if capacity - count < more + Self.maxNumbers { grow(more + Self.maxNumbers) }
  }

  @inline(never) private func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
  }

  @inline(__always) private func header(_ field: Int, _ wire: RowWire, before bytes: Int = 0) {
    reserve(bytes)
    number(UInt64(field) << 2 | UInt64(wire.rawValue))
  }

  @inline(__always) private func number(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      byte(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    byte(UInt8(truncatingIfNeeded: value))
  }

  @inline(__always) private func byte(_ value: UInt8) {
    base.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  @inline(__always) private func word(_ value: UInt64) {
    store(value, base, count)
    count &+= 8
  }

  @inline(__always) private func piece(_ source: UnsafeRawBufferPointer) {
    number(UInt64(source.count))
    copy(source)
  }

  @inline(__always) private func copy(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    (base + count).copyMemory(from: start, byteCount: source.count)
    count &+= source.count
  }

  private static func length(of number: UInt64) -> Int { max(70 - number.leadingZeroBitCount, 7) / 7 }

  /// Writes a field whose length is known only after its content has been written.
  private func nested(_ field: Int, _ body: () -> Void) {
    header(field, .bytes)
    // Most lengths fit into one byte.
    let place = count
    byte(0)
    body()
    let length = count - place - 1
    let more = Self.length(of: UInt64(length)) - 1
    if more > 0 {
      reserve(more)
      (base + place + 1 + more).copyMemory(from: base + place + 1, byteCount: length)
    }
    count = place
    number(UInt64(length))
    count = place + 1 + more + length
  }

  /// Writes a JSON value via a temporary array, because few rows contain such values.
  private func value(_ value: JSONValue) {
    var bytes: [UInt8] = []
    PackedJSON.append(value, to: &bytes)
    bytes.withUnsafeBytes { bytes in
      reserve(bytes.count)
      copy(bytes)
    }
  }
}

/// Encoding of a field's content.
enum RowWire: UInt8 {
  /// Seven bits per byte, lowest bits first.
  case integer
  case eight
  case sixteen
  /// A length, followed by that many bytes.
  case bytes
}

extension String {
  /// Calls `body` with the UTF-8 bytes, without copying them if they are contiguous.
  @inline(__always) func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
