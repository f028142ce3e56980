/// Every record of a kind in the order of a scan, some thousand at a time, so that the list of them is never long.
enum RecordPages {
  static let size = 4096

  /// - Parameter scan: the records from one sort value up to and without another, at most so many.
  static func forEach(
    scan: (_ from: Int64, _ to: Int64, _ limit: Int) throws(StorageError) -> RecordList,
    body: (Record) throws(StorageError) -> Void
  ) throws(StorageError) {
    var from = Int64.min
    while true {
      let records = try scan(from, .max, size)
      guard records.count == size, let last = records.last?.sort else {
        for record in records { try body(record) }
        return
      }
      for record in records where record.sort < last { try body(record) }
      // All of the last value: there may be more than were asked for.
      for record in try scan(last, last + 1, .max) { try body(record) }
      from = last + 1
    }
  }
}
