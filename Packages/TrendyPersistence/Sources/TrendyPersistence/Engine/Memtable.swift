/// Which records there are: by name in an open-addressing table, by order in lists. It holds no record itself, only
/// where each lies.
final class Memtable {
  private struct GroupName: Hashable {
    var kind: UInt8
    var group: UInt64
  }

  /// Whether a deletion is kept, to hide a record of the same name in a table beneath.
  private let keepsDeletions: Bool
  private var records: UnsafeMutablePointer<UnsafeRawPointer>
  private var recordCapacity = 64
  private var recordCount = 0
  private var freeRows: [UInt32] = []
  /// 0 is empty; else 32 bits of hash above, the row plus one below.
  private var slots: UnsafeMutablePointer<UInt64>
  private var slotCount = 128
  private var usedSlots = 0
  private var kinds: [OrderedRows?] = Array(repeating: nil, count: 256)
  private var groups: [GroupName: OrderedRows] = [:]

  init(keepsDeletions: Bool = false) {
    self.keepsDeletions = keepsDeletions
    records = .allocate(capacity: recordCapacity)
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
  }

  deinit {
    records.deallocate()
    slots.deallocate()
  }

  /// Names known, deletions included.
  var count: Int { usedSlots }

  /// The record, or the deletion, of this name.
  func find(kind: UInt8, key: RecordKey) -> UnsafeRawPointer? {
    guard usedSlots > 0 else { return nil }
    let slot = self.slot(kind: kind, key: key, hash: Self.hash(kind, key))
    let content = slots[slot]
    return content == 0 ? nil : records[Self.row(content)]
  }

  /// Takes in a record or a deletion, in place of what had its name.
  func apply(_ record: UnsafeRawPointer) {
    let kind = RecordLayout.kind(record)
    let key = RecordLayout.key(record)
    let isDeletion = RecordLayout.isDeletion(record)
    let hash = Self.hash(kind, key)
    let slot = self.slot(kind: kind, key: key, hash: hash)
    let content = slots[slot]
    if content != 0 {
      replace(row: Self.row(content), with: record, slot: slot)
      return
    }
    if isDeletion && !keepsDeletions { return }
    let row = newRow(record)
    slots[slot] = UInt64(hash) << 32 | UInt64(row + 1)
    usedSlots += 1
    if !isDeletion { list(row) }
    if usedSlots * 2 > slotCount { growSlots() }
  }

  /// What a scan finds here, over what lies beneath.
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    unless isHidden: (UnsafeRawPointer) -> Bool = { _ in false }
  ) -> [UnsafeRawPointer] {
    var result: [UnsafeRawPointer] = []
    rows(kind: kind, group: group)?.collect(
      from: lower, to: upper, descending: descending, limit: limit, records: records, into: &result, unless: isHidden)
    return result
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: [Int64], to counts: inout [Int]) {
    rows(kind: kind, group: group)?.addCounts(boundaries: boundaries, to: &counts)
  }

  func count(kind: UInt8, group: UInt64?) -> Int { rows(kind: kind, group: group)?.count ?? 0 }

  /// Every name known, deletions included, in no order.
  func forEach(_ body: (UnsafeRawPointer) -> Void) {
    for slot in 0..<slotCount where slots[slot] != 0 { body(records[Self.row(slots[slot])]) }
  }
}

extension Memtable {
  private func rows(kind: UInt8, group: UInt64?) -> OrderedRows? {
    guard let group else { return kinds[Int(kind)] }
    return groups[GroupName(kind: kind, group: group)]
  }

  private func newRow(_ record: UnsafeRawPointer) -> Int {
    if let row = freeRows.popLast() {
      records[Int(row)] = record
      return Int(row)
    }
    if recordCount == recordCapacity {
      let larger = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: recordCapacity * 2)
      larger.moveInitialize(from: records, count: recordCount)
      records.deallocate()
      records = larger
      recordCapacity *= 2
    }
    (records + recordCount).initialize(to: record)
    recordCount += 1
    return recordCount - 1
  }

  private func replace(row: Int, with record: UnsafeRawPointer, slot: Int) {
    let old = records[row]
    let isDeletion = RecordLayout.isDeletion(record)
    let wasDeletion = RecordLayout.isDeletion(old)
    let staysInPlace =
      !isDeletion && !wasDeletion && RecordLayout.sort(old) == RecordLayout.sort(record)
      && RecordLayout.group(old) == RecordLayout.group(record)
    if staysInPlace {
      records[row] = record
      return
    }
    if !wasDeletion { unlist(row) }
    if isDeletion && !keepsDeletions {
      freeRows.append(UInt32(row))
      clear(slot)
      return
    }
    records[row] = record
    if !isDeletion { list(row) }
  }

  private func list(_ row: Int) {
    let record = records[row]
    let kind = RecordLayout.kind(record)
    let sort = RecordLayout.sort(record)
    let all = kinds[Int(kind)] ?? OrderedRows()
    if all.count == 0 { kinds[Int(kind)] = all }
    all.insert(UInt32(row), sort: sort, records: records)
    let group = RecordLayout.group(record)
    guard group != 0 else { return }
    let name = GroupName(kind: kind, group: group)
    let some = groups[name] ?? OrderedRows()
    if some.count == 0 { groups[name] = some }
    some.insert(UInt32(row), sort: sort, records: records)
  }

  private func unlist(_ row: Int) {
    let record = records[row]
    let kind = RecordLayout.kind(record)
    let sort = RecordLayout.sort(record)
    kinds[Int(kind)]?.remove(UInt32(row), sort: sort, records: records)
    let group = RecordLayout.group(record)
    guard group != 0 else { return }
    let name = GroupName(kind: kind, group: group)
    guard let some = groups[name] else { return }
    some.remove(UInt32(row), sort: sort, records: records)
    if some.count == 0 { groups[name] = nil }
  }

  @inline(__always) private static func row(_ content: UInt64) -> Int { Int(content & 0xFFFF_FFFF) - 1 }

  @inline(__always) static func hash(_ kind: UInt8, _ key: RecordKey) -> UInt32 {
    var mixed = (key.high ^ UInt64(kind) &* 0x9E37_79B1_85EB_CA87) &* 0xC2B2_AE3D_27D4_EB4F
    mixed = (mixed ^ mixed &>> 32 ^ key.low) &* 0x9E37_79B1_85EB_CA87
    return UInt32(truncatingIfNeeded: mixed ^ mixed &>> 32)
  }

  /// The slot of this name, or the empty one where it belongs.
  private func slot(kind: UInt8, key: RecordKey, hash: UInt32) -> Int {
    let mask = slotCount - 1
    var slot = Int(hash) & mask
    while true {
      let content = slots[slot]
      if content == 0 { return slot }
      if UInt32(truncatingIfNeeded: content >> 32) == hash {
        let record = records[Self.row(content)]
        if RecordLayout.kind(record) == kind && RecordLayout.key(record) == key { return slot }
      }
      slot = (slot + 1) & mask
    }
  }

  /// Empties a slot and moves up what went past it, so that every name is still found from its own place on.
  private func clear(_ slot: Int) {
    let mask = slotCount - 1
    var hole = slot
    var next = (slot + 1) & mask
    while slots[next] != 0 {
      let home = Int(slots[next] >> 32) & mask
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
    usedSlots -= 1
  }

  private func growSlots() {
    let old = slots
    let oldCount = slotCount
    slotCount *= 2
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    let mask = slotCount - 1
    for index in 0..<oldCount where old[index] != 0 {
      var slot = Int(old[index] >> 32) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = old[index]
    }
    old.deallocate()
  }
}
