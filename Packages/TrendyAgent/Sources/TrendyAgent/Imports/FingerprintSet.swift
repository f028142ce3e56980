import TrendyModels
import TrendyPersistence

/// Set of 64-bit hashes of identifiers. Uses about 12 bytes per element, compared with about 100 for a set of strings.
///
/// The probability that any two of a million identifiers have the same hash is 1 in 36 million.
struct FingerprintSet: Sendable {
  /// Hash table with open addressing and linear probing. The size of the table is a power of two, and 0 marks a free
  /// slot.
  private var slots: [UInt64] = []
  private(set) var count = 0

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
  /// 64-bit hash of the identifier: computed from the bits of a UUID or hash, and from the text of any other id.
  var fingerprint: UInt64 {
    if let (high, low) = bits { return high << 2 ^ low }
    var text = text
    return text.withUTF8 { Checksum.xxh64(UnsafeRawBufferPointer($0)) }
  }
}
