import Foundation
import TrendyModels
import TrendyProtocols

/// Deletes the entities that an import created, unless they have been edited since.
///
/// Entities that refer to other entities are deleted first, followed by types that have become unused.
struct ImportRemoval {
  private static let entriesAtOnce = 500

  private let records: HubRecords
  private let user: String
  private var entry: HubImport
  private var authors: Set<String> = []

  init(_ entry: HubImport, of user: String, in records: HubRecords) {
    self.entry = entry
    self.user = user
    self.records = records
  }

  /// Runs the removal. `onProgress` receives the number of entities removed so far. If it throws, the removal stops.
  func run(_ onProgress: (Int64) throws -> Void) throws -> (removed: Int, left: Int) {
    var undo = self
    try undo.begin()
    var removed = 0
    for isTypes in [false, true] {
      removed += try undo.remove(isTypes: isTypes) { try onProgress(Int64($0)) }
    }
    let entry = undo.entry
    try records.writeHere(user: user) { transaction in
      var ended = entry
      ended.undoneThrough = try transaction.state().head
      try transaction.put(ended)
    }
    return (removed, max(0, entry.made.values.reduce(0, +) - removed))
  }

  private mutating func begin() throws {
    let now = records.clock.now
    var (entry, authors) = (entry, authors)
    try records.writeHere(user: user) { [begun = self.entry] transaction in
      let imports = try transaction.imports()
      // An entity imported again after an undo still has the earlier, undone import as its author.
      authors = Set(imports.filter { $0.undoneAt != nil }.map(\.author) + [begun.author])
      entry = imports.first { $0.id == begun.id } ?? begun
      entry.undoneAt = entry.undoneAt ?? now
      // It is unknown where an interrupted import ended.
      if entry.finishedAt == nil { entry.through = try transaction.state().head }
      try transaction.put(entry)
    }
    (self.entry, self.authors) = (entry, authors)
  }

  private func remove(isTypes: Bool, _ onProgress: (Int) throws -> Void) throws -> Int {
    var removed = 0
    var after = entry.before
    while after < entry.through {
      let page = try records.storage.read(user: user) { try $0.entries(after: after, limit: Self.entriesAtOnce) }
      guard let last = page.last else { break }
      after = last.version
      let made = page.filter {
        $0.version <= entry.through && $0.isAlive && $0.isWritten(byOneOf: authors)
          && ($0.kind == SyncedKind.eventType.name) == isTypes
      }
      guard !made.isEmpty else { continue }
      removed += try remove(made, isTypes: isTypes)
      try onProgress(removed)
    }
    return removed
  }

  private func remove(_ made: [HubEntry], isTypes: Bool) throws -> Int {
    var count = 0
    let now = records.clock.now
    try records.writeHere(user: user) { transaction in
      count = 0
      for found in made {
        guard let kind = SyncedKind.named(found.kind),
          // Skip entities that were edited after they were read.
          try transaction.entry(kind: found.kind, id: found.id)?.version == found.version,
          try !isTypes || transaction.referring(toKind: found.kind, id: found.id).isEmpty
        else { continue }
        let deletion = HubMutation(
          kind: kind.name, id: found.id, operation: .delete, content: .members([SyncedKind.importUndone: true]))
        try records.core.carryOut(CollectionOfOne(deletion), by: entry.author, in: transaction, now: now)
        count += 1
      }
    }
    return count
  }
}
