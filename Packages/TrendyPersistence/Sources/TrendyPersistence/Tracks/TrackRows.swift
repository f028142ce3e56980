/// What a ``TrackLog`` keeps its rows in: the engine of a folder, or a table of a database.
///
/// Rows are named by kind and key, and ordered by their sort value within a kind and group, as those of a ``StorageEngine``.
public protocol TrackRows: Sendable {
  /// Runs `body` on the rows as of one moment; it may be run again from its beginning.
  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result

  /// Runs `body` alone, and makes what it wrote durable, all or nothing; it may be run again from its beginning, and counts once.
  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result

  /// Runs `body` once, while no other call of this is under way, in this process or another; what it writes fails where that is no
  /// longer certain. Not within another such call.
  /// - Throws: what `body` throws, or that another did not end in time.
  func withReader<Result>(_ body: () throws -> Result) throws -> Result

  /// Names the call of ``withReader(_:)`` that is under way here, for those who write elsewhere what was found in the rows; `nil` where
  /// no other can begin before it ends, as it is by default.
  var reader: String? { get }

  /// One step of what keeps the rows quick to read, if one is due; by default there is nothing to do.
  /// - Returns: whether there may be more to do.
  func maintain(sealingAll sealsAll: Bool) throws -> Bool
}

extension TrackRows {
  public var reader: String? { nil }
  public func maintain(sealingAll sealsAll: Bool) throws -> Bool { false }
}

/// Used inside the body it was given to and nowhere else; the rows stay.
public protocol TrackRowReading {
  func row(kind: UInt8, key: RecordKey) throws -> TrackRow?

  /// Rows of a kind with a sort value from `lower` up to and without `upper`, by sort value.
  /// - Parameters:
  ///   - kind: of the rows.
  ///   - group: `nil` for all.
  ///   - lower: the least sort value.
  ///   - upper: above the greatest.
  ///   - isDescending: the last ones first.
  ///   - limit: at most so many.
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

/// Sees what it wrote itself.
public protocol TrackRowWriting: TrackRowReading {
  /// Puts a row in place of the one with its kind and key.
  func put(_ row: TrackRow) throws
  func delete(kind: UInt8, key: RecordKey) throws
}

/// A row of a track log.
public struct TrackRow: Sendable {
  private enum Payload: Sendable {
    case record(Record)
    case bytes([UInt8])
  }

  /// The kind of the one row with what was posted and not kept, which is its owner's and not the log's.
  public static let refusedKind: UInt8 = 7

  public let kind: UInt8
  public let key: RecordKey
  public let sort: Int64
  /// 0 for none.
  public let group: UInt64
  private let content: Payload

  public init(kind: UInt8, key: RecordKey, sort: Int64, group: UInt64 = 0, payload: [UInt8]) {
    self.kind = kind
    self.key = key
    self.sort = sort
    self.group = group
    content = .bytes(payload)
  }

  init(_ record: Record) {
    kind = record.kind
    key = record.key
    sort = record.sort
    group = record.group
    content = .record(record)
  }

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
  public static func == (left: TrackRow, right: TrackRow) -> Bool {
    left.kind == right.kind && left.key == right.key && left.sort == right.sort && left.group == right.group
      && left.payload == right.payload
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(key)
  }
}
