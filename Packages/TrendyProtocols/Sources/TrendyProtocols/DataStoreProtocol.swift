public import TrendyModels

/// Unit of work on a user's record.
///
/// A unit is created and used in one isolation domain. The unit is not `Sendable`, but its factory is. A unit reads its
/// own changes immediately. Other units read these changes after ``save()``, which is atomic and returns when the
/// changes are durable. The first write acquires the write lock and refreshes values that the unit has read, so a
/// read-modify-write is atomic across processes. Sync state (cursor, tombstones, queue, journal) is part of the same
/// unit.
///
/// All operations except ``rollback()`` can throw. If the store could not be opened, each of these operations throws
/// the error from opening it. Deleting or marking a missing row is not an error. If a `configure` closure throws, the
/// row is unchanged.
public protocol DataStoreProtocol: EntityStore, MutationQueue, SyncStateStore {
  /// Acquires the write lock unless this unit already holds it. Reads then return current values, which no other unit
  /// can change until this unit saves or rolls back. The first write acquires the lock as well.
  func beginWriting() throws

  /// Returns for each identifier whether the store contains nothing about an event with this identifier: no row, no
  /// pending or accepted mutation, no replica entry and no tombstone.
  ///
  /// The second occurrence of an identifier is not new. An implementation may return `false` for new identifiers, and
  /// the default implementation always does.
  func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool]
  /// Inserts an event that ``areNew(events:)`` reported as new in this unit, together with its create mutation. A store
  /// can skip the search for rows to replace, which makes imports faster.
  func insertNew(_ event: Event, with mutation: PendingMutation) throws

  /// Makes either all or none of this unit's changes durable and visible to other units. If this throws, the unit is
  /// unchanged and can be saved again or rolled back.
  func save() throws

  /// Discards all changes since the last save and releases the write lock.
  func rollback()

  /// Returns whether a committed change can affect anything that this unit has read. `true` if that is unknown, as in
  /// the default implementation.
  func isAffected(by change: StoreChange) -> Bool
}

/// Factory for units of work on one store.
public protocol DataStoreFactory: Sendable {
  /// Returns a new unit for the caller's isolation. If the store cannot be opened, the unit's operations throw.
  func makeDataStore() -> any DataStoreProtocol
  /// Performs one step of maintenance, which takes at most a few tens of milliseconds. Called between units of work.
  /// The default implementation does nothing.
  func performMaintenance() throws
  /// Acquires the store's sync lock, which also excludes other processes.
  ///
  /// The lock is released when the returned value is released or the process ends. The default implementation always
  /// succeeds and is intended for stores that only one engine uses.
  ///
  /// - Returns: the lock, or `nil` while another owner holds it.
  func lockForSync() throws -> (any Sendable)?
  /// Returns an observer of the commits from now on, or `nil`, the default, if the store does not support observation:
  /// ``changes`` then ends immediately, and ``observe(_:)`` after the first result.
  ///
  /// - Throws: an error of the store.
  func makeObserver() throws -> (any StoreObserver)?
}

extension DataStoreFactory {
  public func performMaintenance() throws {}
  public func lockForSync() throws -> (any Sendable)? { () }
  public func makeObserver() throws -> (any StoreObserver)? { nil }
}

extension DataStoreProtocol {
  public func isAffected(by change: StoreChange) -> Bool { true }

  public func areNew(events identifiers: [CompactIdentifier]) throws -> [Bool] {
    [Bool](repeating: false, count: identifiers.count)
  }

  public func insertNew(_ event: Event, with mutation: PendingMutation) throws {
    try upsertEvent(event)
    try insertPendingMutation(mutation)
  }
}
