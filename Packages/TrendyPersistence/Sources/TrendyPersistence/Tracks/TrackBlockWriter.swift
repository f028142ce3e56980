import TrendyProtocols

/// The sort value of the row is the time of the first reading.
struct TrackBlockRow {
  private let record: TrackRow

  init(_ record: TrackRow) { self.record = record }

  var start: Int64 { record.sort }
  var key: RowKey { record.key }

  func entries() throws(StorageError) -> [TrackEntry] {
    do throws(TrackBlock.Malformed) {
      return try record.withPayload { bytes throws(TrackBlock.Malformed) in
        try TrackBlock.decode(bytes, start: record.sort)
      }
    } catch {
      throw .unreadableRow(kind: record.kind, key: record.key)
    }
  }

  func extent() throws(StorageError) -> (count: Int, end: Int64) {
    do throws(TrackBlock.Malformed) {
      return try record.withPayload { bytes throws(TrackBlock.Malformed) in
        try TrackBlock.extent(bytes, start: record.sort)
      }
    } catch {
      throw .unreadableRow(kind: record.kind, key: record.key)
    }
  }
}

/// Adds readings to a device's blocks, which never overlap.
struct TrackBlockWriter {
  let transaction: any TrackRowWriting
  let device: UInt64
  /// Number of new readings. Readings that replaced another with the same time and slot are not counted.
  private(set) var added = 0
  private(set) var earliestChange: Int64?
  private(set) var latestChange: Int64?

  init(transaction: any TrackRowWriting, device: UInt64) {
    self.transaction = transaction
    self.device = device
  }

  /// The readings must be in ascending order, with at most one per time and slot.
  mutating func add(_ entries: [TrackEntry]) throws {
    var rest = entries[...]
    while let first = rest.first {
      let target = try block(beginningBy: first.time)
      let next = try block(beginningAfter: first.time)
      let run = rest.prefix { next == nil || $0.time < next?.start ?? .max }
      rest = rest.dropFirst(run.count)
      try add(run, target: target, next: next)
    }
  }

  private mutating func add(_ run: ArraySlice<TrackEntry>, target: TrackBlockRow?, next: TrackBlockRow?) throws {
    var after = run
    if let target {
      let end = try target.extent().end
      after = run.drop { $0.time <= end }
      let inside = run.prefix(run.count - after.count)
      if !inside.isEmpty { try merge(inside, into: target) }
    }
    guard !after.isEmpty else { return }
    added += after.count
    note(change: after[after.startIndex].time)
    note(change: after[after.endIndex - 1].time)
    if let next {
      try fill(after, before: next)
    } else {
      try extend(after)
    }
  }

  private mutating func merge(_ inside: ArraySlice<TrackEntry>, into block: TrackBlockRow) throws {
    let held = try block.entries()
    var merged: [TrackEntry] = []
    merged.reserveCapacity(held.count + inside.count)
    var left = held[...]
    var right = inside
    var hasChanged = false
    while let mine = left.first ?? right.first, let other = right.first ?? left.first {
      if right.isEmpty || !left.isEmpty && mine < other {
        merged.append(mine)
        left.removeFirst()
      } else if left.isEmpty || other < mine {
        merged.append(other)
        right.removeFirst()
        added += 1
        hasChanged = true
        note(change: other.time)
      } else {
        if other.isBetter(than: mine) {
          hasChanged = true
          note(change: other.time)
        }
        merged.append(other.isBetter(than: mine) ? other : mine)
        left.removeFirst()
        right.removeFirst()
      }
    }
    guard hasChanged else { return }
    // The first reading is unchanged, so the row keeps its key.
    try put(merged)
  }

  /// Adds readings between two blocks, to one of the blocks if it has space. Late readings thus do not create many
  /// small blocks.
  private func fill(_ entries: ArraySlice<TrackEntry>, before next: TrackBlockRow) throws {
    if let previous = try block(beginningBy: entries[entries.startIndex].time) {
      let held = try previous.entries()
      if held.count + entries.count <= TrackBlock.limit { return try put(held + entries) }
    }
    let held = try next.entries()
    guard held.count + entries.count <= TrackBlock.limit else { return try put(Array(entries)) }
    try transaction.delete(kind: TrackRowKind.block, key: next.key)
    try put(entries + held)
  }

  /// Adds readings at the end. Joins preceding blocks while each is at most as large as the readings after it, so a
  /// reading is rewritten only when its block doubles.
  private func extend(_ entries: ArraySlice<TrackEntry>) throws {
    var joined = Array(entries)
    while joined.count < TrackBlock.limit, let previous = try block(beginningBy: joined[0].time) {
      let count = try previous.extent().count
      guard count <= joined.count, count + joined.count <= TrackBlock.limit else { break }
      joined = try previous.entries() + joined
      try transaction.delete(kind: TrackRowKind.block, key: previous.key)
    }
    try put(joined)
  }

  /// Writes readings in blocks of limited length, keeping readings with the same time together.
  private func put(_ entries: [TrackEntry]) throws {
    // Halve readings that slightly exceed the limit, so that both blocks have space for late readings.
    let size = entries.count <= TrackBlock.limit * 2 ? (entries.count + 1) / 2 : TrackBlock.limit
    var rest = entries[...]
    while !rest.isEmpty {
      var cut = rest.count <= TrackBlock.limit ? rest.endIndex : rest.startIndex + size
      while cut < rest.endIndex, rest[cut].time == rest[cut - 1].time { cut += 1 }
      let part = Array(rest[..<cut])
      rest = rest[cut...]
      try transaction.put(
        TrackRow(
          kind: TrackRowKind.block, key: RowKey(high: device, low: UInt64(bitPattern: part[0].time)),
          sort: part[0].time,
          group: device, payload: TrackBlock.encode(part)))
    }
  }

  private mutating func note(change time: Int64) {
    earliestChange = min(earliestChange ?? time, time)
    latestChange = max(latestChange ?? time, time)
  }

  private func block(beginningBy time: Int64) throws -> TrackBlockRow? {
    try transaction.rows(kind: TrackRowKind.block, group: device, to: time + 1, descending: true, limit: 1).first
      .map(TrackBlockRow.init)
  }

  private func block(beginningAfter time: Int64) throws -> TrackBlockRow? {
    try transaction.rows(kind: TrackRowKind.block, group: device, from: time + 1, limit: 1).first.map(
      TrackBlockRow.init)
  }
}
