/// Saves the batches of an import in order, on a second thread while the file is read, if the store allows that.
final class BatchSaver {
  /// Entities to save, and the number of records in the file up to the end of the batch.
  struct Batch {
    var entities: [AnyEntity]
    var records: Int
  }

  private let destination: any ImportStore
  private let onSaved: (Batch, _ areNew: [Bool]) throws -> Void
  private var underWay: (batch: Batch, thread: JoinableThread<[Bool]>)?
  /// Error that ended the import. No batches are saved after this error.
  private var failure: (any Error)?

  /// Creates a saver. `onSaved` is called on the caller's thread after each batch, with a flag per entity that is
  /// `true` if the entity was new. An error from `onSaved` ends the import.
  init(_ destination: any ImportStore, onSaved: @escaping (Batch, _ areNew: [Bool]) throws -> Void) {
    self.destination = destination
    self.onSaved = onSaved
  }

  /// The store, once all batches have been saved. Throws the error that ended the import.
  var store: any ImportStore {
    get throws {
      try settle()
      return destination
    }
  }

  /// Starts saving a batch once the previous batch has been saved. Throws like ``settle()``.
  func save(_ batch: Batch) throws {
    try settle()
    let destination = destination
    if destination.savesBesideReading {
      underWay = (batch, JoinableThread { try destination.save(batch.entities) })
    } else {
      try take(batch) { try destination.save(batch.entities) }
    }
  }

  /// Waits until the current batch has been saved. Once the import has failed, every call throws the import's error.
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
