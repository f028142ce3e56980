/// Collects the rows of each kind in key order while a segment is being written (docs/format.md, "Segment").
///
/// Version 7 UUIDs, which increase with their creation time, come first, followed by other UUIDs. Both groups are
/// sorted by the upper half of the key. Hashes follow in row order.
final class KeyOrder {
  /// Group key under which a segment stores the rows of a kind in key order.
  static let group = UInt64.max

  /// Row counts for one kind, by type of key.
  struct Counts: Hashable {
    var versionSeven = 0
    var otherUUIDs = 0
    var hashes = 0

    var all: Int { versionSeven + otherUUIDs + hashes }
  }

  /// Row numbers of all finished kinds.
  let rows: Column<UInt32>
  private(set) var counts: [Counts] = []
  private let sevens = KeyedRows()
  private let others = KeyedRows()
  private let hashes = Column<UInt32>()

  init(capacity: Int) { rows = Column(capacity: capacity) }

  @inline(__always) func append(_ key: RowKey, row: UInt32) {
    if key.isHash {
      hashes.append(row)
    } else if key.isVersionSeven {
      sevens.append(key.high, row)
    } else {
      others.append(key.high, row)
    }
  }

  func endKind() {
    counts.append(Counts(versionSeven: sevens.count, otherUUIDs: others.count, hashes: hashes.count))
    sevens.move(to: rows)
    others.move(to: rows)
    for row in hashes.elements { rows.append(row) }
    hashes.removeAll()
  }
}

/// Row numbers with the upper halves of their keys. Sorted on demand.
private final class KeyedRows {
  private let keys = Column<UInt64>()
  private let rows = Column<UInt32>()
  private var isSorted = true
  /// Bits that differ between keys.
  private var varying: UInt64 = 0

  var count: Int { keys.count }

  @inline(__always) func append(_ key: UInt64, _ row: UInt32) {
    if count > 0 {
      if key < keys[count - 1] { isSorted = false }
      varying |= key ^ keys[0]
    }
    keys.append(key)
    rows.append(row)
  }

  /// Appends the rows to `result` in key order and clears this list.
  func move(to result: Column<UInt32>) {
    if !isSorted { sort() }
    for row in rows.elements { result.append(row) }
    keys.removeAll()
    rows.removeAll()
    (isSorted, varying) = (true, 0)
  }

  /// Stable radix sort by key, starting with the lowest digit. Digits that are equal in all keys are skipped.
  private func sort() {
    let digitBits = 11
    let spare = (keys: Column<UInt64>(zeros: count), rows: Column<UInt32>(zeros: count))
    var (from, to) = ((keys: keys, rows: rows), spare)
    var shift = varying.trailingZeroBitCount
    while shift < 64, varying >> UInt64(shift) != 0 {
      let places = Column<Int>(zeros: 1 << digitBits)
      let mask = UInt64(1 << digitBits - 1)
      for index in 0..<count { places[Int(from.keys[index] >> UInt64(shift) & mask)] += 1 }
      var next = 0
      for digit in 0..<places.count { (places[digit], next) = (next, next + places[digit]) }
      for index in 0..<count {
        let digit = Int(from.keys[index] >> UInt64(shift) & mask)
        let place = places[digit]
        places[digit] = place + 1
        to.keys[place] = from.keys[index]
        to.rows[place] = from.rows[index]
      }
      swap(&from, &to)
      shift += digitBits
    }
    if from.rows !== rows {
      for index in 0..<count { (keys[index], rows[index]) = (from.keys[index], from.rows[index]) }
    }
  }
}

extension RowKey {
  @inline(__always) var isVersionSeven: Bool { !isHash && high >> 12 & 0xF == 7 }
}
