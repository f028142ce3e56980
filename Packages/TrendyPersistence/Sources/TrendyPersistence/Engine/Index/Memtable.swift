/// In-memory index of rows by their addresses: a hash table by key, and ordered lists by kind and group.
///
/// Lists are updated when they are read, because most reads look up a key and many saves happen between two scans.
final class Memtable {
  /// Row addresses, roughly in insertion order, indexed by row number. Once a row is in a list, its number is reused
  /// only for a row with the same sort value and group.
  private var rows: UnsafeMutablePointer<UnsafeRawPointer>
  private var recordCapacity = 128
  private var recordCount = 0
  /// Open-addressing hash table with buckets of one cache line (64 bytes), so a lookup usually costs one memory access.
  ///
  /// A bucket begins with one tag byte for each of its seven slots: 0 if the slot is empty, otherwise bits of the hash.
  /// The slots follow, each with a 32-bit hash in the upper half and a row number in the lower half. All seven tags are
  /// compared at once.
  private var table = Memtable.emptyTable(64 * Memtable.bucketBytes)
  private static let bucketBytes = 64
  private static let slotsInBucket = 7
  private var usedSlots = 0
  /// Bit set of the kinds of all rows ever added.
  private var kindsSeen: SIMD4<UInt64> = .zero
  private var kinds: [OrderedRows?] = []
  /// Number of the first row that is not in the kind lists yet.
  private var kindsListed = 0
  private var groupNumbers: GroupNumbers?
  /// Group lists, indexed by group number minus one.
  private var groups: [GroupList] = []
  /// Number of the first row that is not in the group lists yet.
  private var groupsListed = 0

  /// Rows of one group. In some kinds most groups have a single row, so allocating a list for each would dominate the
  /// cost.
  private enum GroupList {
    case none
    case row(UInt32)
    case list(OrderedRows)
  }

  init() { rows = .allocate(capacity: recordCapacity) }

  deinit { rows.deallocate() }

  /// Number of keys, including deleted keys.
  var count: Int { usedSlots }

  func find(kind: UInt8, key: RowKey) -> UnsafeRawPointer? {
    guard usedSlots > 0 else { return nil }
    let slot = self.slot(kind: kind, key: key, hash: Self.hash(kind, key))
    return isEmpty(slot) ? nil : rows[row(slot)]
  }

  /// Adds a row or a deletion, replacing any earlier row with the same key.
  /// - Returns: its row number, an index into ``records``. Valid until a row with the same key is applied.
  @discardableResult func apply(_ record: UnsafeRawPointer) -> Int {
    let kind = RowLayout.kind(record)
    let key = RowLayout.key(record)
    let hash = Self.hash(kind, key)
    let slot = self.slot(kind: kind, key: key, hash: hash)
    guard isEmpty(slot) else {
      return replace(row: row(slot), with: record, slot: slot)
    }
    let row = newRow(record)
    fill(slot, with: UInt64(hash) << 32 | UInt64(row))
    usedSlots += 1
    kindsSeen[Int(kind >> 6)] |= 1 << UInt64(kind & 63)
    // Small tables grow fourfold, because each growth rehashes every key.
    if Self.isCrowded(usedSlots, table.count) { grow(to: table.count * (table.count < 64 << 10 ? 4 : 2)) }
    return row
  }

  /// Whether a row of the kind has ever been added, even if it was deleted later. Takes constant time.
  func mayHold(kind: UInt8) -> Bool { kindsSeen[Int(kind >> 6)] >> UInt64(kind & 63) & 1 != 0 }

  func mayHold(kind: UInt8, group: UInt64) -> Bool {
    guard mayHold(kind: kind) else { return false }
    listGroups()
    if case .none = groupList(kind, group) { return false }
    return true
  }

  func reserve(_ more: Int) {
    var bytes = table.count
    while Self.isCrowded(usedSlots + more, bytes) { bytes *= 2 }
    if bytes > table.count { grow(to: bytes) }
  }

  func apply(group: GroupHeader, at base: UnsafeRawPointer) {
    for record in GroupRows(header: group, base: base) { apply(record) }
  }

  /// Returns up to `limit` rows from a kind or group with sort values in `lower..<upper`.
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

  /// Rows and deletions for all keys, roughly in insertion order. Unused row numbers contain ``nobody``. Valid until
  /// the next change.
  var records: UnsafeBufferPointer<UnsafeRawPointer> { UnsafeBufferPointer(start: rows, count: recordCount) }

  var living: [UnsafeRawPointer] { records.filter { !RowLayout.isDeletion($0) } }
}

extension Memtable {
  /// Placeholder for unused row numbers. It is a deletion, so it is in no list. Never modified or freed.
  nonisolated(unsafe) static let nobody: UnsafeRawPointer = {
    let record = UnsafeMutableRawPointer.allocate(byteCount: RowLayout.headerBytes, alignment: 8)
    RowLayout.write(
      to: record, kind: 0, key: RowKey(high: 0, low: 0), sort: 0, group: 0, isDeletion: true,
      payload: UnsafeRawBufferPointer(start: nil, count: 0))
    return UnsafeRawPointer(record)
  }()

  private func list(kind: UInt8, group: UInt64?) -> OrderedRows? {
    guard let group else {
      listKinds()
      return kinds.isEmpty ? nil : kinds[Int(kind)]
    }
    listGroups()
    switch groupList(kind, group) {
    case .list(let list): return list
    case .row(let row): return list(ofRow: row)
    case .none: return nil
    }
  }

  /// Requires a preceding call to ``listGroups()``.
  private func groupList(_ kind: UInt8, _ group: UInt64) -> GroupList {
    guard let number = groupNumbers?.find(GroupName(kind: kind, group: group)) else { return .none }
    return groups[Int(number) - 1]
  }

  private func list(ofRow row: UInt32) -> OrderedRows {
    let list = OrderedRows()
    list.insert(row, sort: RowLayout.sort(rows[Int(row)]), records: rows)
    return list
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

  private func replace(row: Int, with record: UnsafeRawPointer, slot: Int) -> Int {
    let old = rows[row]
    let isDeletion = RowLayout.isDeletion(record)
    let isListed = row < max(kindsListed, groupsListed) && !RowLayout.isDeletion(old)
    let staysInPlace =
      !isDeletion && RowLayout.sort(old) == RowLayout.sort(record)
      && RowLayout.group(old) == RowLayout.group(record)
    if isListed && !staysInPlace { unlist(row) }
    if row >= max(kindsListed, groupsListed) || (isListed && staysInPlace) {
      rows[row] = record
      return row
    }
    rows[row] = Self.nobody
    let new = newRow(record)
    fill(slot, with: content(slot) & ~0xFFFF_FFFF | UInt64(new))
    return new
  }

  private func listKinds() {
    if kindsListed < recordCount, kinds.isEmpty { kinds = Array(repeating: nil, count: 256) }
    while kindsListed < recordCount {
      let record = rows[kindsListed]
      if !RowLayout.isDeletion(record) {
        let kind = Int(RowLayout.kind(record))
        let list = kinds[kind] ?? OrderedRows()
        if list.count == 0 { kinds[kind] = list }
        list.insert(UInt32(kindsListed), sort: RowLayout.sort(record), records: rows)
      }
      kindsListed += 1
    }
  }

  private func listGroups() {
    guard groupsListed < recordCount else { return }
    let numbers = groupNumbers ?? GroupNumbers()
    groupNumbers = numbers
    while groupsListed < recordCount {
      let record = rows[groupsListed]
      let group = RowLayout.group(record)
      if group != 0, !RowLayout.isDeletion(record) {
        let place = Int(numbers.number(of: GroupName(kind: RowLayout.kind(record), group: group))) - 1
        if place == groups.count { groups.append(.none) }
        let row = UInt32(groupsListed)
        switch groups[place] {
        case .none: groups[place] = .row(row)
        case .row(let first):
          let list = list(ofRow: first)
          list.insert(row, sort: RowLayout.sort(record), records: rows)
          groups[place] = .list(list)
        case .list(let list): list.insert(row, sort: RowLayout.sort(record), records: rows)
        }
      }
      groupsListed += 1
    }
  }

  private func unlist(_ row: Int) {
    let record = rows[row]
    let kind = RowLayout.kind(record)
    let sort = RowLayout.sort(record)
    if row < kindsListed { kinds[Int(kind)]?.remove(UInt32(row), sort: sort, records: rows) }
    let group = RowLayout.group(record)
    guard row < groupsListed, group != 0, let number = groupNumbers?.find(GroupName(kind: kind, group: group))
    else { return }
    let place = Int(number) - 1
    switch groups[place] {
    case .none: return
    case .row: groups[place] = .none
    case .list(let list):
      list.remove(UInt32(row), sort: sort, records: rows)
      if list.count == 0 { groups[place] = .none }
    }
  }

  @inline(__always) static func hash(_ kind: UInt8, _ key: RowKey) -> UInt32 {
    var mixed = (key.high ^ UInt64(kind) &* 0x9E37_79B1_85EB_CA87) &* 0xC2B2_AE3D_27D4_EB4F
    mixed = (mixed ^ mixed &>> 32 ^ key.low) &* 0x9E37_79B1_85EB_CA87
    return UInt32(truncatingIfNeeded: mixed ^ mixed &>> 32)
  }

  // MARK: Slots, identified by the offset of their byte in the table

  /// Tag byte for a hash. Never 0, because 0 marks an empty slot.
  @inline(__always) private static func tag(_ hash: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 25) | 0x80 }

  /// Whether the table has more than five keys per bucket on average.
  @inline(__always) private static func isCrowded(_ names: Int, _ bytes: Int) -> Bool {
    names * bucketBytes > bytes * 5
  }

  @inline(__always) private func isEmpty(_ slot: Int) -> Bool {
    table.base.load(fromByteOffset: slot, as: UInt8.self) == 0
  }

  @inline(__always) private static func contentOffset(_ slot: Int) -> Int {
    (slot & -bucketBytes) + 8 + (slot & (bucketBytes - 1)) * 8
  }

  @inline(__always) private func content(_ slot: Int) -> UInt64 {
    table.base.load(fromByteOffset: Self.contentOffset(slot), as: UInt64.self)
  }

  @inline(__always) private func row(_ slot: Int) -> Int { Int(content(slot) & 0xFFFF_FFFF) }

  @inline(__always) private func fill(_ slot: Int, with content: UInt64) {
    table.base.storeBytes(of: content, toByteOffset: Self.contentOffset(slot), as: UInt64.self)
    table.base.storeBytes(of: Self.tag(UInt32(content >> 32)), toByteOffset: slot, as: UInt8.self)
  }

  /// Returns a mask with the high bit set in each tag byte whose slot is empty.
  @inline(__always) private static func empty(_ tags: UInt64) -> UInt64 { ~tags & 0x0080_8080_8080_8080 }

  private func slot(kind: UInt8, key: RowKey, hash: UInt32) -> Int {
    let mask = table.count - Self.bucketBytes
    var bucket = Int(hash) &* Self.bucketBytes & mask
    let wanted = UInt64(Self.tag(hash)) &* 0x0101_0101_0101_0101
    while true {
      let tags = word(table.base, bucket)
      var same = zeroBytes(tags ^ wanted)
      while same != 0 {
        let slot = bucket + same.trailingZeroBitCount >> 3
        same &= same &- 1
        let content = content(slot)
        if UInt32(truncatingIfNeeded: content >> 32) == hash {
          let record = rows[Int(content & 0xFFFF_FFFF)]
          if RowLayout.kind(record) == kind && RowLayout.key(record) == key { return slot }
        }
      }
      let empty = Self.empty(tags)
      if empty != 0 { return bucket + empty.trailingZeroBitCount >> 3 }
      bucket = (bucket + Self.bucketBytes) & mask
    }
  }

  private static func emptyTable(_ bytes: Int) -> RowMemory {
    // The system provides large allocations zeroed. In small allocations, only the tags need to be cleared.
    guard bytes <= 64 << 10 else { return RowMemory(zeroed: bytes) }
    let table = RowMemory(bytes)
    for bucket in stride(from: 0, to: bytes, by: bucketBytes) {
      table.base.storeBytes(of: 0, toByteOffset: bucket, as: UInt64.self)
    }
    return table
  }

  private func grow(to bytes: Int) {
    let old = table
    table = Self.emptyTable(bytes)
    let mask = bytes - Self.bucketBytes
    for oldBucket in stride(from: 0, to: old.count, by: Self.bucketBytes) {
      let full = Self.empty(word(old.base, oldBucket)).trailingZeroBitCount >> 3
      for index in 0..<min(full, Self.slotsInBucket) {
        let content = old.base.load(fromByteOffset: Self.contentOffset(oldBucket + index), as: UInt64.self)
        var bucket = Int(content >> 32) &* Self.bucketBytes & mask
        while Self.empty(word(table.base, bucket)) == 0 { bucket = (bucket + Self.bucketBytes) & mask }
        fill(bucket + Self.empty(word(table.base, bucket)).trailingZeroBitCount >> 3, with: content)
      }
    }
  }
}
