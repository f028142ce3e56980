import TrendyFoundation
public import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  /// Imports of this store, the oldest first.
  public func imports() throws -> [ImportEntry] {
    try ImportJournal(dataStoreFactory.makeLocalStore()).entries()
  }

  /// What imports made that were taken back, where no later import made it again: by whoever made it last.
  func takenBack() throws -> FingerprintSet {
    var takenBack = FingerprintSet()
    var decided = FingerprintSet()
    let journal = ImportJournal(dataStoreFactory.makeLocalStore())
    let known = try journal.entries()
    guard known.contains(where: { $0.undone != nil }) else { return takenBack }
    for entry in known.reversed() {
      for part in 0..<(try journal.partCount(of: entry.id)) {
        for entity in try journal.made(by: entry.id, part: part) {
          let fingerprint = CompactIdentifier(entity.id).fingerprint
          if decided.insert(fingerprint), entity.isTakenBack { takenBack.insert(fingerprint) }
        }
      }
    }
    return takenBack
  }

  /// Takes in the records of a file, in batches each of which is saved whole.
  ///
  /// Ids follow from what an event is in its source, so the same file, or one that overlaps, adds nothing the second time, here or on
  /// another device; and what was deleted meanwhile does not come back.
  /// - Throws: what the input throws, or `InterchangeError`; the batches before it stay, and the same call goes on.
  public func importRecords(
    _ input: ByteInput, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try importRecords(as: format, request) { try format.read(input, request.options, $0) }
  }

  /// As ``importRecords(_:as:_:)``, of the files of a folder or an archive.
  public func importRecords(
    _ files: ExportFiles, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try importRecords(as: format, request) { try format.read(files, request.options, $0) }
  }

  private func importRecords(
    as format: InterchangeFormat, _ request: ImportRequest,
    _ read: ((InterchangeRecord, String) throws -> Void) throws -> Void
  ) throws -> ImportReport {
    let store = try DeviceImportStore(record: self, format: format, request: request)
    let report = try RecordImporter(store: store, format: format, request: request).run(read)
    if report.newCount + report.newReadings > 0, !request.isDryRun {
      onChange()
      mergeSegments()
    }
    return report
  }

  /// After many changes at once, which are saved: that the store stays quick to open can wait for whoever has room for it.
  private func mergeSegments() {
    while (try? maintain(mergingFrom: Self.manySegments)) == true {}
  }

  /// Half of those that would make a save merge them, which is no time for it.
  private static var manySegments: Int { 24 }

  /// Takes back what an import made and nobody edited since.
  ///
  /// In saves each of which is whole. Where it is interrupted, the same call goes on, and reports all that was taken back by then.
  public func undoImport(_ entry: ImportEntry) throws -> ImportUndo {
    try undoImport(entry, partsInSave: Self.partsInSave)
  }

  /// Parts of the list of what an import made that are taken back in one save: those that a save of the import wrote, so that what
  /// is looked for lies in one segment.
  private static var partsInSave: Int { DeviceImportStore.mostInBatch / ImportJournal.partLength + 1 }

  /// As ``undoImport(_:)``.
  /// - Parameter partsInSave: how many parts of the list are taken back in one save.
  func undoImport(_ entry: ImportEntry, partsInSave: Int) throws -> ImportUndo {
    var result = ImportUndo()
    var parts = 0..<(try ImportJournal(dataStoreFactory.makeLocalStore()).partCount(of: entry.id))
    // What refers to others goes first.
    while !parts.isEmpty {
      let some = parts.suffix(partsInSave)
      try recorder.inOneSave { save in try takeBack(some, of: entry, in: save, &result) }
      parts = parts.lowerBound..<some.startIndex
    }
    try recorder.inOneSave { save in
      try save.beginWriting()
      try ImportJournal(save.localStore).undo(entry.id, at: clock.now)
      var log = try UndoLog(save.localStore)
      try log.drop(importID: entry.id)
    }
    onChange()
    mergeSegments()
    return result
  }

  private func takeBack(
    _ parts: Range<Int>, of entry: ImportEntry, in save: RecorderChanges, _ result: inout ImportUndo
  ) throws {
    try save.beginWriting()
    let journal = ImportJournal(save.localStore)
    let lists = try parts.map { try journal.made(by: entry.id, part: $0) }
    try save.store.lookAhead(
      events: lists.joined().lazy.filter { $0.kind == .event }.map { CompactIdentifier($0.id) })
    // Most were not touched since, and no hub has heard of them. Nothing refers to an event, so that these may go first.
    let events = lists.joined().reversed().filter { $0.kind == .event }
    var areDeleted = try save.deleteUntouchedImports(eventIds: events.map(\.id)) { index, payload in
      Undoable.digest(ofPayload: payload) == events[index].digest
    }[...]
    for (part, list) in zip(parts, lists).reversed() {
      var list = list
      for (index, made) in list.enumerated().reversed() {
        if made.kind == .event, areDeleted.popFirst() == true {
          list[index].isTakenBack = true
          result.removed += 1
          continue
        }
        guard let now = try Undoable.held(made.kind, id: made.id, in: save.store) else {
          // Taken back before an interruption.
          if made.isTakenBack { result.removed += 1 }
          continue
        }
        let isInUse = try made.kind == .eventType && save.store.hasChildren(ofType: made.id)
        if try isInUse || now.digest != made.digest {
          result.left.append(UndoStep.Left(kind: made.kind, id: made.id))
        } else {
          try save.undoingImport.delete(now)
          list[index].isTakenBack = true
          result.removed += 1
        }
      }
      if list != lists[part - parts.lowerBound] { try journal.put(list, of: entry.id, part: part) }
    }
  }
}
