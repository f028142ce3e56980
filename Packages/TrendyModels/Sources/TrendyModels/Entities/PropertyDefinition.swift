/// What one property of an event type is called and which values it takes.
public struct PropertyDefinition: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var eventTypeId: String
  /// The key in ``Event/properties``.
  public var key: String
  /// What a person reads.
  public var label: String
  public var propertyType: PropertyType {
    didSet { forgetUnknownPropertyType() }
  }
  /// The choices of a `select`; empty for the other types.
  public var options: [String]
  /// Setting JSON's null takes it away: the wire cannot tell one from the other.
  public var defaultValue: JSONValue? {
    didSet { if defaultValue == .some(.null) { defaultValue = nil } }
  }
  /// Lower comes first.
  public var displayOrder: Int
  public var syncStatus: SyncStatus
  /// What a newer version wrote and this one cannot represent, by wire name; written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, eventTypeId: String, key: String, label: String, propertyType: PropertyType, options: [String] = [],
    defaultValue: JSONValue? = nil, displayOrder: Int = 0, syncStatus: SyncStatus = .pending,
    unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.eventTypeId = eventTypeId
    self.key = key
    self.label = label
    self.propertyType = propertyType
    self.options = options
    self.defaultValue = defaultValue == .some(.null) ? nil : defaultValue
    self.displayOrder = displayOrder
    self.syncStatus = syncStatus
    self.unknownFields = unknownFields
  }
}
