extension Event: SyncedEntity {
  public typealias Wire = APIEvent
  public typealias CreateRequest = CreateEventRequest
  public typealias UpdateRequest = UpdateEventRequest

  public static var entityType: MutationEntityType { .event }

  public init(_ wire: APIEvent) {
    self.init(
      id: wire.id, eventTypeId: wire.eventTypeId, timestamp: wire.timestamp, endDate: wire.endDate,
      isAllDay: wire.isAllDay, notes: wire.notes, externalId: wire.externalId, originalTitle: wire.originalTitle,
      geofenceId: wire.geofenceId, locationLatitude: wire.locationLatitude, locationLongitude: wire.locationLongitude,
      locationName: wire.locationName, healthKitSampleId: wire.healthKitSampleId,
      healthKitCategory: wire.healthKitCategory, timeZone: wire.timeZone, syncStatus: .synced,
      unknownFields: wire.unknownFields)
    setSourceType(wire.sourceType)
    setProperties(wire.properties ?? [:])
  }

  public init(_ request: CreateEventRequest) {
    self.init(
      id: request.id, eventTypeId: request.eventTypeId, timestamp: request.timestamp, endDate: request.endDate,
      isAllDay: request.isAllDay, notes: request.notes, externalId: request.externalId,
      originalTitle: request.originalTitle, geofenceId: request.geofenceId,
      locationLatitude: request.locationLatitude, locationLongitude: request.locationLongitude,
      locationName: request.locationName, healthKitSampleId: request.healthKitSampleId,
      healthKitCategory: request.healthKitCategory, timeZone: request.timeZone, unknownFields: request.unknownFields)
    setSourceType(request.sourceType)
    setProperties(request.properties)
  }

  public var createRequest: CreateEventRequest {
    CreateEventRequest(
      id: id, eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay, endDate: endDate,
      sourceType: wireSourceType, externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, timeZone: timeZone,
      properties: wireProperties,
      unknownFields: unknownFields.filter { $0.key != Self.sourceTypeField && $0.key != Self.propertiesField })
  }

  public func updateRequest(from old: Event) -> UpdateEventRequest? {
    let oldProperties = old.wireProperties
    let newProperties = wireProperties
    var changes: [String: APIPropertyValue?] = [:]
    for (key, value) in newProperties where oldProperties[key] != value { changes[key] = .some(value) }
    for key in oldProperties.keys where newProperties[key] == nil { changes[key] = .some(nil) }
    let request = UpdateEventRequest(
      eventTypeId: .changed(old.eventTypeId, eventTypeId), timestamp: .changed(old.timestamp, timestamp),
      notes: Patch(from: old.notes, to: notes), isAllDay: .changed(old.isAllDay, isAllDay),
      endDate: Patch(from: old.endDate, to: endDate), sourceType: .changed(old.wireSourceType, wireSourceType),
      externalId: Patch(from: old.externalId, to: externalId),
      originalTitle: Patch(from: old.originalTitle, to: originalTitle),
      geofenceId: Patch(from: old.geofenceId, to: geofenceId),
      locationLatitude: Patch(from: old.locationLatitude, to: locationLatitude),
      locationLongitude: Patch(from: old.locationLongitude, to: locationLongitude),
      locationName: Patch(from: old.locationName, to: locationName),
      healthKitSampleId: Patch(from: old.healthKitSampleId, to: healthKitSampleId),
      healthKitCategory: Patch(from: old.healthKitCategory, to: healthKitCategory),
      timeZone: Patch(from: old.timeZone, to: timeZone), properties: changes.isEmpty ? nil : changes)
    return request == UpdateEventRequest() ? nil : request
  }

  public mutating func apply(_ request: UpdateEventRequest) {
    if let value = request.eventTypeId { eventTypeId = value }
    if let value = request.timestamp { timestamp = value }
    request.notes.apply(to: &notes)
    if let value = request.isAllDay { isAllDay = value }
    request.endDate.apply(to: &endDate)
    if let value = request.sourceType { setSourceType(value) }
    request.externalId.apply(to: &externalId)
    request.originalTitle.apply(to: &originalTitle)
    request.geofenceId.apply(to: &geofenceId)
    request.locationLatitude.apply(to: &locationLatitude)
    request.locationLongitude.apply(to: &locationLongitude)
    request.locationName.apply(to: &locationName)
    request.healthKitSampleId.apply(to: &healthKitSampleId)
    request.healthKitCategory.apply(to: &healthKitCategory)
    request.timeZone.apply(to: &timeZone)
    if let changes = request.properties { setProperties(changes) }
  }
}

// What the typed fields cannot hold stands among the unknown fields, under its wire name, until the typed field is set: what
// a person chose replaces what could not be read.
extension Event {
  private static let sourceTypeField = "source_type"
  private static let propertiesField = "properties"

  mutating func forgetUnknownSourceType() {
    if unknownFields[Self.sourceTypeField] != nil { unknownFields[Self.sourceTypeField] = nil }
  }

  mutating func forgetUnknownProperties() {
    guard !unknownProperties.isEmpty else { return }
    unknownProperties = unknownProperties.filter { properties[$0.key] == nil }
  }

  /// As on the wire: of a source that only a newer version knows, what that wrote.
  public var wireSourceType: String {
    unknownFields[Self.sourceTypeField]?.stringValue ?? sourceType.rawValue
  }

  /// A source that a newer version knows shows as imported.
  private mutating func setSourceType(_ text: String) {
    let known = EventSourceType(rawValue: text)
    sourceType = known ?? .imported
    if known == nil { unknownFields[Self.sourceTypeField] = .string(text) }
  }

  /// By key, as on the wire.
  private var unknownProperties: [String: JSONValue] {
    get { unknownFields[Self.propertiesField]?.objectValue ?? [:] }
    set { unknownFields[Self.propertiesField] = newValue.isEmpty ? nil : .object(newValue) }
  }

  private var wireProperties: [String: APIPropertyValue] {
    var values = properties.mapValues { APIPropertyValue($0) }
    for (key, raw) in unknownProperties where values[key] == nil {
      guard let type = raw.objectValue?["type"]?.stringValue else { continue }
      values[key] = APIPropertyValue(type: type, value: raw.objectValue?["value"] ?? .null)
    }
    return values
  }

  /// `nil` takes a property away.
  private mutating func setProperties(_ changes: [String: APIPropertyValue?]) {
    guard !changes.isEmpty else { return }
    var known = properties
    var unknown = unknownProperties
    for (key, change) in changes {
      let value = change.flatMap { PropertyValue($0) }
      known[key] = value
      unknown[key] = nil
      if let change, value == nil { unknown[key] = .object(["type": .string(change.type), "value": change.value]) }
    }
    properties = known
    if unknown != unknownProperties { unknownProperties = unknown }
  }
}
