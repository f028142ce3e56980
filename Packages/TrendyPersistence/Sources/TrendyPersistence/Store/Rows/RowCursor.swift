/// Position in a row's payload. Never reads past the end of the payload.
struct RowCursor {
  private var position: UnsafeRawPointer
  private let end: UnsafeRawPointer

  @inline(__always) init(_ record: UnsafeRawPointer) {
    position = record + RowLayout.headerBytes
    end = position + RowLayout.payloadCount(record)
  }

  @inline(__always) init(_ position: UnsafeRawPointer, end: UnsafeRawPointer) {
    self.position = position
    self.end = end
  }

  @inline(__always) var isAtEnd: Bool { position == end }
  @inline(__always) var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: position, count: end - position) }
  /// Returns whether the content of the skipped field was complete.
  mutating func skip(_ header: UInt64) -> Bool {
    switch RowWire(rawValue: UInt8(header & 3)) {
    case .integer: number() != nil
    case .eight: word() != nil
    case .sixteen: word() != nil && word() != nil
    case .bytes: bytes() != nil
    case nil: false
    }
  }

  @inline(__always) mutating func number() -> UInt64? {
    guard position < end else { return nil }
    let first = position.load(as: UInt8.self)
    if first < 0x80 {
      position += 1
      return UInt64(first)
    }
    return longNumber()
  }

  private mutating func longNumber() -> UInt64? {
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

  @inline(__always) mutating func word() -> UInt64? {
    guard end - position >= 8 else { return nil }
    defer { position += 8 }
    return UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) mutating func bytes() -> UnsafeRawBufferPointer? {
    guard let count = number(), count <= UInt64(bitPattern: Int64(end - position)) else { return nil }
    let length = Int(truncatingIfNeeded: count)
    defer { position += length }
    return UnsafeRawBufferPointer(start: position, count: length)
  }
}
