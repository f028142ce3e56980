/// Row storage for a ``TrackLog``: an engine in a directory, or a database table.
///
/// As in a ``StorageEngine``, rows are identified by kind and key, and ordered by sort value within a kind and group.
public protocol TrackRows: Sendable {
  /// Runs `body` on a consistent state of the rows. May run `body` several times.
  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result

  /// Runs `body` exclusively and makes either all or none of its changes durable. May run `body` several times, but its
  /// changes take effect only once.
  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result

  /// Runs `body` once, while no other call to this method is running in any process. Calls must not be nested.
  ///
  /// If exclusivity is lost, for example because a lease has expired, writes in `body` throw.
  /// - Throws: errors thrown by `body`, or an error if another call does not end in time.
  func withReader<Result>(_ body: () throws -> Result) throws -> Result

  /// Name of the current call to ``withReader(_:)``. Writes to another store use it to verify that the call is still
  /// exclusive. `nil`, the default, means that no other call can start before this call ends.
  var reader: String? { get }

  /// Performs one step of maintenance if one is due. The default does nothing.
  /// - Parameter sealsAll: whether to include recent rows regardless of their number.
  /// - Returns: whether further steps may be due.
  func maintain(sealingAll sealsAll: Bool) throws -> Bool
}

extension TrackRows {
  /// `nil`, because exclusivity cannot be lost.
  public var reader: String? { nil }
  /// Returns `false`.
  public func maintain(sealingAll sealsAll: Bool) throws -> Bool { false }
}

/// Reads the rows of a track log. Valid only within the closure that receives it, while the rows remain valid
/// afterwards.
public protocol TrackRowReading {
  /// Returns the row with this kind and key, or `nil` if there is none.
  func row(kind: UInt8, key: RowKey) throws -> TrackRow?

  /// Returns up to `limit` rows of a kind, or of one of its groups, with sort values in `lower..<upper`, ordered by
  /// sort value. `isDescending` reverses the order.
  func rows(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
  ) throws -> [TrackRow]
}

extension TrackRowReading {
  func rows(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws -> [TrackRow] {
    try rows(kind: kind, group: group, from: lower, to: upper, isDescending: descending, limit: limit)
  }
}

/// Reads and writes the rows of a track log. Reads include earlier writes.
public protocol TrackRowWriting: TrackRowReading {
  /// Stores a row, replacing any row with the same kind and key.
  func put(_ row: TrackRow) throws
  /// Deletes the row with this kind and key, if there is one.
  func delete(kind: UInt8, key: RowKey) throws
}

/// Row of a track log.
public struct TrackRow: Sendable {
  private enum Payload: Sendable {
    case record(Row)
    case bytes([UInt8])
  }

  /// Kind of the only row with rejected posts, which is managed by the owner of the log.
  public static let refusedKind: UInt8 = 7

  /// Kind of the row. Kind and ``key`` identify the row.
  public let kind: UInt8
  /// Key of the row.
  public let key: RowKey
  /// Sort value, which orders the rows within a kind and group.
  public let sort: Int64
  /// Group key, or 0 for none.
  public let group: UInt64
  private let content: Payload

  /// Creates a row.
  public init(kind: UInt8, key: RowKey, sort: Int64, group: UInt64 = 0, payload: [UInt8]) {
    self.kind = kind
    self.key = key
    self.sort = sort
    self.group = group
    content = .bytes(payload)
  }

  init(_ record: Row) {
    kind = record.kind
    key = record.key
    sort = record.sort
    group = record.group
    content = .record(record)
  }

  /// Copy of the payload.
  public var payload: [UInt8] { withPayload { Array($0) } }

  func withPayload<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch content {
    case .record(let record): return try record.withPayload(body)
    case .bytes(let bytes):
      return try bytes.withUnsafeBufferPointer { buffer throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }
  }
}

extension TrackRow: Hashable {
  /// Compares all values, including the payload.
  public static func == (left: TrackRow, right: TrackRow) -> Bool {
    left.kind == right.kind && left.key == right.key && left.sort == right.sort && left.group == right.group
      && left.payload == right.payload
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(key)
  }
}
