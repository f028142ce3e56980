public import TrendyFoundation
public import TrendyModels

// What each operation was asked: its parameters by name, and when.
extension MockNetworkClient {
  // MARK: Event types

  public struct GetEventTypesCall: Hashable, Sendable {
    public var timestamp: Date

    public init(timestamp: Date) {
      self.timestamp = timestamp
    }
  }

  public struct CreateEventTypeCall: Hashable, Sendable {
    public var request: CreateEventTypeRequest
    public var timestamp: Date

    public init(request: CreateEventTypeRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

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

  public struct DeleteEventTypeCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Events

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

  public struct GetAllEventsCall: Hashable, Sendable {
    public var batchSize: Int
    public var timestamp: Date

    public init(batchSize: Int, timestamp: Date) {
      self.batchSize = batchSize
      self.timestamp = timestamp
    }
  }

  public struct CreateEventCall: Hashable, Sendable {
    public var request: CreateEventRequest
    public var timestamp: Date

    public init(request: CreateEventRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

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

  public struct CreateEventsBatchCall: Hashable, Sendable {
    public var events: [CreateEventRequest]
    public var timestamp: Date

    public init(events: [CreateEventRequest], timestamp: Date) {
      self.events = events
      self.timestamp = timestamp
    }
  }

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

  public struct DeleteEventCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Geofences

  public struct GetGeofencesCall: Hashable, Sendable {
    public var activeOnly: Bool
    public var timestamp: Date

    public init(activeOnly: Bool, timestamp: Date) {
      self.activeOnly = activeOnly
      self.timestamp = timestamp
    }
  }

  public struct CreateGeofenceCall: Hashable, Sendable {
    public var request: CreateGeofenceRequest
    public var timestamp: Date

    public init(request: CreateGeofenceRequest, timestamp: Date) {
      self.request = request
      self.timestamp = timestamp
    }
  }

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

  public struct DeleteGeofenceCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Property definitions

  public struct GetPropertyDefinitionsCall: Hashable, Sendable {
    public var eventTypeId: String
    public var timestamp: Date

    public init(eventTypeId: String, timestamp: Date) {
      self.eventTypeId = eventTypeId
      self.timestamp = timestamp
    }
  }

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

  public struct DeletePropertyDefinitionCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date

    public init(id: String, timestamp: Date) {
      self.id = id
      self.timestamp = timestamp
    }
  }

  // MARK: Feed

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

  public struct GetLatestCursorCall: Hashable, Sendable {
    public var timestamp: Date

    public init(timestamp: Date) {
      self.timestamp = timestamp
    }
  }
}
