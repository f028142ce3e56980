public import TrendyModels

/// Event type that the software creates for its own events: trips, visits and odometer readings.
///
/// The user can rename or delete the type. The ids of the type are derived from its key, so that all devices and the
/// hub find or create the same type.
public struct BuiltInType: Sendable {
  /// Key from which the ids are derived.
  let key: String
  /// Name of the type when it is created.
  public let name: String
  let colorHex: String
  let iconName: String
  /// Creates the property definitions of a new type. `id` maps a property key to an id.
  private let definitions: @Sendable (_ eventTypeId: String, _ id: (String) -> String) -> [PropertyDefinition]

  /// Event type for trips.
  public static let trip = BuiltInType(
    key: "trip", name: TripRecord.eventTypeName, colorHex: "#4A6FA5", iconName: "⇢"
  ) { type, id in
    TripRecord.propertyDefinitions(eventTypeId: type) { id($0.rawValue) }
  }

  /// Event type for visits to places that have no type of their own.
  public static let visit = BuiltInType(key: "visit", name: "Visit", colorHex: "#6B8E4E", iconName: "⌂") { _, _ in [] }

  /// Event type for odometer readings.
  public static let odometer = BuiltInType(key: "odometer", name: "Odometer", colorHex: "#7A6F5D", iconName: "◔") {
    type, id in
    [("odometer_m", "Odometer", PropertyType.number), ("car", "Car", .text), ("vehicle", "Vehicle", .text)]
      .enumerated().map { order, property in
        PropertyDefinition(
          id: id(property.0), eventTypeId: type, key: property.0, label: property.1, propertyType: property.2,
          displayOrder: order)
      }
  }

  /// Returns the ids of the types of events that the software records: built-in types and the types of places.
  public static func ids(among types: [EventType], places: [Geofence]) -> Set<String> {
    let names = Dictionary(types.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    return Set([trip, visit, odometer].compactMap { $0.present(among: names) })
      .union(places.flatMap { [$0.eventTypeEntryId, $0.eventTypeExitId].compactMap(\.self) })
  }

  /// Error thrown if the type was deleted too often to be created again.
  public struct DeletedTooOften: Error, Hashable, Sendable, CustomStringConvertible {
    /// Name of the type.
    public let name: String

    /// Creates an error.
    public init(name: String) { self.name = name }

    /// Error message with the name of the type.
    public var description: String { "the built-in type \(name) was deleted \(BuiltInType.rows) times" }
  }

  private static let rows = 100

  /// Returns an id derived from the key. A deleted id cannot be reused, so a recreated type has the id of the next
  /// `row`.
  private func natural(_ kind: String, _ row: Int, _ part: String? = nil) -> String {
    NaturalKey.id(for: [kind, key] + (part.map { [$0] } ?? []) + (row == 0 ? [] : ["again", String(row)]))
  }

  /// Returns the type if it exists among `types`, or `nil`.
  public func present(among types: [EventType]) -> EventType? {
    let living = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    return present(among: living.mapValues(\.name)).flatMap { living[$0] }
  }

  /// Returns the id of the type if it exists among `names`, or `nil`.
  /// - Parameter names: names of the existing types by id.
  public func present(among names: [String: String]) -> String? {
    // Candidate ids are hashes. They are computed only if a type could match.
    let rows = names.keys.contains(where: NaturalIdentifier.isNatural) ? Self.rows : 0
    let own = (0..<rows).lazy.map { natural("event_type", $0) }.first { names[$0] != nil }
    // Otherwise, use a type with this name that the user created.
    return own ?? names.filter { $0.value == name }.keys.min()
  }

  /// Returns the existing type, or creates it. `make` records a new type with its property definitions, and returns
  /// `false` if the type was deleted.
  /// - Throws: ``DeletedTooOften``, or the error of `make`.
  public func find(
    among types: [EventType], make: (EventType, [PropertyDefinition]) throws -> Bool
  ) throws -> EventType {
    if let type = present(among: types) { return type }
    for row in 0..<Self.rows {
      let type = EventType(
        id: natural("event_type", row), name: name, colorHex: colorHex, iconName: iconName)
      let definitions = definitions(type.id) { natural("property_definition", row, $0) }
      if try make(type, definitions) { return type }
    }
    throw DeletedTooOften(name: name)
  }
}
