/// Which records there are: by name in an open-addressing table, by order in lists. It holds no record itself, only
/// where each lies.
///
/// Lists are brought up to date when they are asked for: many saves come between two reads, and most reads ask for a name.
final class Memtable {
  private struct GroupName: Hashable {
    var kind: UInt8
    var group: UInt64
  }

  /// By row, in the order in which they came. A row in a list is not given to another record but one that belongs in the
  /// same place.
  private var rows: UnsafeMutablePointer<UnsafeRawPointer>
  private var recordCapacity = 128
  private var recordCount = 0
  /// What a slot that is not empty has: 32 bits of hash above, the row below.
  private var slots: UnsafeMutablePointer<UInt64>
  /// A byte of each slot: 0 is empty, else of the hash. Most names that are looked for are new, and these stay in the
  /// processor's cache where the slots do not.
  ///
  /// Eight at a time are looked at: that a name is not among them, and that one of them is empty, is so nearly always that the
  /// processor goes on with what comes next before it has read them.
  private var tags: UnsafeMutablePointer<UInt8>
  private var slotCount = 512
  private var usedSlots = 0
  /// By kind; empty until one is listed.
  private var kinds: [OrderedRows?] = []
  /// Rows from here on are in no list of a kind.
  private var kindsListed = 0
  private var groups: [GroupName: OrderedRows] = [:]
  /// Rows from here on are in no list of a group.
  private var groupsListed = 0

  init() {
    rows = .allocate(capacity: recordCapacity)
    slots = .allocate(capacity: slotCount)
    tags = .allocate(capacity: slotCount)
    tags.initialize(repeating: 0, count: slotCount)
  }

  deinit {
    rows.deallocate()
    slots.deallocate()
    tags.deallocate()
  }

  /// Names known, deletions included.
  var count: Int { usedSlots }

  /// The record, or the deletion, of this name.
  func find(kind: UInt8, key: RecordKey) -> UnsafeRawPointer? {
    guard usedSlots > 0 else { return nil }
    let slot = self.slot(kind: kind, key: key, hash: Self.hash(kind, key))
    return tags[slot] == 0 ? nil : rows[Self.row(slots[slot])]
  }

  /// Takes in a record or a deletion, in place of what had its name.
  func apply(_ record: UnsafeRawPointer) {
    let kind = RecordLayout.kind(record)
    let key = RecordLayout.key(record)
    let hash = Self.hash(kind, key)
    let slot = self.slot(kind: kind, key: key, hash: hash)
    if tags[slot] != 0 {
      replace(row: Self.row(slots[slot]), with: record, slot: slot)
      return
    }
    slots[slot] = UInt64(hash) << 32 | UInt64(newRow(record))
    tags[slot] = Self.tag(hash)
    usedSlots += 1
    // In large steps while that is a few pages: each finds a place for every name anew.
    if usedSlots * 2 > slotCount { growSlots(to: slotCount * (slotCount < 1 << 14 ? 4 : 2)) }
  }

  /// Makes room for so many names more at once.
  func reserve(_ more: Int) {
    var count = slotCount
    while (usedSlots + more) * 2 > count { count *= 2 }
    if count > slotCount { growSlots(to: count) }
  }

  /// Takes in all records of a whole group.
  func apply(group: GroupHeader, at base: UnsafeRawPointer) {
    for record in GroupRecords(header: group, base: base) { apply(record) }
  }

  /// What a scan finds here, over what lies beneath.
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    unless isHidden: ((UnsafeRawPointer) -> Bool)? = nil
  ) -> [UnsafeRawPointer] {
    var result: [UnsafeRawPointer] = []
    list(kind: kind, group: group)?.collect(
      from: lower, to: upper, descending: descending, limit: limit, records: rows, into: &result, unless: isHidden)
    return result
  }

  func addCounts(kind: UInt8, group: UInt64?, boundaries: [Int64], to counts: inout [Int]) {
    list(kind: kind, group: group)?.addCounts(boundaries: boundaries, to: &counts)
  }

  func count(kind: UInt8, group: UInt64?) -> Int { list(kind: kind, group: group)?.count ?? 0 }

  /// The record or the deletion of every name known, about in the order in which they came; between them ``nobody``, where a
  /// row was given up. Valid until the next one is taken in.
  var records: UnsafeBufferPointer<UnsafeRawPointer> { UnsafeBufferPointer(start: rows, count: recordCount) }

  /// Every record that is not deleted, in no order.
  var living: [UnsafeRawPointer] { records.filter { !RecordLayout.isDeletion($0) } }
}

extension Memtable {
  /// In a row that was given up: a deletion, which no list takes in. Never written after it is made, nor freed.
  nonisolated(unsafe) static let nobody: UnsafeRawPointer = {
    let record = UnsafeMutableRawPointer.allocate(byteCount: RecordLayout.headerBytes, alignment: 8)
    RecordLayout.write(
      to: record, kind: 0, key: RecordKey(high: 0, low: 0), sort: 0, group: 0, isDeletion: true,
      payload: UnsafeRawBufferPointer(start: nil, count: 0))
    return UnsafeRawPointer(record)
  }()

  private func list(kind: UInt8, group: UInt64?) -> OrderedRows? {
    guard let group else {
      listKinds()
      return kinds.isEmpty ? nil : kinds[Int(kind)]
    }
    listGroups()
    return groups[GroupName(kind: kind, group: group)]
  }

  private func newRow(_ record: UnsafeRawPointer) -> Int {
    if recordCount == recordCapacity {
      let larger = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: recordCapacity * 2)
      larger.moveInitialize(from: rows, count: recordCount)
      rows.deallocate()
      rows = larger
      recordCapacity *= 2
    }
    (rows + recordCount).initialize(to: record)
    recordCount += 1
    return recordCount - 1
  }

  private func replace(row: Int, with record: UnsafeRawPointer, slot: Int) {
    let old = rows[row]
    let isDeletion = RecordLayout.isDeletion(record)
    let isListed = row < max(kindsListed, groupsListed) && !RecordLayout.isDeletion(old)
    let staysInPlace =
      !isDeletion && RecordLayout.sort(old) == RecordLayout.sort(record)
      && RecordLayout.group(old) == RecordLayout.group(record)
    if isListed && !staysInPlace { unlist(row) }
    if row >= max(kindsListed, groupsListed) || (isListed && staysInPlace) {
      rows[row] = record
    } else {
      rows[row] = Self.nobody
      slots[slot] = slots[slot] & ~0xFFFF_FFFF | UInt64(newRow(record))
    }
  }

  private func listKinds() {
    if kindsListed < recordCount, kinds.isEmpty { kinds = Array(repeating: nil, count: 256) }
    while kindsListed < recordCount {
      let record = rows[kindsListed]
      if !RecordLayout.isDeletion(record) {
        let kind = Int(RecordLayout.kind(record))
        let list = kinds[kind] ?? OrderedRows()
        if list.count == 0 { kinds[kind] = list }
        list.insert(UInt32(kindsListed), sort: RecordLayout.sort(record), records: rows)
      }
      kindsListed += 1
    }
  }

  private func listGroups() {
    while groupsListed < recordCount {
      let record = rows[groupsListed]
      let group = RecordLayout.group(record)
      if group != 0, !RecordLayout.isDeletion(record) {
        let name = GroupName(kind: RecordLayout.kind(record), group: group)
        let list = groups[name] ?? OrderedRows()
        if list.count == 0 { groups[name] = list }
        list.insert(UInt32(groupsListed), sort: RecordLayout.sort(record), records: rows)
      }
      groupsListed += 1
    }
  }

  private func unlist(_ row: Int) {
    let record = rows[row]
    let kind = RecordLayout.kind(record)
    let sort = RecordLayout.sort(record)
    if row < kindsListed { kinds[Int(kind)]?.remove(UInt32(row), sort: sort, records: rows) }
    let group = RecordLayout.group(record)
    guard row < groupsListed, group != 0 else { return }
    let name = GroupName(kind: kind, group: group)
    guard let list = groups[name] else { return }
    list.remove(UInt32(row), sort: sort, records: rows)
    if list.count == 0 { groups[name] = nil }
  }

  @inline(__always) private static func row(_ content: UInt64) -> Int { Int(content & 0xFFFF_FFFF) }

  @inline(__always) static func hash(_ kind: UInt8, _ key: RecordKey) -> UInt32 {
    var mixed = (key.high ^ UInt64(kind) &* 0x9E37_79B1_85EB_CA87) &* 0xC2B2_AE3D_27D4_EB4F
    mixed = (mixed ^ mixed &>> 32 ^ key.low) &* 0x9E37_79B1_85EB_CA87
    return UInt32(truncatingIfNeeded: mixed ^ mixed &>> 32)
  }

  /// Never 0.
  @inline(__always) private static func tag(_ hash: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 25) | 0x80 }

  /// The high bit of each tag that is 0.
  @inline(__always) private static func empty(_ tags: UInt64) -> UInt64 { ~tags & 0x8080_8080_8080_8080 }

  /// The slot of this name, or the empty one where it belongs.
  private func slot(kind: UInt8, key: RecordKey, hash: UInt32) -> Int {
    let mask = slotCount - 8
    var first = Int(hash) << 3 & mask
    let wanted = UInt64(Self.tag(hash)) &* 0x0101_0101_0101_0101
    while true {
      let eight = word(tags, first)
      var same = zeroBytes(eight ^ wanted)
      while same != 0 {
        let slot = first + same.trailingZeroBitCount >> 3
        same &= same &- 1
        let content = slots[slot]
        if UInt32(truncatingIfNeeded: content >> 32) == hash {
          let record = rows[Self.row(content)]
          if RecordLayout.kind(record) == kind && RecordLayout.key(record) == key { return slot }
        }
      }
      let empty = Self.empty(eight)
      if empty != 0 { return first + empty.trailingZeroBitCount >> 3 }
      first = (first + 8) & mask
    }
  }

  private func growSlots(to count: Int) {
    let (old, oldTags, oldCount) = (slots, tags, slotCount)
    slotCount = count
    slots = .allocate(capacity: slotCount)
    tags = .allocate(capacity: slotCount)
    tags.initialize(repeating: 0, count: slotCount)
    let mask = slotCount - 8
    for index in 0..<oldCount where oldTags[index] != 0 {
      var first = Int(old[index] >> 32) << 3 & mask
      while Self.empty(word(tags, first)) == 0 { first = (first + 8) & mask }
      let slot = first + Self.empty(word(tags, first)).trailingZeroBitCount >> 3
      slots[slot] = old[index]
      tags[slot] = oldTags[index]
    }
    old.deallocate()
    oldTags.deallocate()
  }
}
