public import TrendyModels

/// What a device asks of its hub.
///
/// The first 24 operations are an implementer's to write; the others have defaults written in terms of them, so that a
/// double stays small, and a client that talks to a Trendy hub does better by its own.
///
/// Every operation throws `APIError`, or `CancellationError` when its task is cancelled. One that throws a
/// `networkError` or `timedOut` may have had its effect: it is asked again with the same idempotency key.
public protocol NetworkClientProtocol: Sendable {
  // MARK: Event types

  /// All of them, in no order that means anything.
  func getEventTypes() async throws -> [APIEventType]
  func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType
  /// The same key twice has one effect and the same answer.
  func createEventTypeWithIdempotency(_ request: CreateEventTypeRequest, idempotencyKey: String) async throws
    -> APIEventType
  func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType
  /// Takes its events and property definitions along. What is not there is deleted: no error.
  func deleteEventType(id: String) async throws

  // MARK: Events

  /// One page, newest first. `limit` is 1 to 1,000.
  func getEvents(limit: Int, offset: Int) async throws -> [APIEvent]
  /// Every event, fetched `batchSize` at a time. Must neither skip nor double a row when others write meanwhile.
  func getAllEvents(batchSize: Int) async throws -> [APIEvent]
  func createEvent(_ request: CreateEventRequest) async throws -> APIEvent
  /// The same key twice has one effect and the same answer.
  func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent
  /// At most 500; an outcome for each, the failed ones by their place in the request.
  func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse
  func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent
  /// What is not there is deleted: no error.
  func deleteEvent(id: String) async throws

  // MARK: Geofences

  func getGeofences(activeOnly: Bool) async throws -> [APIGeofence]
  func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence
  /// The same key twice has one effect and the same answer.
  func createGeofenceWithIdempotency(_ request: CreateGeofenceRequest, idempotencyKey: String) async throws
    -> APIGeofence
  func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence
  /// What is not there is deleted: no error.
  func deleteGeofence(id: String) async throws

  // MARK: Property definitions

  func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition]
  func createPropertyDefinition(eventTypeId: String, _ request: CreatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  /// The same key twice has one effect and the same answer.
  func createPropertyDefinitionWithIdempotency(_ request: CreatePropertyDefinitionRequest, idempotencyKey: String)
    async throws -> APIPropertyDefinition
  func updatePropertyDefinition(id: String, _ request: UpdatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  /// What is not there is deleted: no error.
  func deletePropertyDefinition(id: String) async throws

  // MARK: Feed

  /// What changed after `cursor`, by version. `limit` is 1 to 500.
  func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse
  /// The version of the last write.
  func getLatestCursor() async throws -> Int64

  // MARK: With defaults

  /// Says, by returning, that the hub answers and takes this device's token. The default asks for the event types.
  func checkHealth() async throws

  /// Sends mutations of any kind in their order; returns as many outcomes, in that order.
  ///
  /// By default creates of events that stand together go in batches of at most 50, even a single one, and every other
  /// mutation in a call of its own, creates with their idempotency key. A failure is the outcome of the mutation it met;
  /// after a transient one the rest are `.tryLater`. Throws only what says nothing of any one mutation.
  func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome]

  /// Everything there is, as of one cursor. The default takes the cursor first and then the lists: what is written
  /// between is in both the lists and the feed after the cursor, and nothing falls between.
  func snapshot() async throws -> Snapshot

  /// The feed's head, each time it moves, until cancelled. A hint: data always comes by ``getChanges(since:limit:)``.
  /// The default ends at once.
  func changeSignals() -> AsyncThrowingStream<Int64, any Error>

  // MARK: With defaults: what only a Trendy hub answers in full

  /// As ``push(_:)``, with what the device says of itself, and with where the hub stands, where it says so. The default is
  /// ``push(_:)``.
  /// - Throws: an `APIError` of type `log_reset` for a hub that never gave the device's position.
  func push(_ batch: PushBatch) async throws -> PushAnswer

  /// As ``getChanges(since:limit:)``, which is the default.
  /// - Throws: an `APIError` of type `log_reset` or `device_forked`, or of status 410 for a cursor that is too old.
  func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse

  /// Everything the hub has, with versions and tombstones where it has them. The default is ``snapshot()``.
  func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer

  /// A part of the above, so that neither side ever has all of it at once. The default is ``snapshot(for:)``, whole.
  func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart
}
