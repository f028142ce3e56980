/// A row that is not whole in any file, as far as something still tells of it.
public struct LostRow: Hashable, Sendable {
  public var kind: UInt8
  public var key: RecordKey?
  /// Exact where the key is known; else, if anything, the first of the day that it lay on.
  public var sort: Int64?

  public init(kind: UInt8, key: RecordKey?, sort: Int64?) {
    self.kind = kind
    self.key = key
    self.sort = sort
  }
}

/// Saves of the log that are not whole in any file.
public struct LostSaves: Hashable, Sendable {
  /// Where they were, or should have been.
  public var path: String
  public var offset: Int
  /// Each save has a number, one more than the one before.
  public var numbers: ClosedRange<UInt64>
  /// The rows that the damaged bytes seem to name. What they say of them cannot be believed.
  public var rows: [LostRow]

  public init(path: String, offset: Int, numbers: ClosedRange<UInt64>, rows: [LostRow]) {
    self.path = path
    self.offset = offset
    self.numbers = numbers
    self.rows = rows
  }
}

/// What ``StorageEngine/repair(directory:fileSystem:options:)`` found and did.
public struct RepairReport: Hashable, Sendable {
  /// Whether there was damage; without it nothing was changed.
  public var wasDamaged: Bool
  /// Saves of the log that are whole and in the store now.
  public var savesKept: Int
  /// Saves that must have been there and are not whole in any file.
  public var savesLost: Int { lostSaves.reduce(0) { $0 + $1.numbers.count } }
  /// The same, one after the other.
  public var lostSaves: [LostSaves]
  /// Rows of segments that are not whole any more, as far as a manifest or a segment says how many there were.
  public var rowsLost: Int
  /// What is known of them; fewer where the file is gone.
  public var lostRows: [LostRow]
  /// The files that were there before, under their new names in the same folder, with every byte they had.
  public var setAside: [String]

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
