/// Row that is not intact in any file, with its known details.
public struct LostRow: Hashable, Sendable {
  /// Kind of the row, or 0 if unknown.
  public var kind: UInt8
  /// Key of the row, or `nil` if unknown.
  public var key: RowKey?
  /// Sort value if the key is known, or else the start of the row's UTC day, or `nil` if neither is known.
  public var sort: Int64?

  /// Creates a description of a lost row.
  public init(kind: UInt8, key: RowKey?, sort: Int64?) {
    self.kind = kind
    self.key = key
    self.sort = sort
  }
}

/// Consecutive saves from the log that are not intact in any file.
public struct LostSaves: Hashable, Sendable {
  /// File that contained, or should have contained, the saves.
  public var path: String
  /// Offset in bytes at which the saves were expected.
  public var offset: Int
  /// Sequence numbers of the saves.
  public var numbers: ClosedRange<UInt64>
  /// Rows that the damaged bytes seem to contain. Not reliable.
  public var rows: [LostRow]

  /// Creates a description of lost saves.
  public init(path: String, offset: Int, numbers: ClosedRange<UInt64>, rows: [LostRow]) {
    self.path = path
    self.offset = offset
    self.numbers = numbers
    self.rows = rows
  }
}

/// Result of ``StorageEngine/repair(directory:fileSystem:options:)``.
public struct RepairReport: Hashable, Sendable {
  /// Whether there was damage. If not, nothing was changed.
  public var wasDamaged: Bool
  /// Number of intact saves in the log, all of which are in the repaired store.
  public var savesKept: Int
  /// Number of saves that must have existed but are not intact in any file.
  public var savesLost: Int { lostSaves.reduce(0) { $0 + $1.numbers.count } }
  /// The lost saves in order.
  public var lostSaves: [LostSaves]
  /// Number of rows lost from segments, as far as a manifest or a segment records it.
  public var rowsLost: Int
  /// Known details of lost rows. Has fewer than ``rowsLost`` elements if a file is missing.
  public var lostRows: [LostRow]
  /// New paths of the previous files, which remain unchanged in the same directory.
  public var setAside: [String]

  /// Creates a report.
  public init(
    wasDamaged: Bool, savesKept: Int, lostSaves: [LostSaves] = [], rowsLost: Int = 0, lostRows: [LostRow] = [],
    setAside: [String] = []
  ) {
    self.wasDamaged = wasDamaged
    self.savesKept = savesKept
    self.lostSaves = lostSaves
    self.rowsLost = rowsLost
    self.lostRows = lostRows
    self.setAside = setAside
  }
}
