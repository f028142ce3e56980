/// Saves the batches of an import one after the other, each while the file is read on where the store lets that be.
final class BatchSaver {
  /// A batch, and the records of the file up to its end.
  struct Batch {
    var entities: [Undoable]
    var records: Int
  }

  private let destination: any ImportStore
  private let onSaved: (Batch, _ areNew: [Bool]) throws -> Void
  private var underWay: (batch: Batch, thread: JoinableThread<[Bool]>)?
  /// The error that ended the import: no batch after it is saved.
  private var failure: (any Error)?

  /// - Parameters:
  ///   - destination: where batches are saved.
  ///   - onSaved: is told of each batch, and of each of its entities whether it was not there before; what it throws ends the import. It
  ///     is called by whoever calls a method here.
  init(_ destination: any ImportStore, onSaved: @escaping (Batch, _ areNew: [Bool]) throws -> Void) {
    self.destination = destination
    self.onSaved = onSaved
  }

  /// The store, with all batches saved.
  /// - Throws: what ended the import, each time.
  var store: any ImportStore {
    get throws {
      try settle()
      return destination
    }
  }

  /// Begins to save a batch, once the one before is saved.
  /// - Throws: as ``settle()``.
  func save(_ batch: Batch) throws {
    try settle()
    let destination = destination
    if destination.savesBesideReading {
      underWay = (batch, JoinableThread { try destination.save(batch.entities) })
    } else {
      try take(batch) { try destination.save(batch.entities) }
    }
  }

  /// Returns when nothing is being saved any more.
  /// - Throws: what ended the import, each time.
  func settle() throws {
    if let failure { throw failure }
    guard let (batch, thread) = underWay else { return }
    underWay = nil
    try take(batch) { try thread.join() }
  }

  private func take(_ batch: Batch, _ save: () throws -> [Bool]) throws {
    do {
      try onSaved(batch, save())
    } catch {
      failure = error
      throw error
    }
  }
}
