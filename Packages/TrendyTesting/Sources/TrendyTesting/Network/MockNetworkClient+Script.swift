public import TrendyModels

extension MockNetworkClient {
  /// Everything a ``MockNetworkClient`` was asked and is to answer; each member is a property of the mock itself.
  ///
  /// `<operation>Calls` are recorded in the order the calls arrive, those that throw included. `<operation>Responses` are
  /// queues: each call takes the first; an empty queue leaves the answer to ``errorToThrow`` and the standing answers.
  public struct Script: Sendable {
    public init() {}

    // MARK: For all operations

    /// Every call, over all operations, in the order they arrived.
    public var operations: [Operation] = []
    /// Thrown by every operation whose queue is empty; nothing else stops it from being thrown again.
    public var errorToThrow: (any Error)?
    /// Runs in every call after it was recorded and before it is answered: to hold a call in flight, or to let something
    /// happen meanwhile.
    public var beforeAnswering: (@Sendable (Operation) async -> Void)?

    // MARK: Standing answers, when the queue is empty and no error is set

    /// What the hub has: for ``MockNetworkClient/getEventTypes()``.
    public var eventTypesToReturn: [APIEventType] = []
    /// What the hub has: whole for ``MockNetworkClient/getAllEvents(batchSize:)``, a page of it for
    /// ``MockNetworkClient/getEvents(limit:offset:)``.
    public var eventsToReturn: [APIEvent] = []
    /// What the hub has: those that are active when only those are asked for.
    public var geofencesToReturn: [APIGeofence] = []
    /// What the hub has: those of the event type that is asked for.
    public var propertyDefinitionsToReturn: [APIPropertyDefinition] = []
    /// The same page to every question, whatever the cursor; `nil` is an empty page at the cursor asked.
    public var changeFeedResponseToReturn: ChangeFeedResponse?
    public var latestCursorToReturn: Int64 = 0
    /// `nil` makes every event of the batch.
    public var batchCreateResponseToReturn: BatchCreateEventsResponse?

    // MARK: Event types

    public var getEventTypesCalls: [GetEventTypesCall] = []
    public var getEventTypesResponses: [Result<[APIEventType], any Error>] = []
    public var createEventTypeCalls: [CreateEventTypeCall] = []
    public var createEventTypeResponses: [Result<APIEventType, any Error>] = []
    public var createEventTypeWithIdempotencyCalls: [CreateEventTypeWithIdempotencyCall] = []
    public var createEventTypeWithIdempotencyResponses: [Result<APIEventType, any Error>] = []
    public var updateEventTypeCalls: [UpdateEventTypeCall] = []
    public var updateEventTypeResponses: [Result<APIEventType, any Error>] = []
    public var deleteEventTypeCalls: [DeleteEventTypeCall] = []
    public var deleteEventTypeResponses: [Result<Void, any Error>] = []

    // MARK: Events

    public var getEventsCalls: [GetEventsCall] = []
    public var getEventsResponses: [Result<[APIEvent], any Error>] = []
    public var getAllEventsCalls: [GetAllEventsCall] = []
    public var getAllEventsResponses: [Result<[APIEvent], any Error>] = []
    public var createEventCalls: [CreateEventCall] = []
    public var createEventResponses: [Result<APIEvent, any Error>] = []
    public var createEventWithIdempotencyCalls: [CreateEventWithIdempotencyCall] = []
    public var createEventWithIdempotencyResponses: [Result<APIEvent, any Error>] = []
    public var createEventsBatchCalls: [CreateEventsBatchCall] = []
    public var createEventsBatchResponses: [Result<BatchCreateEventsResponse, any Error>] = []
    public var updateEventCalls: [UpdateEventCall] = []
    public var updateEventResponses: [Result<APIEvent, any Error>] = []
    public var deleteEventCalls: [DeleteEventCall] = []
    public var deleteEventResponses: [Result<Void, any Error>] = []

    // MARK: Geofences

    public var getGeofencesCalls: [GetGeofencesCall] = []
    public var getGeofencesResponses: [Result<[APIGeofence], any Error>] = []
    public var createGeofenceCalls: [CreateGeofenceCall] = []
    public var createGeofenceResponses: [Result<APIGeofence, any Error>] = []
    public var createGeofenceWithIdempotencyCalls: [CreateGeofenceWithIdempotencyCall] = []
    public var createGeofenceWithIdempotencyResponses: [Result<APIGeofence, any Error>] = []
    public var updateGeofenceCalls: [UpdateGeofenceCall] = []
    public var updateGeofenceResponses: [Result<APIGeofence, any Error>] = []
    public var deleteGeofenceCalls: [DeleteGeofenceCall] = []
    public var deleteGeofenceResponses: [Result<Void, any Error>] = []

    // MARK: Property definitions

    public var getPropertyDefinitionsCalls: [GetPropertyDefinitionsCall] = []
    public var getPropertyDefinitionsResponses: [Result<[APIPropertyDefinition], any Error>] = []
    public var createPropertyDefinitionCalls: [CreatePropertyDefinitionCall] = []
    public var createPropertyDefinitionResponses: [Result<APIPropertyDefinition, any Error>] = []
    public var createPropertyDefinitionWithIdempotencyCalls: [CreatePropertyDefinitionWithIdempotencyCall] = []
    public var createPropertyDefinitionWithIdempotencyResponses: [Result<APIPropertyDefinition, any Error>] = []
    public var updatePropertyDefinitionCalls: [UpdatePropertyDefinitionCall] = []
    public var updatePropertyDefinitionResponses: [Result<APIPropertyDefinition, any Error>] = []
    public var deletePropertyDefinitionCalls: [DeletePropertyDefinitionCall] = []
    public var deletePropertyDefinitionResponses: [Result<Void, any Error>] = []

    // MARK: Feed

    public var getChangesCalls: [GetChangesCall] = []
    public var getChangesResponses: [Result<ChangeFeedResponse, any Error>] = []
    public var getLatestCursorCalls: [GetLatestCursorCall] = []
    public var getLatestCursorResponses: [Result<Int64, any Error>] = []
  }

  /// The 24 operations that a hub answers.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case getEventTypes
    case createEventType
    case createEventTypeWithIdempotency
    case updateEventType
    case deleteEventType
    case getEvents
    case getAllEvents
    case createEvent
    case createEventWithIdempotency
    case createEventsBatch
    case updateEvent
    case deleteEvent
    case getGeofences
    case createGeofence
    case createGeofenceWithIdempotency
    case updateGeofence
    case deleteGeofence
    case getPropertyDefinitions
    case createPropertyDefinition
    case createPropertyDefinitionWithIdempotency
    case updatePropertyDefinition
    case deletePropertyDefinition
    case getChanges
    case getLatestCursor
  }
}
