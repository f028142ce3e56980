public import TrendyFoundation
public import TrendyModels

extension LocalStore {
  /// How many events of each type there were on each day and at each minute.
  ///
  /// What a sealed segment has is counted once and kept in `cache`: after that, only rows that were saved since are read. A unit
  /// that has written counts all rows.
  /// - Parameters:
  ///   - local: the person's clock.
  ///   - types: the ids of those that are asked for; `nil` for all. Few are counted sooner.
  ///   - cache: a folder for what was counted; made where it is not there. `nil` keeps nothing.
  /// - Throws: ``StorageError``.
  public func eventTally(
    in local: LocalTime, ofTypes types: Set<String>? = nil, cache: URL? = nil
  ) throws -> EventTally {
    try refresh()
    let counter = EventCounter(local: local, reader: reader, ofTypes: types)
    guard let engine = try engineToRead() else {
      let records = try scan(RowKind.event)
      for record in records.pointers { try counter.count(record, 1) }
      withExtendedLifetime(records.pin) {}
      return counter.tally
    }
    let basis = cache.flatMap { _ in EventTallyFile.basis(local) }
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
        let file = EventTallyFile(of: part, basis: basis, directory: cache.path, fileSystem: engine.fileSystem)
        known.insert(file.path)
        if let tally = file.read(ofTypes: types) { return counter.add(tally) }
        // Kept for whoever asks next, for which types ever.
        let own = EventCounter(local: local, reader: reader)
        try part.forEach { record throws(StorageError) in try own.count(record, 1) }
        let tally = own.tally
        counter.add(tally)
        if made == nil { try? engine.fileSystem.createDirectory(cache.path) }  // without it nothing is kept
        made = part.storeID
        file.write(tally)
      },
      takenAway: { record throws(StorageError) in try counter.count(record, -1) },
      added: { record throws(StorageError) in try counter.count(record, 1) })
    if let cache, let made {
      EventTallyFile.removeOthers(than: known, storeID: made, directory: cache.path, fileSystem: engine.fileSystem)
    }
    return counter.tally
  }
}
