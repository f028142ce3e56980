public import TrendyModels

/// Requests that a device sends to its hub.
///
/// The first 24 operations must be implemented. The remaining operations have default implementations that call the
/// first 24, which keeps test doubles small. A client for a Trendy hub implements every operation directly.
///
/// All operations throw `APIError`, or `CancellationError` when the task is cancelled. After a `networkError` or a
/// timeout, the hub may have executed the request, so retry the request with the same idempotency key.
public protocol NetworkClientProtocol: Sendable {
  // MARK: Event types

  /// Returns all event types in unspecified order.
  func getEventTypes() async throws -> [APIEventType]
  /// Creates an event type and returns it as stored.
  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType
  /// Creates an event type once per key. A repeated request returns the first response.
  func createEventTypeWithIdempotency(_ request: CreateEventTypeRequest, idempotencyKey: String) async throws
    -> APIEventType
  /// Changes the fields in the request and returns the event type.
  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType
  /// Deletes an event type with its events and property definitions. A missing event type is not an error.
  func deleteEventType(id: String) async throws

  // MARK: Events

  /// Returns one page of events, newest first. `limit` is 1 to 1,000.
  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent]
  /// Returns all events, fetching `batchSize` at a time. No event may be missing or duplicated because of concurrent
  /// writes.
  func getAllEvents(batchSize: Int) async throws -> [APIEvent]
  /// Creates an event and returns it as stored.
  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent
  /// Creates an event once per key. A repeated request returns the first response.
  func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent
  /// Creates up to 500 events. Failed events are reported by their index in the request.
  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse
  /// Changes the fields in the request and returns the event.
  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent
  /// Deletes an event. A missing event is not an error.
  func deleteEvent(id: String) async throws

  // MARK: Geofences

  /// Returns all geofences, or only the active geofences, in unspecified order.
  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence]
  /// Creates a geofence and returns it as stored.
  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence
  /// Creates a geofence once per key. A repeated request returns the first response.
  func createGeofenceWithIdempotency(_ request: CreateGeofenceRequest, idempotencyKey: String) async throws
    -> APIGeofence
  /// Changes the fields in the request and returns the geofence.
  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence
  /// Deletes a geofence. A missing geofence is not an error.
  func deleteGeofence(id: String) async throws

  // MARK: Property definitions

  /// Returns the property definitions of one event type in unspecified order.
  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition]
  /// Creates a property definition and returns it as stored.
  func createPropertyDefinition(eventTypeId: String, _ request: CreatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  /// Creates a property definition once per key. A repeated request returns the first response.
  func createPropertyDefinitionWithIdempotency(_ request: CreatePropertyDefinitionRequest, idempotencyKey: String)
    async throws -> APIPropertyDefinition
  /// Changes the fields in the request and returns the property definition.
  func updatePropertyDefinition(id: String, _ request: UpdatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  /// Deletes a property definition. A missing definition is not an error.
  func deletePropertyDefinition(id: String) async throws

  // MARK: Feed

  /// Returns the feed entries after `cursor`, ordered by version. `limit` is 1 to 500.
  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse
  /// Returns the version of the last write.
  func getLatestCursor() async throws -> Int64

  // MARK: With defaults

  /// Returns normally if the hub responds and accepts this device's token. The default implementation requests the
  /// event types.
  func checkHealth() async throws

  /// Sends mutations of any kind in order and returns one outcome for each, in the same order.
  ///
  /// The default implementation sends consecutive event creations in batches of up to 50, and every other mutation in a
  /// separate request, with its idempotency key if it is a create. A failure becomes the outcome of the mutation that
  /// it affected. After a transient failure, the remaining mutations are `.tryLater`. Throws only errors that do not
  /// concern a single mutation.
  func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome]

  /// Returns all entities as of one cursor.
  ///
  /// The default implementation requests the cursor before the lists. A write made in between is in the lists and also
  /// in the feed after the cursor, so no write is missed.
  func snapshot() async throws -> Snapshot

  /// Returns a stream that yields the feed's head whenever it changes, until cancelled. A signal is only a hint, so
  /// read the data with ``getChanges(since:limit:)``. The default implementation's stream ends immediately.
  func changeSignals() -> AsyncThrowingStream<Int64, any Error>

  // MARK: With defaults, complete only with a Trendy hub

  /// Sends mutations with the device's position, and returns the outcomes with the hub's position, if the hub sends it.
  /// The default implementation sends only the mutations.
  ///
  /// - Throws: an `APIError` with type `log_reset` if the hub never issued the device's position.
  func push(_ batch: PushBatch) async throws -> PushBatchResult

  /// Returns the feed page for a request. The default implementation calls ``getChanges(since:limit:)``.
  ///
  /// - Throws: an `APIError` with type `log_reset` or `device_forked`, or with status 410 if the cursor is too old.
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse

  /// Returns all entities on the hub, including versions and tombstones if the hub has them. The default implementation
  /// calls ``snapshot()``.
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer

  /// Returns one part of a snapshot, so that neither side needs the complete snapshot in memory. The default
  /// implementation returns the complete snapshot as one part.
  func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart
}
