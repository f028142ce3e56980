/// Iterates over all rows of a kind in scan order, about 4096 at a time, without building a list of all of them.
enum RowPages {
  static let size = 4096

  /// Calls `body` with each row once, in scan order. `scan` returns at most `limit` rows with sort values in
  /// `from..<to`.
  static func forEach(
    scan: (_ from: Int64, _ to: Int64, _ limit: Int) throws(StorageError) -> RowList,
    body: (Row) throws(StorageError) -> Void
  ) throws(StorageError) {
    var from = Int64.min
    while true {
      let records = try scan(from, .max, size)
      guard records.count == size, let last = records.last?.sort else {
        for record in records { try body(record) }
        return
      }
      for record in records where record.sort < last { try body(record) }
      // Read all rows with the last sort value, because the page may have ended in the middle of them.
      for record in try scan(last, last + 1, .max) { try body(record) }
      from = last + 1
    }
  }
}
