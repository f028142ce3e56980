public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// The real store on a file system in memory, behind a spy that records what it is asked and throws what a test injects.
///
/// It is one unit of work, used like any other: what is upserted is seen at once by `stored…` and lost by ``rollback()``.
/// A call is recorded before an injected error is thrown; with an error set the store itself is not asked.
///
/// Where a real store leaves a parent to its caller, this one makes it: an event upserted without a type gets one named
/// "MockDefault", a property definition of a type that is not there gets it as "Placeholder".
///
/// It is not `Sendable` on purpose: see <doc:Mocking>.
public final class MockDataStore {
  /// Other units on the same store, without a spy: for a second asker, such as a recorder beside the engine.
  public private(set) var otherUnits: any DataStoreFactory
  private(set) var unit: any DataStoreProtocol
  let clock: any TimeSource
  private let makeStore: () -> any DataStoreFactory
  private var ids = UUIDv7.Generator()
  private var generator: SeededGenerator

  // MARK: Injected errors

  /// Thrown by ``save()``, which then saves nothing.
  public var throwOnSave: (any Error)?
  /// Thrown by the upserts.
  public var throwOnUpsert: (any Error)?
  /// Thrown by every delete of a row, by `deleteAll…`, and by ``deletePendingMutation(_:)``.
  public var throwOnDelete: (any Error)?
  /// Thrown by the finds and by ``hasPendingMutation(entityId:entityType:operation:)``.
  public var throwOnFind: (any Error)?
  /// Thrown by every `fetchAll…`, by the queries of events and of records, and by whatever reads or counts the queue.
  public var throwOnFetchAll: (any Error)?
  /// Thrown by ``insertPendingMutation(_:)``.
  public var throwOnInsertMutation: (any Error)?
  /// Thrown by the four `mark…Synced`.
  public var throwOnMarkSynced: (any Error)?
  /// Thrown by whatever reads or writes cursor, identity, memory, tombstones, conflicts, parked changes, and what is held or was
  /// accepted.
  public var throwOnSyncState: (any Error)?

  // MARK: Records

  public internal(set) var upsertEventCalls: [UpsertEventCall] = []
  public internal(set) var upsertEventTypeCalls: [UpsertEventTypeCall] = []
  public internal(set) var upsertGeofenceCalls: [UpsertGeofenceCall] = []
  public internal(set) var upsertPropertyDefinitionCalls: [UpsertPropertyDefinitionCall] = []
  public internal(set) var deleteEventCalls: [DeleteEventCall] = []
  public internal(set) var deleteEventTypeCalls: [DeleteEventTypeCall] = []
  public internal(set) var deleteGeofenceCalls: [DeleteGeofenceCall] = []
  public internal(set) var deletePropertyDefinitionCalls: [DeletePropertyDefinitionCall] = []
  public internal(set) var findEventCalls: [FindEventCall] = []
  public internal(set) var findEventTypeCalls: [FindEventTypeCall] = []
  public internal(set) var findGeofenceCalls: [FindGeofenceCall] = []
  public internal(set) var findPropertyDefinitionCalls: [FindPropertyDefinitionCall] = []
  public internal(set) var markEventSyncedCalls: [MarkSyncedCall] = []
  public internal(set) var markEventTypeSyncedCalls: [MarkSyncedCall] = []
  public internal(set) var markGeofenceSyncedCalls: [MarkSyncedCall] = []
  public internal(set) var markPropertyDefinitionSyncedCalls: [MarkSyncedCall] = []
  public internal(set) var insertMutationCalls: [InsertMutationCall] = []
  public internal(set) var deleteMutationCalls: [DeleteMutationCall] = []
  public internal(set) var hasPendingMutationCalls: [HasPendingMutationCall] = []

  public internal(set) var deleteAllEventsCalls = 0
  public internal(set) var deleteAllEventTypesCalls = 0
  public internal(set) var deleteAllGeofencesCalls = 0
  public internal(set) var deleteAllPropertyDefinitionsCalls = 0
  public internal(set) var fetchAllEventsCalls = 0
  public internal(set) var fetchAllEventTypesCalls = 0
  public internal(set) var fetchAllGeofencesCalls = 0
  public internal(set) var fetchAllPropertyDefinitionsCalls = 0
  /// Of ``events(in:ofType:limit:)`` and ``eventCountsByDay(in:ofType:timeZone:)``.
  public internal(set) var queryEventsCalls = 0
  /// Of ``fetchPendingMutations()`` and ``firstPendingMutations(_:)``.
  public internal(set) var fetchPendingMutationsCalls = 0
  public internal(set) var saveCalls = 0
  public internal(set) var rollbackCalls = 0

  // MARK: Making

  init(clock: any TimeSource, seed: UInt64, makeStore: @escaping () -> any DataStoreFactory) {
    self.clock = clock
    self.makeStore = makeStore
    generator = SeededGenerator(seed: seed)
    otherUnits = makeStore()
    unit = otherUnits.makeDataStore()
  }

  /// As new: an empty store, no records, no injected errors. Ids of seeded rows go on from where they were.
  public func reset() {
    otherUnits = makeStore()
    unit = otherUnits.makeDataStore()
    resetErrors()
    resetRecords()
  }

  /// The next id for a seeded row that was given none.
  func nextId() -> String {
    ids.next(at: clock.now, using: &generator).description
  }
}

/// Of one isolation, like every unit of work: who hands it to another hands over the right to touch it.
@available(*, unavailable) extension MockDataStore: Sendable {}

extension MockDataStore {
  /// A row and when it was asked for.
  public struct RowCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  public typealias UpsertEventCall = RowCall
  public typealias UpsertEventTypeCall = RowCall
  public typealias UpsertGeofenceCall = RowCall
  public typealias UpsertPropertyDefinitionCall = RowCall
  public typealias DeleteEventCall = RowCall
  public typealias DeleteEventTypeCall = RowCall
  public typealias DeleteGeofenceCall = RowCall
  public typealias DeletePropertyDefinitionCall = RowCall
  public typealias DeleteMutationCall = RowCall
  public typealias FindEventCall = RowCall
  public typealias FindEventTypeCall = RowCall
  public typealias FindGeofenceCall = RowCall
  public typealias FindPropertyDefinitionCall = RowCall
  public typealias MarkSyncedCall = RowCall

  /// Which mutation was queued, and when.
  public struct InsertMutationCall: Hashable, Sendable {
    public var mutation: PendingMutation
    public var timestamp: Date

    public init(mutation: PendingMutation, timestamp: Date) {
      self.mutation = mutation
      self.timestamp = timestamp
    }

    public var entityId: String { mutation.entityId }
    public var entityType: MutationEntityType { mutation.entityType }
    public var operation: MutationOperation { mutation.operation }
  }

  /// Which mutation was looked for, and when.
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

  /// Forgets what was asked; rows and injected errors stay. For a test that arranges by the same calls that it counts.
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
