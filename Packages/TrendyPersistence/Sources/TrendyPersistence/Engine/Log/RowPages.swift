/// Paged iteration over all rows of a kind in scan order, about 4096 at a time, without a list of all rows.
enum RowPages {
  static let size = 4096

  /// Calls `body` for each row.
  /// - Parameters:
  ///   - scan: returns the rows with sort values from `from` up to but excluding `to`, at most `limit` of them.
  ///   - body: receives each row once, in scan order.
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
      // Read all rows with the last sort value, because the page may have ended among them.
      for record in try scan(last, last + 1, .max) { try body(record) }
      from = last + 1
    }
  }
}
