public import TrendyModels

extension MockNetworkClient {
  /// Recorded calls and scripted responses of a ``MockNetworkClient``. Each member is available as a property of the
  /// mock.
  ///
  /// `<operation>Calls` contain all calls in order, including calls that threw. `<operation>Responses` are queues: each
  /// call uses the first element. Once a queue is empty, ``errorToThrow`` and the default responses apply.
  public struct Script: Sendable {
    /// Creates an empty script.
    public init() {}

    // MARK: For all operations

    /// Called operations, oldest first.
    public var operations: [Operation] = []
    /// Error thrown by every operation whose queue is empty. Remains set until cleared.
    public var errorToThrow: (any Error)?
    /// Called during every operation, after the call is recorded and before it returns, for example to delay the call
    /// or to change the script.
    public var beforeAnswering: (@Sendable (Operation) async -> Void)?

    // MARK: Default responses, for an empty queue and no error

    /// All event types on the hub.
    public var eventTypesToReturn: [APIEventType] = []
    /// All events on the hub: returned by ``MockNetworkClient/getAllEvents(batchSize:)``, and in pages by
    /// ``MockNetworkClient/getEvents(limit:offset:)``.
    public var eventsToReturn: [APIEvent] = []
    /// All places on the hub. A request for active places returns only the active places.
    public var geofencesToReturn: [APIGeofence] = []
    /// All property definitions on the hub. A request returns the definitions of its event type.
    public var propertyDefinitionsToReturn: [APIPropertyDefinition] = []
    /// Feed page returned for every request, regardless of its cursor, or `nil` to return an empty page at the
    /// requested cursor.
    public var changeFeedResponseToReturn: ChangeFeedResponse?
    /// Response returned by ``MockNetworkClient/getLatestCursor()``.
    public var latestCursorToReturn: Int64 = 0
    /// Response to a batch, or `nil` to report every event as created.
    public var batchCreateResponseToReturn: BatchCreateEventsResponse?

    // MARK: Event types

    /// Calls to `getEventTypes`, oldest first.
    public var getEventTypesCalls: [GetEventTypesCall] = []
    /// Queued results of `getEventTypes`, one for each call.
    public var getEventTypesResponses: [Result<[APIEventType], any Error>] = []
    /// Calls to `createEventType`, oldest first.
    public var createEventTypeCalls: [CreateEventTypeCall] = []
    /// Queued results of `createEventType`, one for each call.
    public var createEventTypeResponses: [Result<APIEventType, any Error>] = []
    /// Calls to `createEventTypeWithIdempotency`, oldest first.
    public var createEventTypeWithIdempotencyCalls: [CreateEventTypeWithIdempotencyCall] = []
    /// Queued results of `createEventTypeWithIdempotency`, one for each call.
    public var createEventTypeWithIdempotencyResponses: [Result<APIEventType, any Error>] = []
    /// Calls to `updateEventType`, oldest first.
    public var updateEventTypeCalls: [UpdateEventTypeCall] = []
    /// Queued results of `updateEventType`, one for each call.
    public var updateEventTypeResponses: [Result<APIEventType, any Error>] = []
    /// Calls to `deleteEventType`, oldest first.
    public var deleteEventTypeCalls: [DeleteEventTypeCall] = []
    /// Queued results of `deleteEventType`, one for each call.
    public var deleteEventTypeResponses: [Result<Void, any Error>] = []

    // MARK: Events

    /// Calls to `getEvents`, oldest first.
    public var getEventsCalls: [GetEventsCall] = []
    /// Queued results of `getEvents`, one for each call.
    public var getEventsResponses: [Result<[APIEvent], any Error>] = []
    /// Calls to `getAllEvents`, oldest first.
    public var getAllEventsCalls: [GetAllEventsCall] = []
    /// Queued results of `getAllEvents`, one for each call.
    public var getAllEventsResponses: [Result<[APIEvent], any Error>] = []
    /// Calls to `createEvent`, oldest first.
    public var createEventCalls: [CreateEventCall] = []
    /// Queued results of `createEvent`, one for each call.
    public var createEventResponses: [Result<APIEvent, any Error>] = []
    /// Calls to `createEventWithIdempotency`, oldest first.
    public var createEventWithIdempotencyCalls: [CreateEventWithIdempotencyCall] = []
    /// Queued results of `createEventWithIdempotency`, one for each call.
    public var createEventWithIdempotencyResponses: [Result<APIEvent, any Error>] = []
    /// Calls to `createEventsBatch`, oldest first.
    public var createEventsBatchCalls: [CreateEventsBatchCall] = []
    /// Queued results of `createEventsBatch`, one for each call.
    public var createEventsBatchResponses: [Result<BatchCreateEventsResponse, any Error>] = []
    /// Calls to `updateEvent`, oldest first.
    public var updateEventCalls: [UpdateEventCall] = []
    /// Queued results of `updateEvent`, one for each call.
    public var updateEventResponses: [Result<APIEvent, any Error>] = []
    /// Calls to `deleteEvent`, oldest first.
    public var deleteEventCalls: [DeleteEventCall] = []
    /// Queued results of `deleteEvent`, one for each call.
    public var deleteEventResponses: [Result<Void, any Error>] = []

    // MARK: Geofences

    /// Calls to `getGeofences`, oldest first.
    public var getGeofencesCalls: [GetGeofencesCall] = []
    /// Queued results of `getGeofences`, one for each call.
    public var getGeofencesResponses: [Result<[APIGeofence], any Error>] = []
    /// Calls to `createGeofence`, oldest first.
    public var createGeofenceCalls: [CreateGeofenceCall] = []
    /// Queued results of `createGeofence`, one for each call.
    public var createGeofenceResponses: [Result<APIGeofence, any Error>] = []
    /// Calls to `createGeofenceWithIdempotency`, oldest first.
    public var createGeofenceWithIdempotencyCalls: [CreateGeofenceWithIdempotencyCall] = []
    /// Queued results of `createGeofenceWithIdempotency`, one for each call.
    public var createGeofenceWithIdempotencyResponses: [Result<APIGeofence, any Error>] = []
    /// Calls to `updateGeofence`, oldest first.
    public var updateGeofenceCalls: [UpdateGeofenceCall] = []
    /// Queued results of `updateGeofence`, one for each call.
    public var updateGeofenceResponses: [Result<APIGeofence, any Error>] = []
    /// Calls to `deleteGeofence`, oldest first.
    public var deleteGeofenceCalls: [DeleteGeofenceCall] = []
    /// Queued results of `deleteGeofence`, one for each call.
    public var deleteGeofenceResponses: [Result<Void, any Error>] = []

    // MARK: Property definitions

    /// Calls to `getPropertyDefinitions`, oldest first.
    public var getPropertyDefinitionsCalls: [GetPropertyDefinitionsCall] = []
    /// Queued results of `getPropertyDefinitions`, one for each call.
    public var getPropertyDefinitionsResponses: [Result<[APIPropertyDefinition], any Error>] = []
    /// Calls to `createPropertyDefinition`, oldest first.
    public var createPropertyDefinitionCalls: [CreatePropertyDefinitionCall] = []
    /// Queued results of `createPropertyDefinition`, one for each call.
    public var createPropertyDefinitionResponses: [Result<APIPropertyDefinition, any Error>] = []
    /// Calls to `createPropertyDefinitionWithIdempotency`, oldest first.
    public var createPropertyDefinitionWithIdempotencyCalls: [CreatePropertyDefinitionWithIdempotencyCall] = []
    /// Queued results of `createPropertyDefinitionWithIdempotency`, one for each call.
    public var createPropertyDefinitionWithIdempotencyResponses: [Result<APIPropertyDefinition, any Error>] = []
    /// Calls to `updatePropertyDefinition`, oldest first.
    public var updatePropertyDefinitionCalls: [UpdatePropertyDefinitionCall] = []
    /// Queued results of `updatePropertyDefinition`, one for each call.
    public var updatePropertyDefinitionResponses: [Result<APIPropertyDefinition, any Error>] = []
    /// Calls to `deletePropertyDefinition`, oldest first.
    public var deletePropertyDefinitionCalls: [DeletePropertyDefinitionCall] = []
    /// Queued results of `deletePropertyDefinition`, one for each call.
    public var deletePropertyDefinitionResponses: [Result<Void, any Error>] = []

    // MARK: Feed

    /// Calls to `getChanges`, oldest first.
    public var getChangesCalls: [GetChangesCall] = []
    /// Queued results of `getChanges`, one for each call.
    public var getChangesResponses: [Result<ChangeFeedResponse, any Error>] = []
    /// Calls to `getLatestCursor`, oldest first.
    public var getLatestCursorCalls: [GetLatestCursorCall] = []
    /// Queued results of `getLatestCursor`, one for each call.
    public var getLatestCursorResponses: [Result<Int64, any Error>] = []
  }

  /// The 24 basic operations of a hub.
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
