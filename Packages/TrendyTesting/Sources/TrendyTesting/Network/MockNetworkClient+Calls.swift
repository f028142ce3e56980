public import TrendyFoundation
public import TrendyModels

// MARK: Recorded calls
extension MockNetworkClient {
  // MARK: Event types

  /// Recorded call to `getEventTypes`.
  public struct GetEventTypesCall: Hashable, Sendable {
    public var timestamp: Date

    public init(timestamp: Date) {
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createEventType`.
  public struct CreateEventTypeCall: Hashable, Sendable {
    public var request: CreateEventTypeRequest
    public var timestamp: Date

    public init(request: CreateEventTypeRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createEventTypeWithIdempotency`.
  public struct CreateEventTypeWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateEventTypeRequest
    public var idempotencyKey: String
    public var timestamp: Date

    public init(request: CreateEventTypeRequest, idempotencyKey: String, timestamp: Date) {
      self.request = request
      self.idempotencyKey = idempotencyKey
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `updateEventType`.
  public struct UpdateEventTypeCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateEventTypeRequest
    public var timestamp: Date

    public init(id: String, request: UpdateEventTypeRequest, timestamp: Date) {
      self.id = id
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `deleteEventType`.
  public struct DeleteEventTypeCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Events

  /// Recorded call to `getEvents`.
  public struct GetEventsCall: Hashable, Sendable {
    public var limit: Int
    public var offset: Int
    public var timestamp: Date

    public init(limit: Int, offset: Int, timestamp: Date) {
      self.limit = limit
      self.offset = offset
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `getAllEvents`.
  public struct GetAllEventsCall: Hashable, Sendable {
    public var batchSize: Int
    public var timestamp: Date

    public init(batchSize: Int, timestamp: Date) {
      self.batchSize = batchSize
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createEvent`.
  public struct CreateEventCall: Hashable, Sendable {
    public var request: CreateEventRequest
    public var timestamp: Date

    public init(request: CreateEventRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createEventWithIdempotency`.
  public struct CreateEventWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateEventRequest
    public var idempotencyKey: String
    public var timestamp: Date

    public init(request: CreateEventRequest, idempotencyKey: String, timestamp: Date) {
      self.request = request
      self.idempotencyKey = idempotencyKey
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createEventsBatch`.
  public struct CreateEventsBatchCall: Hashable, Sendable {
    public var events: [CreateEventRequest]
    public var timestamp: Date

    public init(events: [CreateEventRequest], timestamp: Date) {
      self.events = events
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `updateEvent`.
  public struct UpdateEventCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateEventRequest
    public var timestamp: Date

    public init(id: String, request: UpdateEventRequest, timestamp: Date) {
      self.id = id
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `deleteEvent`.
  public struct DeleteEventCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Geofences

  /// Recorded call to `getGeofences`.
  public struct GetGeofencesCall: Hashable, Sendable {
    public var activeOnly: Bool
    public var timestamp: Date

    public init(activeOnly: Bool, timestamp: Date) {
      self.activeOnly = activeOnly
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createGeofence`.
  public struct CreateGeofenceCall: Hashable, Sendable {
    public var request: CreateGeofenceRequest
    public var timestamp: Date

    public init(request: CreateGeofenceRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createGeofenceWithIdempotency`.
  public struct CreateGeofenceWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateGeofenceRequest
    public var idempotencyKey: String
    public var timestamp: Date

    public init(request: CreateGeofenceRequest, idempotencyKey: String, timestamp: Date) {
      self.request = request
      self.idempotencyKey = idempotencyKey
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `updateGeofence`.
  public struct UpdateGeofenceCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateGeofenceRequest
    public var timestamp: Date

    public init(id: String, request: UpdateGeofenceRequest, timestamp: Date) {
      self.id = id
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `deleteGeofence`.
  public struct DeleteGeofenceCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Property definitions

  /// Recorded call to `getPropertyDefinitions`.
  public struct GetPropertyDefinitionsCall: Hashable, Sendable {
    public var eventTypeId: String
    public var timestamp: Date

    public init(eventTypeId: String, timestamp: Date) {
      self.eventTypeId = eventTypeId
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createPropertyDefinition`.
  public struct CreatePropertyDefinitionCall: Hashable, Sendable {
    public var eventTypeId: String
    public var request: CreatePropertyDefinitionRequest
    public var timestamp: Date

    public init(eventTypeId: String, request: CreatePropertyDefinitionRequest, timestamp: Date) {
      self.eventTypeId = eventTypeId
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `createPropertyDefinitionWithIdempotency`.
  public struct CreatePropertyDefinitionWithIdempotencyCall: Hashable, Sendable {
    public var request: CreatePropertyDefinitionRequest
    public var idempotencyKey: String
    public var timestamp: Date

    public init(request: CreatePropertyDefinitionRequest, idempotencyKey: String, timestamp: Date) {
      self.request = request
      self.idempotencyKey = idempotencyKey
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `updatePropertyDefinition`.
  public struct UpdatePropertyDefinitionCall: Hashable, Sendable {
    public var id: String
    public var request: UpdatePropertyDefinitionRequest
    public var timestamp: Date

    public init(id: String, request: UpdatePropertyDefinitionRequest, timestamp: Date) {
      self.id = id
      self.request = request
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `deletePropertyDefinition`.
  public struct DeletePropertyDefinitionCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Feed

  /// Recorded call to `getChanges`.
  public struct GetChangesCall: Hashable, Sendable {
    public var cursor: Int64
    public var limit: Int
    public var timestamp: Date

    public init(cursor: Int64, limit: Int, timestamp: Date) {
      self.cursor = cursor
      self.limit = limit
      self.timestamp = timestamp
    }
  }

  /// Recorded call to `getLatestCursor`.
  public struct GetLatestCursorCall: Hashable, Sendable {
    public var timestamp: Date

    public init(timestamp: Date) {
      self.timestamp = timestamp
    }
  }
}
