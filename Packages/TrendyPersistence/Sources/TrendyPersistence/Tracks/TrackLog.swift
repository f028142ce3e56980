public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Store of location and motion readings, in a ``StorageEngine`` or a database. Blocks contain up to a few hundred
/// readings of about twelve bytes each.
///
/// When a call returns, its changes are durable. If the call is interrupted, its changes are applied entirely or not at
/// all. Any number of processes can add readings at the same time. Small blocks are joined as the log grows, so a
/// reading is rewritten a few times, but not by every call.
public final class TrackLog: TrackStore {
  private let rows: any TrackRows

  /// Creates a log that stores its rows in `rows`.
  public init(rows: any TrackRows) { self.rows = rows }

  /// Opens or creates the log in a directory.
  /// - Throws: ``StorageError``, for example ``StorageError/damaged(path:offset:)``.
  public convenience init(directory: URL) throws { self.init(rows: try TrackFolder(directory: directory)) }

  /// Opens or creates a log on any file system. `directory` must not end with a slash; `generator` provides the id for
  /// a new log.
  public convenience init(
    directory: String, fileSystem: any FileSystem, options: StorageEngine.Options = .init(),
    generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(StorageError) {
    self.init(
      rows: try TrackFolder(
        directory: directory, fileSystem: fileSystem, options: options, generator: generator))
  }

  /// Performs one step of maintenance if one is due; see ``StorageEngine/maintain(sealingAll:mergingFrom:)``.
  @discardableResult
  public func maintain(sealingAll sealsAll: Bool = false) throws -> Bool {
    try rows.maintain(sealingAll: sealsAll)
  }

  /// Replaces the content of a log with the content of another. Neither log may be used in the meantime, except for
  /// reading the source.
  /// - Returns: number of rows.
  /// - Throws: errors from either log. The target is then incomplete, and the copy must be repeated.
  @discardableResult
  public static func copy(from source: any TrackRows, to target: any TrackRows) throws -> Int {
    var count = 0
    for kind in TrackRowKind.all {
      let (new, old) = (try source.read { try $0.rows(kind: kind) }, try target.read { try $0.rows(kind: kind) })
      if new == old {
        count += new.count
        continue
      }
      // Delete and write in steps, so that no single save becomes too large.
      var surplus = old[...]
      while !surplus.isEmpty {
        try target.write { for row in surplus.prefix(Self.rowsAtOnce) { try $0.delete(kind: kind, key: row.key) } }
        surplus = surplus.dropFirst(Self.rowsAtOnce)
      }
      var rest = new[...]
      while !rest.isEmpty {
        try target.write { for row in rest.prefix(Self.rowsAtOnce) { try $0.put(row) } }
        rest = rest.dropFirst(Self.rowsAtOnce)
      }
      count += new.count
    }
    return count
  }

  /// Whether two logs have the same rows.
  public static func isEqual(_ left: any TrackRows, _ right: any TrackRows) throws -> Bool {
    try TrackRowKind.all.allSatisfy { kind in
      // Compare in key order, because the order of rows with equal times is undefined.
      func rows(_ log: any TrackRows) throws -> [TrackRow] {
        try log.read { try $0.rows(kind: kind) }
          .sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
      }
      return try rows(left) == rows(right)
    }
  }

  private static let rowsAtOnce = 256
}

// MARK: Readings

extension TrackLog {
  /// Adds readings from a device and marks them as unread. Readings that are already stored are only counted.
  /// - Throws: ``StorageError/invalidIdentifier(_:)`` if the device name is empty or longer than 128 bytes.
  public func append(_ readings: [TrackReading], device: String) throws -> TrackAppend {
    var result = TrackAppend()
    let all = readings.compactMap { TrackEntry($0) }
    result.invalid = readings.count - all.count
    var entries: [TrackEntry] = []
    for entry in all.sorted() {
      if let last = entries.last, last.isSameMoment(as: entry) {
        if entry.isBetter(than: last) { entries[entries.count - 1] = entry }
        result.known += 1
      } else {
        entries.append(entry)
      }
    }
    guard !entries.isEmpty else { return result }
    try checkIdentifier(device)
    return try rows.write { transaction in
      // The closure may run more than once, and each run must start from the original value.
      var result = result
      let number = try DeviceTable.number(of: device, in: transaction)
      var writer = TrackBlockWriter(transaction: transaction, device: number)
      try writer.add(entries)
      result.added += writer.added
      result.known += entries.count - writer.added
      if let since = writer.earliestChange {
        let before = try UnreadMark.read(device: number, in: transaction)
        let generation = (before?.generation ?? 0) &+ 1
        var mark = UnreadMark(since: since, through: writer.latestChange ?? since, generation: generation)
        if let before, before.isUnread {
          mark.since = min(since, before.since)
          mark.through = max(mark.through, before.through)
        }
        try mark.put(device: number, in: transaction)
      }
      return result
    }
  }

  /// Returns the devices with readings, sorted by name.
  public func devices() throws -> [TrackDevice] {
    try rows.read { reading in
      try reading.rows(kind: TrackRowKind.device).compactMap { row in
        let number = row.key.low
        guard let first = try reading.rows(kind: TrackRowKind.block, group: number, limit: 1).first,
          let last = try reading.rows(kind: TrackRowKind.block, group: number, descending: true, limit: 1).first
        else { return nil }
        return TrackDevice(
          name: String(decoding: row.payload, as: UTF8.self), firstTime: TrackEntry.date(first.sort),
          lastTime: TrackEntry.date(try TrackBlockRow(last).extent().end))
      }.sorted { $0.name < $1.name }
    }
  }

  /// Calls `body` with a device's readings in chronological order. The range excludes `after` and includes `through`.
  public func forEach(
    device: String, after: Date?, through: Date?, _ body: (TrackReading) throws -> Void
  ) throws {
    let lower = after.map { TrackEntry.milliseconds($0) ?? ($0 < .distantPast + 1 ? .min : .max - 2) }
    let upper = through.map { TrackEntry.milliseconds($0) ?? .max - 2 } ?? .max - 2
    let blocks = try rows.read { reading -> [TrackRow] in
      guard let number = try DeviceTable.number(of: device, in: reading) else { return [] }
      var first = Int64.min
      if let lower {
        // The block that contains the time starts at or before it.
        first =
          try reading.rows(kind: TrackRowKind.block, group: number, to: lower + 1, descending: true, limit: 1).first?
          .sort
          ?? lower
      }
      guard first <= upper else { return [] }
      return try reading.rows(kind: TrackRowKind.block, group: number, from: first, to: upper + 1)
    }
    for block in blocks {
      for entry in try TrackBlockRow(block).entries() where entry.time > lower ?? .min && entry.time <= upper {
        try body(entry.reading)
      }
    }
  }
}

// MARK: Notes

extension TrackLog {
  /// Runs `body` while no other call to this method is running on the log; see ``TrackRows/withReader(_:)``.
  public func withReader<Result>(_ body: () throws -> Result) throws -> Result { try rows.withReader(body) }

  /// Returns the time range of a device's unread readings, or `nil` if there are none.
  public func unread(device: String) throws -> TrackUnread? {
    try rows.read { reading in
      guard let number = try DeviceTable.number(of: device, in: reading),
        let mark = try UnreadMark.read(device: number, in: reading), mark.isUnread
      else { return nil }
      return TrackUnread(
        since: TrackEntry.date(mark.since), through: mark.through == .max ? nil : TrackEntry.date(mark.through),
        generation: mark.generation)
    }
  }

  public func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, through: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote] {
    let lower = after.map { (TrackEntry.milliseconds($0) ?? ($0 < .distantPast + 1 ? .min : .max - 2)) + 1 } ?? .min
    let upper = through.flatMap { TrackEntry.milliseconds($0) }.map { $0 + 1 } ?? .max
    return try rows.read { reading in
      guard let number = try DeviceTable.number(of: device, in: reading) else { return [] }
      return try reading.rows(
        kind: TrackRowKind.note(kind), group: number, from: lower, to: upper, descending: isDescending, limit: limit
      ).map { try Self.note($0, kind) }
    }
  }

  public func note(_ kind: TrackNote.Kind, id: String) throws -> (device: String, note: TrackNote)? {
    try rows.read { reading in
      guard let row = try reading.row(kind: TrackRowKind.note(kind), key: RowKey(hashing: id)) else { return nil }
      let note = try Self.note(row, kind)
      guard note.id == id, let device = try DeviceTable.name(of: row.group, in: reading) else { return nil }
      return (device, note)
    }
  }

  /// Writes a device's checkpoints and detected events, and updates the range of its unread readings, in one save.
  public func commit(_ changes: TrackChanges, device: String) throws {
    try checkIdentifier(device)
    for note in changes.put { try checkIdentifier(note.id) }
    try rows.write { transaction in
      let number = try DeviceTable.number(of: device, in: transaction)
      for (kind, ids) in [(TrackNote.Kind.checkpoint, changes.removedCheckpoints), (.finding, changes.removedFindings)]
      {
        for id in ids { try transaction.delete(kind: TrackRowKind.note(kind), key: RowKey(hashing: id)) }
      }
      for note in changes.put {
        var payload: [UInt8] = [UInt8(note.id.utf8.count)]
        payload += note.id.utf8
        payload += note.content
        try transaction.put(
          TrackRow(
            kind: TrackRowKind.note(note.kind), key: RowKey(hashing: note.id),
            sort: TrackEntry.milliseconds(note.time) ?? .max - 1, group: number, payload: payload))
      }
      let mark = try UnreadMark.read(device: number, in: transaction)
      if let since = changes.unreadSince.flatMap({ TrackEntry.milliseconds($0) }) {
        let earliest = mark?.isUnread == true ? min(since, mark?.since ?? since) : since
        try UnreadMark(since: earliest, through: .max, generation: (mark?.generation ?? 0) + 1).put(
          device: number, in: transaction)
      } else if let through = changes.readThrough, let mark, mark.isUnread, mark.generation == through {
        try UnreadMark(since: .max, through: .max, generation: mark.generation).put(device: number, in: transaction)
      }
    }
  }

  private static func note(_ record: TrackRow, _ kind: TrackNote.Kind) throws(StorageError) -> TrackNote {
    let payload = record.payload
    guard let length = payload.first.map({ Int($0) }), payload.count > length else {
      throw .unreadableRow(kind: record.kind, key: record.key)
    }
    return TrackNote(
      kind: kind, id: String(decoding: payload[1...length], as: UTF8.self), time: TrackEntry.date(record.sort),
      content: Array(payload[(length + 1)...]))
  }

  private func checkIdentifier(_ text: String) throws(StorageError) {
    guard (1...128).contains(text.utf8.count) else { throw .invalidIdentifier(text) }
  }
}

// MARK: Rows

/// Kinds of rows. The numbers are part of the file format.
enum TrackRowKind {
  static let device: UInt8 = 1
  static let block: UInt8 = 2
  static let unread: UInt8 = 3

  /// All kinds, in the order they are copied.
  static let all: [UInt8] = [device, block, unread, note(.checkpoint), note(.finding), TrackRow.refusedKind]

  static func note(_ kind: TrackNote.Kind) -> UInt8 {
    switch kind {
    case .checkpoint: 4
    case .finding: 5
    }
  }
}

/// Numbers devices from 1, so that no two devices share a group key.
private enum DeviceTable {
  static func number(of name: String, in reading: any TrackRowReading) throws -> UInt64? {
    try reading.rows(kind: TrackRowKind.device).first { $0.payload.elementsEqual(name.utf8) }?.key.low
  }

  static func name(of number: UInt64, in reading: any TrackRowReading) throws -> String? {
    try reading.row(kind: TrackRowKind.device, key: RowKey(high: 0, low: number)).map {
      String(decoding: $0.payload, as: UTF8.self)
    }
  }

  /// Assigns the next number to a new device.
  static func number(of name: String, in transaction: any TrackRowWriting) throws -> UInt64 {
    let known = try transaction.rows(kind: TrackRowKind.device)
    if let record = known.first(where: { $0.payload.elementsEqual(name.utf8) }) { return record.key.low }
    let last = known.last?.key.low ?? 0
    guard last < StoreFormat.largestNumber else {
      throw StorageError.unreadableRow(kind: TrackRowKind.device, key: RowKey(high: 0, low: last))
    }
    let number = last + 1
    try transaction.put(
      TrackRow(
        kind: TrackRowKind.device, key: RowKey(high: 0, low: number), sort: Int64(number), payload: Array(name.utf8))
    )
    return number
  }
}

/// Time range of a device's readings that detection has not processed yet.
private struct UnreadMark {
  /// Time of the earliest unread reading, or `.max` if there are none.
  var since: Int64
  /// Time of the latest unread reading, or `.max` if unknown.
  var through: Int64
  /// Counter that is incremented whenever readings become unread.
  let generation: UInt64

  var isUnread: Bool { since != .max }

  init(since: Int64, through: Int64, generation: UInt64) {
    self.since = since
    self.through = through
    self.generation = generation
  }

  static func read(device: UInt64, in reading: any TrackRowReading) throws -> UnreadMark? {
    let key = RowKey(high: 0, low: device)
    guard let record = try reading.row(kind: TrackRowKind.unread, key: key) else { return nil }
    return try record.withPayload { bytes throws(StorageError) in
      guard bytes.count == 24, let base = bytes.baseAddress else {
        throw .unreadableRow(kind: record.kind, key: record.key)
      }
      return UnreadMark(
        since: Int64(bitPattern: word(base, 0)), through: Int64(bitPattern: word(base, 16)), generation: word(base, 8))
    }
  }

  func put(device: UInt64, in transaction: any TrackRowWriting) throws {
    var payload: [UInt8] = []
    for number in [UInt64(bitPattern: since), generation, UInt64(bitPattern: through)] {
      withUnsafeBytes(of: number.littleEndian) { payload += $0 }
    }
    try transaction.put(
      TrackRow(kind: TrackRowKind.unread, key: RowKey(high: 0, low: device), sort: 0, payload: payload))
  }
}
