public import TrendyFoundation
public import TrendyModels

extension LocalStore {
  /// Returns the number of events of each type by day and by minute of the day.
  ///
  /// Segment counts are cached, so later calls read only rows saved since then. If the unit has written, all rows are
  /// counted.
  /// - Parameters:
  ///   - local: the user's time zone and start of the day.
  ///   - types: ids of the types to count, or `nil` for all. Fewer types take less time.
  ///   - cache: directory for cached counts, created if missing, or `nil` to cache nothing.
  /// - Throws: ``StorageError``.
  public func eventTally(
    in local: LocalTime, ofTypes types: Set<String>? = nil, cache: URL? = nil
  ) throws -> DailyCounts {
    try refresh()
    let counter = EventCounter(local: local, reader: reader, ofTypes: types)
    guard let engine = try engine(toRead: RowKind.event) else {
      let records = try scan(RowKind.event)
      for record in records.pointers { try counter.count(record, 1) }
      withExtendedLifetime(records.pin) {}
      return counter.tally
    }
    let basis = cache.flatMap { _ in DailyCountsFile.basis(local) }
    var known: Set<String> = []
    var made: UInt64?
    try engine.forEachPart(
      kind: RowKind.event,
      { part throws(StorageError) in
        guard let cache, let basis else {
          return try part.forEach { record throws(StorageError) in
            try counter.count(record, 1)
          }
        }
        let file = DailyCountsFile(of: part, basis: basis, directory: cache.path, fileSystem: engine.fileSystem)
        known.insert(file.path)
        if let tally = file.read(ofTypes: types) { return counter.add(tally) }
        // Cache the counts for all types, because later calls may ask for other types.
        let own = EventCounter(local: local, reader: reader)
        try part.forEach { record throws(StorageError) in try own.count(record, 1) }
        let tally = own.tally
        counter.add(tally)
        if made == nil { try? engine.fileSystem.createDirectory(cache.path) }  // if this fails, nothing is cached
        made = part.storeID
        file.write(tally)
      },
      takenAway: { record throws(StorageError) in try counter.count(record, -1) },
      added: { record throws(StorageError) in try counter.count(record, 1) })
    if let cache, let made {
      DailyCountsFile.removeOthers(than: known, storeID: made, directory: cache.path, fileSystem: engine.fileSystem)
    }
    return counter.tally
  }
}
