public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// The real store on an in-memory file system, with a spy that records calls and throws injected errors.
///
/// The mock is one unit of work: upserts are visible immediately in `stored…` and discarded by ``rollback()``. Calls
/// are recorded before an injected error is thrown. If an error is thrown, the store is not called.
///
/// Unlike the real store, the mock creates missing parents: an event without a type gets a type named "MockDefault",
/// and a property definition for a missing type creates that type with the name "Placeholder".
///
/// Deliberately not `Sendable`: see <doc:Mocking>.
public final class MockDataStore {
  /// Factory for further units on the same store, without the spy, for example for a recorder beside a sync engine.
  public private(set) var otherUnits: any DataStoreFactory
  private(set) var unit: any DataStoreProtocol
  let clock: any TimeSource
  private let makeStore: () -> any DataStoreFactory
  private var ids = UUIDv7.Generator()
  private var generator: SeededGenerator

  // MARK: Injected errors

  /// Thrown by ``save()``, which then saves nothing.
  public var throwOnSave: (any Error)?
  /// Thrown by upserts.
  public var throwOnUpsert: (any Error)?
  /// Thrown by row deletions, by `deleteAll…`, and by ``deletePendingMutation(_:)``.
  public var throwOnDelete: (any Error)?
  /// Thrown by `find…` and by ``hasPendingMutation(entityId:entityType:operation:)``.
  public var throwOnFind: (any Error)?
  /// Thrown by `fetchAll…`, by queries for events and records, and by reads of the queue.
  public var throwOnFetchAll: (any Error)?
  /// Thrown by ``insertPendingMutation(_:)``.
  public var throwOnInsertMutation: (any Error)?
  /// Thrown by `mark…Synced`.
  public var throwOnMarkSynced: (any Error)?
  /// Thrown by reads and writes of cursor, identity, metadata, replica, tombstones, conflicts, parked changes and
  /// accepted mutations.
  public var throwOnSyncState: (any Error)?

  // MARK: Records

  /// Calls to `upsertEvent`, oldest first.
  public internal(set) var upsertEventCalls: [UpsertEventCall] = []
  /// Calls to `upsertEventType`, oldest first.
  public internal(set) var upsertEventTypeCalls: [UpsertEventTypeCall] = []
  /// Calls to `upsertGeofence`, oldest first.
  public internal(set) var upsertGeofenceCalls: [UpsertGeofenceCall] = []
  /// Calls to `upsertPropertyDefinition`, oldest first.
  public internal(set) var upsertPropertyDefinitionCalls: [UpsertPropertyDefinitionCall] = []
  /// Calls to `deleteEvent`, oldest first.
  public internal(set) var deleteEventCalls: [DeleteEventCall] = []
  /// Calls to `deleteEventType`, oldest first.
  public internal(set) var deleteEventTypeCalls: [DeleteEventTypeCall] = []
  /// Calls to `deleteGeofence`, oldest first.
  public internal(set) var deleteGeofenceCalls: [DeleteGeofenceCall] = []
  /// Calls to `deletePropertyDefinition`, oldest first.
  public internal(set) var deletePropertyDefinitionCalls: [DeletePropertyDefinitionCall] = []
  /// Calls to `findEvent`, oldest first.
  public internal(set) var findEventCalls: [FindEventCall] = []
  /// Calls to `findEventType`, oldest first.
  public internal(set) var findEventTypeCalls: [FindEventTypeCall] = []
  /// Calls to `findGeofence`, oldest first.
  public internal(set) var findGeofenceCalls: [FindGeofenceCall] = []
  /// Calls to `findPropertyDefinition`, oldest first.
  public internal(set) var findPropertyDefinitionCalls: [FindPropertyDefinitionCall] = []
  /// Calls to `markEventSynced`, oldest first.
  public internal(set) var markEventSyncedCalls: [MarkSyncedCall] = []
  /// Calls to `markEventTypeSynced`, oldest first.
  public internal(set) var markEventTypeSyncedCalls: [MarkSyncedCall] = []
  /// Calls to `markGeofenceSynced`, oldest first.
  public internal(set) var markGeofenceSyncedCalls: [MarkSyncedCall] = []
  /// Calls to `markPropertyDefinitionSynced`, oldest first.
  public internal(set) var markPropertyDefinitionSyncedCalls: [MarkSyncedCall] = []
  /// Calls to `insertPendingMutation`, oldest first.
  public internal(set) var insertMutationCalls: [InsertMutationCall] = []
  /// Calls to `deletePendingMutation`, oldest first.
  public internal(set) var deleteMutationCalls: [DeleteMutationCall] = []
  /// Calls to `hasPendingMutation`, oldest first.
  public internal(set) var hasPendingMutationCalls: [HasPendingMutationCall] = []

  /// Number of calls to `deleteAllEvents`.
  public internal(set) var deleteAllEventsCalls = 0
  /// Number of calls to `deleteAllEventTypes`.
  public internal(set) var deleteAllEventTypesCalls = 0
  /// Number of calls to `deleteAllGeofences`.
  public internal(set) var deleteAllGeofencesCalls = 0
  /// Number of calls to `deleteAllPropertyDefinitions`.
  public internal(set) var deleteAllPropertyDefinitionsCalls = 0
  /// Number of calls to `fetchAllEvents`.
  public internal(set) var fetchAllEventsCalls = 0
  /// Number of calls to `fetchAllEventTypes`.
  public internal(set) var fetchAllEventTypesCalls = 0
  /// Number of calls to `fetchAllGeofences`.
  public internal(set) var fetchAllGeofencesCalls = 0
  /// Number of calls to `fetchAllPropertyDefinitions`.
  public internal(set) var fetchAllPropertyDefinitionsCalls = 0
  /// Number of calls to ``events(in:ofType:limit:)`` and ``eventCountsByDay(in:ofType:timeZone:)``.
  public internal(set) var queryEventsCalls = 0
  /// Number of calls to ``fetchPendingMutations()`` and ``firstPendingMutations(_:)``.
  public internal(set) var fetchPendingMutationsCalls = 0
  /// Number of calls to ``save()``.
  public internal(set) var saveCalls = 0
  /// Number of calls to ``rollback()``.
  public internal(set) var rollbackCalls = 0

  // MARK: Lifecycle

  init(clock: any TimeSource, seed: UInt64, makeStore: @escaping () -> any DataStoreFactory) {
    self.clock = clock
    self.makeStore = makeStore
    generator = SeededGenerator(seed: seed)
    otherUnits = makeStore()
    unit = otherUnits.makeDataStore()
  }

  /// Empties the store and clears recorded calls and injected errors. Generated ids continue to increase.
  public func reset() {
    otherUnits = makeStore()
    unit = otherUnits.makeDataStore()
    resetErrors()
    resetRecords()
  }

  /// Returns an id for a row seeded without one.
  func nextId() -> String {
    ids.next(at: clock.now, using: &generator).description
  }
}

/// Belongs to one isolation domain at a time, like every unit of work.
@available(*, unavailable) extension MockDataStore: Sendable {}

extension MockDataStore {
  /// Recorded call with the id of a row.
  public struct RowCall: Hashable, Sendable {
    /// Id of the row.
    public var id: String
    /// Time of the call.
    public var timestamp: Date

    /// Creates a recorded call.
    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `upsertEvent`.
  public typealias UpsertEventCall = RowCall
  /// Recorded call to `upsertEventType`.
  public typealias UpsertEventTypeCall = RowCall
  /// Recorded call to `upsertGeofence`.
  public typealias UpsertGeofenceCall = RowCall
  /// Recorded call to `upsertPropertyDefinition`.
  public typealias UpsertPropertyDefinitionCall = RowCall
  /// Recorded call to `deleteEvent`.
  public typealias DeleteEventCall = RowCall
  /// Recorded call to `deleteEventType`.
  public typealias DeleteEventTypeCall = RowCall
  /// Recorded call to `deleteGeofence`.
  public typealias DeleteGeofenceCall = RowCall
  /// Recorded call to `deletePropertyDefinition`.
  public typealias DeletePropertyDefinitionCall = RowCall
  /// Recorded call to `deletePendingMutation`.
  public typealias DeleteMutationCall = RowCall
  /// Recorded call to `findEvent`.
  public typealias FindEventCall = RowCall
  /// Recorded call to `findEventType`.
  public typealias FindEventTypeCall = RowCall
  /// Recorded call to `findGeofence`.
  public typealias FindGeofenceCall = RowCall
  /// Recorded call to `findPropertyDefinition`.
  public typealias FindPropertyDefinitionCall = RowCall
  /// Recorded call to one of `mark…Synced`.
  public typealias MarkSyncedCall = RowCall

  /// Recorded call to `insertPendingMutation`.
  public struct InsertMutationCall: Hashable, Sendable {
    /// Mutation passed to the call.
    public var mutation: PendingMutation
    /// Time of the call.
    public var timestamp: Date

    public init(mutation: PendingMutation, timestamp: Date) {
      self.mutation = mutation
      self.timestamp = timestamp
    }

    /// Entity id of the mutation.
    public var entityId: String { mutation.entityId }
    /// Kind of the mutation's entity.
    public var entityType: MutationEntityType { mutation.entityType }
    /// Operation of the mutation.
    public var operation: MutationOperation { mutation.operation }
  }

  /// Recorded call to `hasPendingMutation`.
  public struct HasPendingMutationCall: Hashable, Sendable {
    public var entityId: String
    public var entityType: MutationEntityType
    public var operation: MutationOperation
    public var timestamp: Date

    public init(entityId: String, entityType: MutationEntityType, operation: MutationOperation, timestamp: Date) {
      self.entityId = entityId
      self.entityType = entityType
      self.operation = operation
      self.timestamp = timestamp
    }
  }

  private func resetErrors() {
    throwOnSave = nil
    throwOnUpsert = nil
    throwOnDelete = nil
    throwOnFind = nil
    throwOnFetchAll = nil
    throwOnInsertMutation = nil
    throwOnMarkSynced = nil
    throwOnSyncState = nil
  }

  /// Clears the recorded calls, but keeps rows and injected errors. Useful after a test's setup, which makes calls too.
  public func resetRecords() {
    upsertEventCalls = []
    upsertEventTypeCalls = []
    upsertGeofenceCalls = []
    upsertPropertyDefinitionCalls = []
    deleteEventCalls = []
    deleteEventTypeCalls = []
    deleteGeofenceCalls = []
    deletePropertyDefinitionCalls = []
    findEventCalls = []
    findEventTypeCalls = []
    findGeofenceCalls = []
    findPropertyDefinitionCalls = []
    markEventSyncedCalls = []
    markEventTypeSyncedCalls = []
    markGeofenceSyncedCalls = []
    markPropertyDefinitionSyncedCalls = []
    insertMutationCalls = []
    deleteMutationCalls = []
    hasPendingMutationCalls = []
    deleteAllEventsCalls = 0
    deleteAllEventTypesCalls = 0
    deleteAllGeofencesCalls = 0
    deleteAllPropertyDefinitionsCalls = 0
    fetchAllEventsCalls = 0
    fetchAllEventTypesCalls = 0
    fetchAllGeofencesCalls = 0
    fetchAllPropertyDefinitionsCalls = 0
    queryEventsCalls = 0
    fetchPendingMutationsCalls = 0
    saveCalls = 0
    rollbackCalls = 0
  }
}
