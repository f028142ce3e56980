public import TrendyModels

/// Committed change of a store: one save, or several saves that can no longer be told apart.
public struct StoreChange: Hashable, Sendable {
  /// Identifiers of the entities that were created, changed or deleted, by kind; `nil` if any entity may have changed.
  ///
  /// It is `nil` after a restore, an import of several megabytes, or maintenance, and if the observer was thousands of
  /// commits behind.
  public var entities: [MutationEntityType: Set<String>]?
  /// Whether sync state may have changed: pending mutations, conflicts, the cursor, or the copy of the hub's record.
  public var hasSyncState: Bool
  /// Whether the change was saved through the observed factory. `false` for other factories and other processes, and
  /// if the origin is unknown.
  public var isLocal: Bool

  /// Creates a change.
  public init(entities: [MutationEntityType: Set<String>]?, hasSyncState: Bool, isLocal: Bool) {
    self.entities = entities
    self.hasSyncState = hasSyncState
    self.isLocal = isLocal
  }
}

/// Position of one observer in the commits of a store. ``DataStoreFactory/changes`` and
/// ``DataStoreFactory/observe(_:)`` are built on it.
public protocol StoreObserver: AnyObject, Sendable {
  /// Waits for a commit after those already returned.
  ///
  /// - Returns: all such commits, oldest first, or `nil` when the task is cancelled, after which the observer has ended.
  ///   Calls must not overlap.
  /// - Throws: an error of the store.
  func nextChanges() async throws -> [StoreChange]?
  /// Returns a new unit that reads what has been saved.
  func makeDataStore() -> any DataStoreProtocol
}
