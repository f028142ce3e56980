/// Definition of a property of an event type: key, label, type and options.
public struct PropertyDefinition: Hashable, Sendable, Identifiable {
  /// Opaque identifier of 1 to 128 bytes. Identifiers generated on a device are UUIDv7s.
  public let id: String
  public var eventTypeId: String
  /// Key of the property in ``Event/properties``.
  public var key: String
  /// Name of the property in the interface.
  public var label: String
  public var propertyType: PropertyType {
    didSet { forgetUnknownPropertyType() }
  }
  /// Options of a `select` property, or an empty array for other types.
  public var options: [String]
  /// Value for new events, or `nil`. Setting JSON null sets `nil`, because the wire format does not distinguish null
  /// from an absent value.
  public var defaultValue: JSONValue? {
    didSet { if defaultValue == .some(.null) { defaultValue = nil } }
  }
  /// Position of the property in lists, in ascending order.
  public var displayOrder: Int
  public var syncStatus: SyncStatus
  /// JSON members that this version cannot represent, by wire name. They are written back unchanged.
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

extension Sequence<PropertyDefinition> {
  /// Definitions in display order, and by id if their display orders are equal.
  public var inOrder: [PropertyDefinition] { sorted { ($0.displayOrder, $0.id) < ($1.displayOrder, $1.id) } }

  /// Returns the property that holds the duration of the type's events, its first duration property, or `nil`.
  public func firstDuration(of eventTypeId: String) -> PropertyDefinition? {
    filter { $0.eventTypeId == eventTypeId && $0.propertyType == .duration }.inOrder.first
  }

  /// Key of the first duration property of each event type that has one, by event type.
  public var firstDurationKeys: [String: String] {
    Dictionary(grouping: self, by: \.eventTypeId).reduce(into: [:]) {
      $0[$1.key] = $1.value.firstDuration(of: $1.key)?.key
    }
  }
}
