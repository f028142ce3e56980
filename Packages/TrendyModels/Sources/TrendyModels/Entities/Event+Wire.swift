extension Event: SyncedEntity {
  public typealias Wire = APIEvent
  public typealias CreateRequest = CreateEventRequest
  public typealias UpdateRequest = UpdateEventRequest

  public static var entityType: MutationEntityType { .event }

  public init(_ wire: APIEvent) { self.init(wire.fields, syncStatus: .synced) }
  public init(_ request: CreateEventRequest) { self.init(request.fields, syncStatus: .pending) }

  private init(_ fields: EventFields, syncStatus: SyncStatus) {
    self.init(
      identifier: CompactIdentifier(fields.own.id), eventTypeId: fields.eventTypeId, timestamp: fields.timestamp,
      syncStatus: syncStatus)
    set(fields)
    setProperties(fields.properties ?? [:])
  }

  public var createRequest: CreateEventRequest {
    var fields = EventFields(self)
    fields.own.unknown = unknownFields.filter { $0.key != Self.sourceTypeField && $0.key != Self.propertiesField }
    fields.properties = wireProperties
    return CreateEventRequest(fields: fields)
  }

  public func updateRequest(from old: Event) -> UpdateEventRequest? {
    var (fields, oldFields) = (EventFields(self), EventFields(old))
    (fields.properties, oldFields.properties) = (wireProperties, old.wireProperties)
    return fields.changes(from: oldFields)
  }

  public mutating func apply(_ request: UpdateEventRequest) {
    var fields = EventFields(self)
    fields.apply(request)
    set(fields)
    if let changes = request.properties { setProperties(changes) }
  }
}

// Wire values that the typed properties cannot represent are stored in `unknownFields` under their wire names until the
// typed property is set.
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

  /// Source as written on the wire. May be a value that only newer versions define.
  public var wireSourceType: String {
    unknownFields[Self.sourceTypeField]?.stringValue ?? sourceType.rawValue
  }

  /// Sets the source from its wire value. A value unknown to this version is preserved and reads as `.imported`.
  mutating func setSourceType(_ text: String) {
    let known = EventSourceType(rawValue: text)
    sourceType = known ?? .imported
    if known == nil { unknownFields[Self.sourceTypeField] = .string(text) }
  }

  /// Property values that this version cannot represent, by key and in their wire form.
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

  /// Sets properties by key. A `nil` value removes the property.
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
