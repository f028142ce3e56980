/// Layout of a row in the log and in memory (docs/format.md, "Row"). All numbers are little-endian.
enum RowLayout {
  static let headerBytes = 40
  /// Maximum length of a payload in bytes.
  static let largestPayload = 1 << 30

  @inline(__always) static func size(payloadCount: Int) -> Int { (headerBytes + payloadCount + 7) & ~7 }
  @inline(__always) static func size(_ record: UnsafeRawPointer) -> Int { size(payloadCount: payloadCount(record)) }

  @inline(__always) static func payloadCount(_ record: UnsafeRawPointer) -> Int {
    Int(UInt32(littleEndian: record.load(as: UInt32.self)))
  }
  @inline(__always) static func kind(_ record: UnsafeRawPointer) -> UInt8 {
    record.load(fromByteOffset: 4, as: UInt8.self)
  }
  /// Whether the row marks its key as deleted. Such a row has no payload.
  @inline(__always) static func isDeletion(_ record: UnsafeRawPointer) -> Bool {
    record.load(fromByteOffset: 5, as: UInt8.self) & 1 != 0
  }
  @inline(__always) static func key(_ record: UnsafeRawPointer) -> RowKey {
    RowKey(
      high: UInt64(littleEndian: record.load(fromByteOffset: 8, as: UInt64.self)),
      low: UInt64(littleEndian: record.load(fromByteOffset: 16, as: UInt64.self)))
  }
  @inline(__always) static func sort(_ record: UnsafeRawPointer) -> Int64 {
    Int64(littleEndian: record.load(fromByteOffset: 24, as: Int64.self))
  }
  @inline(__always) static func group(_ record: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: record.load(fromByteOffset: 32, as: UInt64.self))
  }

  @inline(__always) static func payload(_ record: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: record + headerBytes, count: payloadCount(record))
  }

  /// Writes a row with zero padding, `size(payloadCount:)` bytes in total.
  static func write(
    to target: UnsafeMutableRawPointer, kind: UInt8, key: RowKey, sort: Int64, group: UInt64, isDeletion: Bool,
    payload: UnsafeRawBufferPointer
  ) {
    target.storeBytes(of: UInt32(payload.count).littleEndian, as: UInt32.self)
    target.storeBytes(of: kind, toByteOffset: 4, as: UInt8.self)
    target.storeBytes(of: isDeletion ? 1 : 0, toByteOffset: 5, as: UInt8.self)
    target.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
    target.storeBytes(of: key.high.littleEndian, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: key.low.littleEndian, toByteOffset: 16, as: UInt64.self)
    target.storeBytes(of: sort.littleEndian, toByteOffset: 24, as: Int64.self)
    target.storeBytes(of: group.littleEndian, toByteOffset: 32, as: UInt64.self)
    if let base = payload.baseAddress, payload.count > 0 {
      store(0, target, size(payloadCount: payload.count) - 8)
      (target + headerBytes).copyMemory(from: base, byteCount: payload.count)
    }
  }
}
