public import TrendyPersistence

/// Rows of a user's track log in memory, with value semantics.
public struct MemoryTrackTable: Sendable {
  private struct Name: Hashable {
    let kind: UInt8
    let key: RowKey
  }

  private struct Rows: TrackRowReading {
    var all: [Name: TrackRow] = [:]

    func row(kind: UInt8, key: RowKey) throws -> TrackRow? { all[Name(kind: kind, key: key)] }

    func rows(
      kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
    ) throws -> [TrackRow] {
      let found = all.values.filter {
        $0.kind == kind && group ?? $0.group == $0.group && $0.sort >= lower && $0.sort < upper
      }.sorted { ($0.sort, $0.key.high, $0.key.low) < ($1.sort, $1.key.high, $1.key.low) }
      return Array((isDescending ? found.reversed() : found).prefix(limit))
    }
  }

  private final class Writing: TrackRowWriting {
    private(set) var rows: Rows

    init(_ rows: Rows) { self.rows = rows }

    func row(kind: UInt8, key: RowKey) throws -> TrackRow? { try rows.row(kind: kind, key: key) }

    func rows(
      kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
    ) throws -> [TrackRow] {
      try rows.rows(kind: kind, group: group, from: lower, to: upper, isDescending: isDescending, limit: limit)
    }

    func put(_ row: TrackRow) throws { rows.all[Name(kind: row.kind, key: row.key)] = row }

    func delete(kind: UInt8, key: RowKey) throws { rows.all[Name(kind: kind, key: key)] = nil }
  }

  private var rows = Rows()

  public init() {}

  /// Reads the rows.
  public func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result { try body(rows) }

  /// Writes rows atomically.
  public mutating func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    let writing = Writing(rows)
    let result = try body(writing)
    rows = writing.rows
    return result
  }
}
