import TrendyFoundation
import TrendyModels

/// Responses of a hub that accepts every write.
enum Echo {
  static let userId = "user-1"

  static func created(_ request: CreateEventTypeRequest, at now: Date) -> APIEventType {
    APIEventType(
      id: request.id, userId: userId, name: request.name, color: request.color, icon: request.icon,
      goal: request.goal, createdAt: now, updatedAt: now, unknownFields: request.unknownFields)
  }

  static func created(_ request: CreateEventRequest, at now: Date) -> APIEvent {
    APIEvent(
      id: request.id, userId: userId, eventTypeId: request.eventTypeId, timestamp: request.timestamp,
      notes: request.notes, isAllDay: request.isAllDay, endDate: request.endDate, sourceType: request.sourceType,
      externalId: request.externalId, originalTitle: request.originalTitle, geofenceId: request.geofenceId,
      locationLatitude: request.locationLatitude, locationLongitude: request.locationLongitude,
      locationName: request.locationName, healthKitSampleId: request.healthKitSampleId,
      healthKitCategory: request.healthKitCategory, timeZone: request.timeZone, properties: request.properties,
      createdAt: now, updatedAt: now, unknownFields: request.unknownFields)
  }

  static func created(_ request: CreateGeofenceRequest, at now: Date) -> APIGeofence {
    APIGeofence(
      id: request.id, userId: userId, name: request.name, latitude: request.latitude, longitude: request.longitude,
      radius: request.radius, eventTypeEntryId: request.eventTypeEntryId, eventTypeExitId: request.eventTypeExitId,
      isActive: request.isActive, notifyOnEntry: request.notifyOnEntry, notifyOnExit: request.notifyOnExit,
      color: request.color, role: request.role, createdAt: now, updatedAt: now, unknownFields: request.unknownFields)
  }

  static func created(_ request: CreatePropertyDefinitionRequest, at now: Date) -> APIPropertyDefinition {
    APIPropertyDefinition(
      id: request.id, eventTypeId: request.eventTypeId, userId: userId, key: request.key, label: request.label,
      propertyType: request.propertyType, options: request.options, defaultValue: request.defaultValue,
      displayOrder: request.displayOrder, createdAt: now, updatedAt: now, unknownFields: request.unknownFields)
  }

  static func batch(_ requests: [CreateEventRequest], at now: Date) -> BatchCreateEventsResponse {
    BatchCreateEventsResponse(
      created: requests.map { created($0, at: now) }, total: requests.count, success: requests.count, failed: 0)
  }

  // An update contains only changed fields. The others come from the default response with this id, or are empty.

  static func updated(_ id: String, _ request: UpdateEventTypeRequest, among known: [APIEventType], at now: Date)
    -> APIEventType
  {
    var type =
      known.first { $0.id == id }.map { EventType($0) } ?? EventType(id: id, name: "", colorHex: "", iconName: "")
    type.apply(request)
    return created(type.createRequest, at: now)
  }

  static func updated(_ id: String, _ request: UpdateEventRequest, among known: [APIEvent], at now: Date) -> APIEvent {
    var event = known.first { $0.id == id }.map { Event($0) } ?? Event(id: id, eventTypeId: "", timestamp: now)
    event.apply(request)
    return created(event.createRequest, at: now)
  }

  static func updated(_ id: String, _ request: UpdateGeofenceRequest, among known: [APIGeofence], at now: Date)
    -> APIGeofence
  {
    var geofence =
      known.first { $0.id == id }.map { Geofence($0) } ?? Geofence(id: id, name: "", latitude: 0, longitude: 0)
    geofence.apply(request)
    return created(geofence.createRequest, at: now)
  }

  static func updated(
    _ id: String, _ request: UpdatePropertyDefinitionRequest, among known: [APIPropertyDefinition], at now: Date
  ) -> APIPropertyDefinition {
    var definition =
      known.first { $0.id == id }.map { PropertyDefinition($0) }
      ?? PropertyDefinition(id: id, eventTypeId: "", key: "", label: "", propertyType: .text)
    definition.apply(request)
    return created(definition.createRequest, at: now)
  }
}
