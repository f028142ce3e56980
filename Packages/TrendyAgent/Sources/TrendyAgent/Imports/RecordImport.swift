import TrendyFoundation
public import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  /// Returns the imports of this store, oldest first.
  public func imports() throws -> [ImportEntry] {
    try ImportHistory(dataStoreFactory.makeLocalStore()).entries()
  }

  /// Returns the fingerprints of entities whose last import was undone.
  func takenBack() throws -> FingerprintSet {
    var takenBack = FingerprintSet()
    var decided = FingerprintSet()
    let journal = ImportHistory(dataStoreFactory.makeLocalStore())
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

  /// Imports the records of a file in batches, each of which is saved atomically.
  ///
  /// The id of an event is derived from its source. If the same or an overlapping file is imported again on any device,
  /// existing events are not duplicated, and deleted events are not recreated.
  ///
  /// - Throws: Errors from the input, or `InterchangeError`. Saved batches remain, and the same call resumes the
  ///   import.
  public func importRecords(
    _ input: ByteInput, as format: InterchangeFormat, _ request: ImportRequest
  ) throws -> ImportReport {
    try importRecords(as: format, request) { try format.read(input, request.options, $0) }
  }

  /// Imports the files in a folder or an archive, like a single file.
  ///
  /// - Throws: Errors from the files, or `InterchangeError`. Saved batches remain.
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

  /// Merges the store's segments, because an import creates many of them. Errors are ignored, because maintenance will
  /// retry.
  private func mergeSegments() {
    while (try? maintain(mergingFrom: Self.manySegments)) == true {}
  }

  /// Half the number of segments at which a save merges segments automatically.
  private static var manySegments: Int { 24 }

  /// Deletes the entities that an import created, except entities that have been edited since.
  ///
  /// The deletion takes several saves. After an interruption, the same call resumes the deletion, and the result
  /// includes the entities deleted before.
  public func undoImport(_ entry: ImportEntry) throws -> ImportUndo {
    try undoImport(entry, partsInSave: Self.partsInSave)
  }

  /// Number of parts of the history that one save undoes. These parts cover the entities of one save of the import,
  /// which are all in one segment.
  private static var partsInSave: Int { DeviceImportStore.maxInBatch / ImportHistory.partLength + 1 }

  func undoImport(_ entry: ImportEntry, partsInSave: Int) throws -> ImportUndo {
    var result = ImportUndo()
    var parts = 0..<(try ImportHistory(dataStoreFactory.makeLocalStore()).partCount(of: entry.id))
    // Delete in reverse order of creation, because later entities refer to earlier entities.
    while !parts.isEmpty {
      let some = parts.suffix(partsInSave)
      try recorder.inOneSave { save in try takeBack(some, of: entry, in: save, &result) }
      parts = parts.lowerBound..<some.startIndex
    }
    try recorder.inOneSave { save in
      try save.beginWriting()
      try ImportHistory(save.localStore).undo(entry.id, at: clock.now)
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
    let journal = ImportHistory(save.localStore)
    let lists = try parts.map { try journal.made(by: entry.id, part: $0) }
    try save.store.lookAhead(
      events: lists.joined().lazy.filter { $0.kind == .event }.map { CompactIdentifier($0.id) })
    // Most events have not been edited and are unknown to the hub. Nothing refers to them, so they can be deleted
    // first.
    let events = lists.joined().reversed().filter { $0.kind == .event }
    var areDeleted = try save.deleteUntouchedImports(eventIds: events.map(\.id)) { index, payload in
      AnyEntity.digest(ofPayload: payload) == events[index].digest
    }[...]
    for (part, list) in zip(parts, lists).reversed() {
      var list = list
      for (index, made) in list.enumerated().reversed() {
        if made.kind == .event, areDeleted.popFirst() == true {
          list[index].isTakenBack = true
          result.removed += 1
          continue
        }
        guard let now = try AnyEntity.held(made.kind, id: made.id, in: save.store) else {
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
