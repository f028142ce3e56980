#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

// What each operation was asked: its parameters by name, and when.
extension MockNetworkClient {
  // MARK: Event types

  public struct GetEventTypesCall: Hashable, Sendable {
    public var timestamp: Date
  }

  public struct CreateEventTypeCall: Hashable, Sendable {
    public var request: CreateEventTypeRequest
    public var timestamp: Date
  }

  public struct CreateEventTypeWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateEventTypeRequest
    public var idempotencyKey: String
    public var timestamp: Date
  }

  public struct UpdateEventTypeCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateEventTypeRequest
    public var timestamp: Date
  }

  public struct DeleteEventTypeCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date
  }

  // MARK: Events

  public struct GetEventsCall: Hashable, Sendable {
    public var limit: Int
    public var offset: Int
    public var timestamp: Date
  }

  public struct GetAllEventsCall: Hashable, Sendable {
    public var batchSize: Int
    public var timestamp: Date
  }

  public struct CreateEventCall: Hashable, Sendable {
    public var request: CreateEventRequest
    public var timestamp: Date
  }

  public struct CreateEventWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateEventRequest
    public var idempotencyKey: String
    public var timestamp: Date
  }

  public struct CreateEventsBatchCall: Hashable, Sendable {
    public var events: [CreateEventRequest]
    public var timestamp: Date
  }

  public struct UpdateEventCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateEventRequest
    public var timestamp: Date
  }

  public struct DeleteEventCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date
  }

  // MARK: Geofences

  public struct GetGeofencesCall: Hashable, Sendable {
    public var activeOnly: Bool
    public var timestamp: Date
  }

  public struct CreateGeofenceCall: Hashable, Sendable {
    public var request: CreateGeofenceRequest
    public var timestamp: Date
  }

  public struct CreateGeofenceWithIdempotencyCall: Hashable, Sendable {
    public var request: CreateGeofenceRequest
    public var idempotencyKey: String
    public var timestamp: Date
  }

  public struct UpdateGeofenceCall: Hashable, Sendable {
    public var id: String
    public var request: UpdateGeofenceRequest
    public var timestamp: Date
  }

  public struct DeleteGeofenceCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date
  }

  // MARK: Property definitions

  public struct GetPropertyDefinitionsCall: Hashable, Sendable {
    public var eventTypeId: String
    public var timestamp: Date
  }

  public struct CreatePropertyDefinitionCall: Hashable, Sendable {
    public var eventTypeId: String
    public var request: CreatePropertyDefinitionRequest
    public var timestamp: Date
  }

  public struct CreatePropertyDefinitionWithIdempotencyCall: Hashable, Sendable {
    public var request: CreatePropertyDefinitionRequest
    public var idempotencyKey: String
    public var timestamp: Date
  }

  public struct UpdatePropertyDefinitionCall: Hashable, Sendable {
    public var id: String
    public var request: UpdatePropertyDefinitionRequest
    public var timestamp: Date
  }

  public struct DeletePropertyDefinitionCall: Hashable, Sendable {
    public var id: String
    public var timestamp: Date
  }

  // MARK: Feed

  public struct GetChangesCall: Hashable, Sendable {
    public var cursor: Int64
    public var limit: Int
    public var timestamp: Date
  }

  public struct GetLatestCursorCall: Hashable, Sendable {
    public var timestamp: Date
  }
}
