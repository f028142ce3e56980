public import TrendyModels

extension MockNetworkClient {
  // MARK: Event types

  /// Records the call and returns the next result from ``Script/getEventTypesResponses``.
  public func getEventTypes() async throws -> [APIEventType] {
    try await answer(.getEventTypes, \.getEventTypesCalls, \.getEventTypesResponses) {
      GetEventTypesCall(timestamp: $0)
    } standing: { script, _ in
      script.eventTypesToReturn
    }
  }

  /// Records the call and returns the next result from ``Script/createEventTypeResponses``.
  public func createEventType(_ request: CreateEventTypeRequest) async throws -> APIEventType {
    try await answer(.createEventType, \.createEventTypeCalls, \.createEventTypeResponses) {
      CreateEventTypeCall(request: request, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/createEventTypeWithIdempotencyResponses``.
  public func createEventTypeWithIdempotency(_ request: CreateEventTypeRequest, idempotencyKey: String) async throws
    -> APIEventType
  {
    try await answer(
      .createEventTypeWithIdempotency, \.createEventTypeWithIdempotencyCalls, \.createEventTypeWithIdempotencyResponses
    ) {
      CreateEventTypeWithIdempotencyCall(request: request, idempotencyKey: idempotencyKey, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/updateEventTypeResponses``.
  public func updateEventType(id: String, _ request: UpdateEventTypeRequest) async throws -> APIEventType {
    try await answer(.updateEventType, \.updateEventTypeCalls, \.updateEventTypeResponses) {
      UpdateEventTypeCall(id: id, request: request, timestamp: $0)
    } standing: { script, now in
      Echo.updated(
        EventType(id: id, name: "", colorHex: "", iconName: ""), request, among: script.eventTypesToReturn, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/deleteEventTypeResponses``.
  public func deleteEventType(id: String) async throws {
    try await answer(.deleteEventType, \.deleteEventTypeCalls, \.deleteEventTypeResponses) {
      DeleteEventTypeCall(id: id, timestamp: $0)
    } standing: { _, _ in
      ()
    }
  }

  // MARK: Events

  /// Records the call and returns the next result from ``Script/getEventsResponses``.
  public func getEvents(limit: Int, offset: Int) async throws -> [APIEvent] {
    try await answer(.getEvents, \.getEventsCalls, \.getEventsResponses) {
      GetEventsCall(limit: limit, offset: offset, timestamp: $0)
    } standing: { script, _ in
      Array(script.eventsToReturn.dropFirst(max(offset, 0)).prefix(max(limit, 0)))
    }
  }

  /// Records the call and returns the next result from ``Script/getAllEventsResponses``.
  public func getAllEvents(batchSize: Int) async throws -> [APIEvent] {
    try await answer(.getAllEvents, \.getAllEventsCalls, \.getAllEventsResponses) {
      GetAllEventsCall(batchSize: batchSize, timestamp: $0)
    } standing: { script, _ in
      script.eventsToReturn
    }
  }

  /// Records the call and returns the next result from ``Script/createEventResponses``.
  public func createEvent(_ request: CreateEventRequest) async throws -> APIEvent {
    try await answer(.createEvent, \.createEventCalls, \.createEventResponses) {
      CreateEventCall(request: request, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/createEventWithIdempotencyResponses``.
  public func createEventWithIdempotency(_ request: CreateEventRequest, idempotencyKey: String) async throws -> APIEvent
  {
    try await answer(
      .createEventWithIdempotency, \.createEventWithIdempotencyCalls, \.createEventWithIdempotencyResponses
    ) {
      CreateEventWithIdempotencyCall(request: request, idempotencyKey: idempotencyKey, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/createEventsBatchResponses``.
  public func createEventsBatch(_ events: [CreateEventRequest]) async throws -> BatchCreateEventsResponse {
    try await answer(.createEventsBatch, \.createEventsBatchCalls, \.createEventsBatchResponses) {
      CreateEventsBatchCall(events: events, timestamp: $0)
    } standing: { script, now in
      script.batchCreateResponseToReturn ?? Echo.batch(events, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/updateEventResponses``.
  public func updateEvent(id: String, _ request: UpdateEventRequest) async throws -> APIEvent {
    try await answer(.updateEvent, \.updateEventCalls, \.updateEventResponses) {
      UpdateEventCall(id: id, request: request, timestamp: $0)
    } standing: { script, now in
      Echo.updated(Event(id: id, eventTypeId: "", timestamp: now), request, among: script.eventsToReturn, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/deleteEventResponses``.
  public func deleteEvent(id: String) async throws {
    try await answer(.deleteEvent, \.deleteEventCalls, \.deleteEventResponses) {
      DeleteEventCall(id: id, timestamp: $0)
    } standing: { _, _ in
      ()
    }
  }

  // MARK: Geofences

  /// Records the call and returns the next result from ``Script/getGeofencesResponses``.
  public func getGeofences(activeOnly: Bool) async throws -> [APIGeofence] {
    try await answer(.getGeofences, \.getGeofencesCalls, \.getGeofencesResponses) {
      GetGeofencesCall(activeOnly: activeOnly, timestamp: $0)
    } standing: { script, _ in
      script.geofencesToReturn.filter { $0.isActive || !activeOnly }
    }
  }

  /// Records the call and returns the next result from ``Script/createGeofenceResponses``.
  public func createGeofence(_ request: CreateGeofenceRequest) async throws -> APIGeofence {
    try await answer(.createGeofence, \.createGeofenceCalls, \.createGeofenceResponses) {
      CreateGeofenceCall(request: request, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/createGeofenceWithIdempotencyResponses``.
  public func createGeofenceWithIdempotency(_ request: CreateGeofenceRequest, idempotencyKey: String) async throws
    -> APIGeofence
  {
    try await answer(
      .createGeofenceWithIdempotency, \.createGeofenceWithIdempotencyCalls, \.createGeofenceWithIdempotencyResponses
    ) {
      CreateGeofenceWithIdempotencyCall(request: request, idempotencyKey: idempotencyKey, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/updateGeofenceResponses``.
  public func updateGeofence(id: String, _ request: UpdateGeofenceRequest) async throws -> APIGeofence {
    try await answer(.updateGeofence, \.updateGeofenceCalls, \.updateGeofenceResponses) {
      UpdateGeofenceCall(id: id, request: request, timestamp: $0)
    } standing: { script, now in
      Echo.updated(
        Geofence(id: id, name: "", latitude: 0, longitude: 0), request, among: script.geofencesToReturn, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/deleteGeofenceResponses``.
  public func deleteGeofence(id: String) async throws {
    try await answer(.deleteGeofence, \.deleteGeofenceCalls, \.deleteGeofenceResponses) {
      DeleteGeofenceCall(id: id, timestamp: $0)
    } standing: { _, _ in
      ()
    }
  }

  // MARK: Property definitions

  /// Records the call and returns the next result from ``Script/getPropertyDefinitionsResponses``.
  public func getPropertyDefinitions(eventTypeId: String) async throws -> [APIPropertyDefinition] {
    try await answer(.getPropertyDefinitions, \.getPropertyDefinitionsCalls, \.getPropertyDefinitionsResponses) {
      GetPropertyDefinitionsCall(eventTypeId: eventTypeId, timestamp: $0)
    } standing: { script, _ in
      script.propertyDefinitionsToReturn.filter { $0.eventTypeId == eventTypeId }
    }
  }

  /// Records the call and returns the next result from ``Script/createPropertyDefinitionResponses``.
  public func createPropertyDefinition(eventTypeId: String, _ request: CreatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  {
    try await answer(.createPropertyDefinition, \.createPropertyDefinitionCalls, \.createPropertyDefinitionResponses) {
      CreatePropertyDefinitionCall(eventTypeId: eventTypeId, request: request, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/createPropertyDefinitionWithIdempotencyResponses``.
  public func createPropertyDefinitionWithIdempotency(
    _ request: CreatePropertyDefinitionRequest, idempotencyKey: String
  ) async throws -> APIPropertyDefinition {
    try await answer(
      .createPropertyDefinitionWithIdempotency, \.createPropertyDefinitionWithIdempotencyCalls,
      \.createPropertyDefinitionWithIdempotencyResponses
    ) {
      CreatePropertyDefinitionWithIdempotencyCall(request: request, idempotencyKey: idempotencyKey, timestamp: $0)
    } standing: { _, now in
      Echo.created(request, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/updatePropertyDefinitionResponses``.
  public func updatePropertyDefinition(id: String, _ request: UpdatePropertyDefinitionRequest) async throws
    -> APIPropertyDefinition
  {
    try await answer(.updatePropertyDefinition, \.updatePropertyDefinitionCalls, \.updatePropertyDefinitionResponses) {
      UpdatePropertyDefinitionCall(id: id, request: request, timestamp: $0)
    } standing: { script, now in
      Echo.updated(
        PropertyDefinition(id: id, eventTypeId: "", key: "", label: "", propertyType: .text), request,
        among: script.propertyDefinitionsToReturn, at: now)
    }
  }

  /// Records the call and returns the next result from ``Script/deletePropertyDefinitionResponses``.
  public func deletePropertyDefinition(id: String) async throws {
    try await answer(.deletePropertyDefinition, \.deletePropertyDefinitionCalls, \.deletePropertyDefinitionResponses) {
      DeletePropertyDefinitionCall(id: id, timestamp: $0)
    } standing: { _, _ in
      ()
    }
  }

  // MARK: Feed

  /// Records the call and returns the next result from ``Script/getChangesResponses``.
  public func getChanges(since cursor: Int64, limit: Int) async throws -> ChangeFeedResponse {
    try await answer(.getChanges, \.getChangesCalls, \.getChangesResponses) {
      GetChangesCall(cursor: cursor, limit: limit, timestamp: $0)
    } standing: { script, _ in
      script.changeFeedResponseToReturn ?? ChangeFeedResponse(changes: [], nextCursor: cursor, hasMore: false)
    }
  }

  /// Records the call and returns the next result from ``Script/getLatestCursorResponses``.
  public func getLatestCursor() async throws -> Int64 {
    try await answer(.getLatestCursor, \.getLatestCursorCalls, \.getLatestCursorResponses) {
      GetLatestCursorCall(timestamp: $0)
    } standing: { script, _ in
      script.latestCursorToReturn
    }
  }
}
