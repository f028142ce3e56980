public import TrendyFoundation
public import TrendyModels

/// Wire values with a default for every field, so that a test specifies only the fields that matter to it.
///
/// Dates default to 2024-01-01T00:00:00Z. The default ids match: an event refers to the type `type-1`. A test that
/// needs the type must create it.
public enum APIModelFixture: Sendable {
  static let date = DeterministicDate.jan1_2024

  // MARK: Event types

  /// Creates an event type.
  public static func makeAPIEventType(
    id: String = "type-1", userId: String = "user-1", name: String = "Workout", color: String = "#FF5733",
    icon: String = "figure.run"
  ) -> APIEventType {
    APIEventType(id: id, userId: userId, name: name, color: color, icon: icon, createdAt: date, updatedAt: date)
  }

  /// Creates a request for a new event type.
  public static func makeCreateEventTypeRequest(
    id: String = "type-1", name: String = "Workout", color: String = "#FF5733", icon: String = "figure.run"
  ) -> CreateEventTypeRequest {
    CreateEventTypeRequest(id: id, name: name, color: color, icon: icon)
  }

  /// Creates an update that changes only the given fields.
  public static func makeUpdateEventTypeRequest(name: String? = nil, color: String? = nil, icon: String? = nil)
    -> UpdateEventTypeRequest
  {
    UpdateEventTypeRequest(name: name, color: color, icon: icon)
  }

  // MARK: Events

  /// Creates an event.
  public static func makeAPIEvent(
    id: String = "evt-1", userId: String = "user-1", eventTypeId: String = "type-1",
    timestamp: Date = DeterministicDate.jan1_2024, notes: String? = "Test event", isAllDay: Bool = false,
    endDate: Date? = nil, sourceType: String = "manual", externalId: String? = nil, originalTitle: String? = nil,
    geofenceId: String? = nil, locationLatitude: Double? = nil, locationLongitude: Double? = nil,
    locationName: String? = nil, healthKitSampleId: String? = nil, healthKitCategory: String? = nil,
    timeZone: String? = nil, properties: [String: APIPropertyValue]? = nil, eventType: APIEventType? = nil
  ) -> APIEvent {
    APIEvent(
      id: id, userId: userId, eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay,
      endDate: endDate, sourceType: sourceType, externalId: externalId, originalTitle: originalTitle,
      geofenceId: geofenceId, locationLatitude: locationLatitude, locationLongitude: locationLongitude,
      locationName: locationName, healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory,
      timeZone: timeZone, properties: properties, createdAt: date, updatedAt: date, eventType: eventType)
  }

  /// Creates a request for a new event.
  public static func makeCreateEventRequest(
    id: String = "evt-1", eventTypeId: String = "type-1", timestamp: Date = DeterministicDate.jan1_2024,
    notes: String? = "Test event", isAllDay: Bool = false, endDate: Date? = nil, sourceType: String = "manual",
    externalId: String? = nil, originalTitle: String? = nil, geofenceId: String? = nil,
    locationLatitude: Double? = nil, locationLongitude: Double? = nil, locationName: String? = nil,
    healthKitSampleId: String? = nil, healthKitCategory: String? = nil, timeZone: String? = nil,
    properties: [String: APIPropertyValue] = [:]
  ) -> CreateEventRequest {
    CreateEventRequest(
      id: id, eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay, endDate: endDate,
      sourceType: sourceType, externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, timeZone: timeZone,
      properties: properties)
  }

  /// Creates an update that changes only the given fields.
  public static func makeUpdateEventRequest(
    eventTypeId: String? = nil, timestamp: Date? = nil, notes: Patch<String> = .absent, isAllDay: Bool? = nil,
    endDate: Patch<Date> = .absent, sourceType: String? = nil, externalId: Patch<String> = .absent,
    originalTitle: Patch<String> = .absent, geofenceId: Patch<String> = .absent,
    locationLatitude: Patch<Double> = .absent, locationLongitude: Patch<Double> = .absent,
    locationName: Patch<String> = .absent, healthKitSampleId: Patch<String> = .absent,
    healthKitCategory: Patch<String> = .absent, timeZone: Patch<String> = .absent,
    properties: [String: APIPropertyValue?]? = nil
  ) -> UpdateEventRequest {
    UpdateEventRequest(
      eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay, endDate: endDate,
      sourceType: sourceType, externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, timeZone: timeZone,
      properties: properties)
  }

  // MARK: Geofences

  /// Creates a place; `radius` is in metres.
  public static func makeAPIGeofence(
    id: String = "geo-1", userId: String = "user-1", name: String = "Home", latitude: Double = 37.7749,
    longitude: Double = -122.4194, radius: Double = 100, eventTypeEntryId: String? = nil,
    eventTypeExitId: String? = nil, isActive: Bool = true, notifyOnEntry: Bool = true, notifyOnExit: Bool = false
  ) -> APIGeofence {
    APIGeofence(
      id: id, userId: userId, name: name, latitude: latitude, longitude: longitude, radius: radius,
      eventTypeEntryId: eventTypeEntryId, eventTypeExitId: eventTypeExitId, isActive: isActive,
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit, createdAt: date, updatedAt: date)
  }

  /// Creates a request for a new place; `radius` is in metres.
  public static func makeCreateGeofenceRequest(
    id: String = "geo-1", name: String = "Test Geofence", latitude: Double = 37.7749, longitude: Double = -122.4194,
    radius: Double = 100, eventTypeEntryId: String? = nil, eventTypeExitId: String? = nil, isActive: Bool = true,
    notifyOnEntry: Bool = true, notifyOnExit: Bool = false
  ) -> CreateGeofenceRequest {
    CreateGeofenceRequest(
      id: id, name: name, latitude: latitude, longitude: longitude, radius: radius,
      eventTypeEntryId: eventTypeEntryId, eventTypeExitId: eventTypeExitId, isActive: isActive,
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit)
  }

  /// Creates an update that changes only the given fields.
  public static func makeUpdateGeofenceRequest(
    name: String? = nil, latitude: Double? = nil, longitude: Double? = nil, radius: Double? = nil,
    eventTypeEntryId: Patch<String> = .absent, eventTypeExitId: Patch<String> = .absent, isActive: Bool? = nil,
    notifyOnEntry: Bool? = nil, notifyOnExit: Bool? = nil
  ) -> UpdateGeofenceRequest {
    UpdateGeofenceRequest(
      name: name, latitude: latitude, longitude: longitude, radius: radius, eventTypeEntryId: eventTypeEntryId,
      eventTypeExitId: eventTypeExitId, isActive: isActive, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit)
  }

  // MARK: Property definitions

  /// Creates a property definition.
  public static func makeAPIPropertyDefinition(
    id: String = "propdef-1", eventTypeId: String = "type-1", userId: String = "user-1", key: String = "duration",
    label: String = "Duration", propertyType: String = "number", options: [String]? = nil, displayOrder: Int = 0
  ) -> APIPropertyDefinition {
    APIPropertyDefinition(
      id: id, eventTypeId: eventTypeId, userId: userId, key: key, label: label, propertyType: propertyType,
      options: options, displayOrder: displayOrder, createdAt: date, updatedAt: date)
  }

  /// Creates a request for a new property definition.
  public static func makeCreatePropertyDefinitionRequest(
    id: String = "propdef-1", eventTypeId: String = "type-1", key: String = "duration", label: String = "Duration",
    propertyType: String = "number", options: [String]? = nil, displayOrder: Int = 0
  ) -> CreatePropertyDefinitionRequest {
    CreatePropertyDefinitionRequest(
      id: id, eventTypeId: eventTypeId, key: key, label: label, propertyType: propertyType, options: options,
      displayOrder: displayOrder)
  }

  /// Creates an update that changes only the given fields.
  public static func makeUpdatePropertyDefinitionRequest(
    key: String? = nil, label: String? = nil, propertyType: String? = nil, options: Patch<[String]> = .absent,
    defaultValue: Patch<JSONValue> = .absent, displayOrder: Int? = nil
  ) -> UpdatePropertyDefinitionRequest {
    UpdatePropertyDefinitionRequest(
      key: key, label: label, propertyType: propertyType, options: options, defaultValue: defaultValue,
      displayOrder: displayOrder)
  }
}
