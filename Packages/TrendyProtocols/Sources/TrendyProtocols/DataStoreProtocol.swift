public import TrendyModels

/// A unit of work on a person's record: made and used inside one isolation, not `Sendable`; its factory is.
///
/// Changes are seen by their own unit at once and by others after ``save()``, which is all or nothing and durable when it
/// returns. A unit takes the write lock at its first write and reads again what it read before, so that read-change-write
/// is one step across processes. What sync knows (cursor, tombstones, queue, journal) lives in the same unit.
///
/// Every operation but ``rollback()`` throws. A store that does not open throws its error from every operation.
/// Deleting or marking what is not there is no error. A `configure` closure that throws leaves the row as it was.
public protocol DataStoreProtocol: EntityStore, MutationQueue, SyncStateStore {
  /// Takes the write lock, unless this unit has it: what is read from here on is current, and nobody else changes it before this unit
  /// saves or rolls back. The first write takes the lock too.
  func beginWriting() throws

  /// Says of each identifier whether nothing is kept of an event of it: no row, nothing that waits or was accepted, nothing held and
  /// no tombstone. Of one that comes twice the second is not new. May be `false` for one that is new: of the default it always is.
  func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool]
  /// Inserts an event that ``areNew(events:)`` called new, in this unit, and the mutation that makes it. The default is the upsert and
  /// the insertion; a store that need not look for what they would replace is quicker at many.
  func insertNew(_ event: Event, with mutation: PendingMutation) throws

  /// Makes every change of this unit durable and seen by others, or none. One that throws leaves the unit as it was: save
  /// again, or roll back.
  func save() throws

  /// Forgets every change since the last save, and lets go of the write lock.
  func rollback()
}

/// Makes units of work on one store.
public protocol DataStoreFactory: Sendable {
  /// A new unit, for the isolation that calls. It cannot fail: a store that does not open throws from every operation.
  func makeDataStore() -> any DataStoreProtocol
  /// Puts in order what many saves left, between two units of work: at most a step of some tens of milliseconds. The default does
  /// nothing.
  func tidyUp() throws
  /// Takes the right to sync the store, over all processes. It goes with the value, and with whoever holds that: no lock is left
  /// behind by a program that ended. The default, for a store that one engine alone uses, always gives it.
  /// - Returns: `nil` while another holds it.
  func lockForSync() throws -> (any Sendable)?
}

extension DataStoreFactory {
  public func tidyUp() throws {}
  public func lockForSync() throws -> (any Sendable)? { () }
}

extension DataStoreProtocol {
  public func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool] {
    [Bool](repeating: false, count: identifiers.count)
  }

  public func insertNew(_ event: Event, with mutation: PendingMutation) throws {
    try upsertEvent(event)
    try insertPendingMutation(mutation)
  }
}
