#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Writes the fields of a row, each behind its number, so that a later version can add some and an earlier one can keep
/// what it does not know (docs/format.md, "Row").
struct RowWriter {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(256) }

  mutating func reset() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Fields; what is nil, empty or the usual value is left out by the caller

  mutating func integer(_ field: Int, _ value: UInt64) {
    header(field, .integer)
    number(value)
  }

  mutating func signed(_ field: Int, _ value: Int64) {
    integer(field, UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func flag(_ field: Int, _ value: Bool) {
    if value { integer(field, 1) }
  }

  mutating func double(_ field: Int, _ value: Double) {
    header(field, .eight)
    word(value.bitPattern)
  }

  mutating func double(_ field: Int, _ value: Double?) {
    if let value { double(field, value) }
  }

  /// Every bit of it is kept: seconds since 2001-01-01T00:00:00Z.
  mutating func date(_ field: Int, _ value: Date) { double(field, value.timeIntervalSinceReferenceDate) }

  mutating func date(_ field: Int, _ value: Date?) {
    if let value { date(field, value) }
  }

  mutating func text(_ field: Int, _ value: String) {
    header(field, .bytes)
    text(value)
  }

  mutating func text(_ field: Int, _ value: String?) {
    if let value { text(field, value) }
  }

  /// Sixteen bytes if it is a canonical UUID, else text.
  mutating func identifier(_ field: Int, _ value: String) {
    if let key = RecordKey(canonicalUUID: value) {
      header(field, .sixteen)
      word(key.high)
      word(key.low)
    } else {
      text(field, value)
    }
  }

  mutating func identifier(_ field: Int, _ value: String?) {
    if let value { identifier(field, value) }
  }

  mutating func data(_ field: Int, _ value: Data) {
    header(field, .bytes)
    number(UInt64(value.count))
    value.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  mutating func json(_ field: Int, _ value: JSONValue) {
    nested(field) { $0.value(value) }
  }

  /// One field for each member, sorted, so that equal rows are equal bytes.
  mutating func members(_ field: Int, _ values: [String: JSONValue]) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      nested(field) { writer in
        writer.text(name)
        writer.value(value)
      }
    }
  }

  /// Names and values apart, so that rows of the same names can be seen to have them.
  mutating func properties(_ field: Int, _ properties: PackedProperties) {
    properties.withBytes { shape, values in
      nested(field) { writer in
        writer.number(UInt64(shape.bytes.count))
        writer.bytes.append(contentsOf: shape.bytes)
        writer.bytes.append(contentsOf: values)
      }
    }
  }

  /// The fields of an earlier row that this version does not know, as they were.
  mutating func unknownFields(of payload: UnsafeRawBufferPointer, above lastKnown: Int) {
    var reader = RowReader(payload)
    while let field = reader.next() {
      if field.number > lastKnown { bytes.append(contentsOf: payload[field.start..<reader.position]) }
    }
  }
}

extension RowWriter {
  private mutating func header(_ field: Int, _ wire: RowWire) { number(UInt64(field) << 2 | UInt64(wire.rawValue)) }

  private mutating func number(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  private mutating func word(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { text in
      number(UInt64(text.count))
      bytes.append(contentsOf: text)
    }
  }

  /// A field whose length is only known when it is written.
  private mutating func nested(_ field: Int, _ body: (inout RowWriter) -> Void) {
    header(field, .bytes)
    // Most are shorter than what one byte of length can say.
    let place = bytes.count
    bytes.append(0)
    body(&self)
    let count = bytes.count - place - 1
    if count < 0x80 {
      bytes[place] = UInt8(count)
    } else {
      var length = RowWriter()
      length.number(UInt64(count))
      bytes.replaceSubrange(place...place, with: length.bytes)
    }
  }

  private mutating func value(_ value: JSONValue) { PackedJSON.append(value, to: &bytes) }
}

/// How the content of a field lies behind its number.
enum RowWire: UInt8 {
  /// Seven bits a byte, the lowest first.
  case integer
  case eight
  case sixteen
  /// A length, then as many bytes.
  case bytes
}
