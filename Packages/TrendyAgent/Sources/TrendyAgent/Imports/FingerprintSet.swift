import TrendyModels
import TrendyPersistence

/// Set of 64-bit hashes of identifiers: about twelve bytes for each, where a set of their texts takes a hundred.
///
/// Two of a million identifiers have one hash in one of 36 million sets.
struct FingerprintSet: Sendable {
  /// A hash where its lowest bits say, or in the next slot that is free; 0 where there is none. A power of two.
  private var slots: [UInt64] = []
  private(set) var count = 0

  /// - Returns: whether it was not there.
  @discardableResult
  mutating func insert(_ hash: UInt64) -> Bool {
    let hash = max(hash, 1)
    if count * 4 >= slots.count * 3 { grow() }
    let slot = slot(of: hash)
    guard slots[slot] == 0 else { return false }
    slots[slot] = hash
    count += 1
    return true
  }

  func contains(_ hash: UInt64) -> Bool { count > 0 && slots[slot(of: max(hash, 1))] != 0 }

  /// Where it is, or belongs.
  private func slot(of hash: UInt64) -> Int {
    let mask = slots.count - 1
    return slots.withUnsafeBufferPointer { slots in
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0, slots[slot] != hash { slot = (slot + 1) & mask }
      return slot
    }
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: max(old.count * 2, 64))
    for hash in old where hash != 0 { slots[slot(of: hash)] = hash }
  }
}

extension CompactIdentifier {
  /// Of an identifier that is a hash itself, its bits.
  var fingerprint: UInt64 {
    if let (high, low) = bits { return high << 2 ^ low }
    var text = text
    return text.withUTF8 { Checksum.xxh64(UnsafeRawBufferPointer($0)) }
  }
}
