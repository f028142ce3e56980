import TrendyModels

/// Cache of identifier strings. Rows with the same identifier share one string.
final class SharedIdentifiers {
  private struct Known {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var text = ""
  }

  private static let count = 128
  private let known: UnsafeMutablePointer<Known>

  init() {
    known = .allocate(capacity: Self.count)
    known.initialize(repeating: Known(), count: Self.count)
  }

  deinit {
    known.deinitialize(count: Self.count)
    known.deallocate()
  }

  /// Returns the string for a UUID. `low` must have variant `10`.
  @inline(__always) func text(high: UInt64, low: UInt64) -> String {
    let mixed = (high ^ low) &* 0x9E37_79B1_85EB_CA87
    let entry = known + Int(truncatingIfNeeded: mixed &>> 57)
    if entry.pointee.low != low || entry.pointee.high != high {
      entry.pointee = Known(high: high, low: low, text: CompactIdentifier.text(high: high, low: low))
    }
    return entry.pointee.text
  }
}

/// Cache of the group keys for identifiers. Most rows belong to few types.
final class SharedGroups {
  private static let count = 128
  /// Key and group in each slot. A slot is unused if the lower half of its key is 0.
  private let known: UnsafeMutablePointer<(key: RowKey, group: UInt64)>

  init() {
    known = .allocate(capacity: Self.count)
    known.initialize(repeating: (RowKey(high: 0, low: 0), 0), count: Self.count)
  }

  deinit { known.deallocate() }

  @inline(__always) func group(_ identifier: String, _ key: RowKey) -> UInt64 {
    let mixed = (key.high ^ key.low) &* 0x9E37_79B1_85EB_CA87
    let entry = known + Int(truncatingIfNeeded: mixed &>> 57)
    if entry.pointee.key != key { entry.pointee = (key, RowOrder.group(identifier)) }
    return entry.pointee.group
  }
}

final class SharedTexts {
  private static let longest = 128
  private var known = [String](repeating: "", count: 128)

  func text(_ bytes: UnsafeRawBufferPointer) -> String {
    guard bytes.count > 15, bytes.count <= Self.longest else { return String(decoding: bytes, as: UTF8.self) }
    let slot = Int(truncatingIfNeeded: Checksum.xxh64(bytes) &>> 57)
    if known[slot].utf8.elementsEqual(bytes) { return known[slot] }
    let text = String(decoding: bytes, as: UTF8.self)
    known[slot] = text
    return text
  }
}

/// Cache of property shapes. Rows with the same property names and types share one shape.
final class SharedShapes {
  private static let count = 128
  private let known: UnsafeMutablePointer<PropertyShape?>

  init() {
    known = .allocate(capacity: Self.count)
    known.initialize(repeating: nil, count: Self.count)
  }

  deinit {
    known.deinitialize(count: Self.count)
    known.deallocate()
  }

  /// Splits an event's properties into their shape and the bytes of their values. Returns `nil` if they are malformed.
  @inline(__always) func split(_ field: UnsafeRawBufferPointer) -> (PropertyShape, UnsafeRawBufferPointer)? {
    guard let start = field.baseAddress else { return nil }
    var cursor = RowCursor(start, end: start + field.count)
    guard let bytes = cursor.bytes(), let shape = shape(bytes) else { return nil }
    return (shape, cursor.rest)
  }

  @inline(__always) private func shape(_ bytes: UnsafeRawBufferPointer) -> PropertyShape? {
    // Hash the length and the first and last bytes. Equality is checked below.
    var mixed = UInt64(truncatingIfNeeded: bytes.count)
    if let base = bytes.baseAddress, bytes.count >= 8 {
      mixed ^= base.loadUnaligned(as: UInt64.self) ^ (base + bytes.count - 8).loadUnaligned(as: UInt64.self) &* 31
    }
    let entry = known + Int(truncatingIfNeeded: (mixed &* 0x9E37_79B1_85EB_CA87) &>> 57)
    if let shape = entry.pointee, shape.isBytes(bytes) { return shape }
    return learn(bytes, at: entry)
  }

  @inline(never) private func learn(
    _ bytes: UnsafeRawBufferPointer, at entry: UnsafeMutablePointer<PropertyShape?>
  ) -> PropertyShape? {
    guard let shape = PropertyShape(bytes) else { return nil }
    entry.pointee = shape
    return shape
  }
}
