import TrendyModels

/// The texts of identifiers seen lately, so that rows with the same one share it.
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

  /// - Parameter low: of variant `10`.
  @inline(__always) func text(high: UInt64, low: UInt64) -> String {
    let mixed = (high ^ low) &* 0x9E37_79B1_85EB_CA87
    let entry = known + Int(truncatingIfNeeded: mixed &>> 57)
    if entry.pointee.low != low || entry.pointee.high != high {
      entry.pointee = Known(high: high, low: low, text: CompactIdentifier.text(high: high, low: low))
    }
    return entry.pointee.text
  }
}

/// Texts seen lately, so that rows with the same one share it.
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

/// The names and types of properties seen lately, so that rows with the same ones share them.
final class SharedShapes {
  private var known = [PropertyShape?](repeating: nil, count: 128)

  /// The shape of an event's properties and the bytes of their values.
  func split(_ field: UnsafeRawBufferPointer) -> (PropertyShape, UnsafeRawBufferPointer)? {
    var reader = RowReader(field)
    guard let bytes = reader.bytes(), let shape = shape(bytes) else { return nil }
    return (shape, UnsafeRawBufferPointer(rebasing: field[reader.position...]))
  }

  private func shape(_ bytes: UnsafeRawBufferPointer) -> PropertyShape? {
    // By its length, its first bytes and its last ones; that it is the same is seen below.
    var mixed = UInt64(bytes.count)
    if let base = bytes.baseAddress, bytes.count >= 8 {
      mixed ^= base.loadUnaligned(as: UInt64.self) ^ (base + bytes.count - 8).loadUnaligned(as: UInt64.self) &* 31
    }
    let slot = Int(truncatingIfNeeded: (mixed &* 0x9E37_79B1_85EB_CA87) &>> 57)
    if let shape = known[slot], shape.isBytes(bytes) { return shape }
    guard let shape = PropertyShape(bytes) else { return nil }
    known[slot] = shape
    return shape
  }
}
