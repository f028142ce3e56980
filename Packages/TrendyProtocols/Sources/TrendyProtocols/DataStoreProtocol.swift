public import TrendyModels

/// Unit of work on a user's record.
///
/// A unit is created and used in one isolation domain and is not `Sendable`; its factory is. It reads its own changes
/// immediately. Other units read them after ``save()``, which is atomic and returns when the changes are durable. The
/// first write acquires the write lock and refreshes values that the unit has read, so that a read-modify-write is
/// atomic across processes. Sync state (cursor, tombstones, queue, journal) is part of the same unit.
///
/// All operations except ``rollback()`` can throw. If opening the store failed, each of them throws that error.
/// Deleting or marking a missing row is not an error. If a `configure` closure throws, the row is unchanged.
public protocol DataStoreProtocol: EntityStore, MutationQueue, SyncStateStore {
  /// Acquires the write lock unless this unit already has it. From then on reads return current values, which no other
  /// unit can change until this unit saves or rolls back. The first write also acquires the lock.
  func beginWriting() throws

  /// Returns, for each identifier, whether the store contains nothing about an event with this identifier: no row,
  /// pending or accepted mutation, replica entry or tombstone.
  ///
  /// If an identifier occurs twice, the second one is not new. An implementation may return `false` for new
  /// identifiers; the default implementation always returns `false`.
  func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool]
  /// Inserts an event that ``areNew(events:)`` reported as new in this unit, together with the mutation that creates
  /// it.
  ///
  /// The default implementation upserts the event and inserts the mutation. A store can skip the search for rows to
  /// replace, which speeds up imports.
  func insertNew(_ event: Event, with mutation: PendingMutation) throws

  /// Makes all changes of this unit durable and visible to others, or none of them. If it throws, the unit is
  /// unchanged: save again or roll back.
  func save() throws

  /// Discards all changes since the last save and releases the write lock.
  func rollback()
}

/// Factory of units of work on one store.
public protocol DataStoreFactory: Sendable {
  /// Returns a new unit for the caller's isolation. Never fails: if the store cannot be opened, the unit's operations
  /// throw.
  func makeDataStore() -> any DataStoreProtocol
  /// Performs one step of maintenance, which takes at most some tens of milliseconds. Called between two units of work.
  /// The default implementation does nothing.
  func performMaintenance() throws
  /// Acquires the store's sync lock, which excludes other processes too.
  ///
  /// The lock is released when the returned value is released or the process ends. The default implementation, for
  /// stores that only one engine uses, always succeeds.
  ///
  /// - Returns: the lock, or `nil` while another owner has it.
  func lockForSync() throws -> (any Sendable)?
}

extension DataStoreFactory {
  public func performMaintenance() throws {}
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
