#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  /// Imports of this store, the oldest first.
  public func imports() throws -> [ImportEntry] {
    let known = try ImportJournal(dataStoreFactory.makeLocalStore()).entries()
    let ids = Set(known.map(\.id))
    let earlier = try EarlierImportFiles(storeDirectory: directory).entries().filter { !ids.contains($0.id) }
    return earlier + known
  }

  /// Whether an earlier version left notes of imports beside the store.
  public static func hasEarlierImports(at directory: URL) -> Bool {
    exists(at: directory) && EarlierImportFiles(storeDirectory: directory).exist
  }

  /// Puts what an earlier version noted of imports beside the store into it, so that a backup holds it.
  public func takeOverEarlierImports() throws {
    let earlier = EarlierImportFiles(storeDirectory: directory)
    guard earlier.exist else { return }
    let entries = try earlier.entries()
    try recorder.inOneSave { save in
      try save.takeWriteLock()
      try ImportJournal(save.localStore).takeOver(entries)
    }
    try earlier.remove()
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
      // What was imported is saved; that the store stays quick to open can wait for whoever has room for it.
      while (try? maintain()) == true {}
    }
    return report
  }

  /// Takes back what an import made and nobody edited since.
  public func undoImport(_ entry: ImportEntry) throws -> ImportUndo {
    var result = ImportUndo()
    var rest = entry.made[...]
    // What refers to others goes first.
    while !rest.isEmpty {
      let part = rest.suffix(RecordImporter.batchSize)
      try recorder.inOneSave { save in
        for made in part.reversed() {
          guard let now = try Undoable.held(made.kind, id: made.id, in: save.store) else { continue }
          let isInUse = try made.kind == .eventType && !save.store.events(in: nil, ofType: made.id, limit: 1).isEmpty
          if try isInUse || now.digest != made.digest {
            result.left.append(made.id)
          } else {
            try save.delete(now)
            result.removed += 1
          }
        }
      }
      rest = rest.dropLast(part.count)
    }
    try takeOverEarlierImports()
    try recorder.inOneSave { save in
      try save.takeWriteLock()
      try ImportJournal(save.localStore).undo(entry.id, at: clock.now)
    }
    onChange()
    return result
  }
}
