public import TrendyModels

/// An event type under which the software itself records: trips, visits to places, readings of an odometer.
///
/// It is the person's to rename and to delete. Whoever looks at the same record, a device or the hub, finds the same type in it
/// and makes the same one where there is none: its ids follow from what it is.
public struct BuiltInType: Sendable {
  /// What the natural ids are made of.
  let key: String
  public let name: String
  let colorHex: String
  let iconName: String
  /// The definitions for a type of this id, each with the id that `id` gives to its key.
  private let definitions: @Sendable (_ eventTypeId: String, _ id: (String) -> String) -> [PropertyDefinition]

  public static let trip = BuiltInType(
    key: "trip", name: TripRecord.eventTypeName, colorHex: "#4A6FA5", iconName: "⇢"
  ) { type, id in
    TripRecord.propertyDefinitions(eventTypeId: type) { id($0.rawValue) }
  }

  /// For visits to places that name no other type.
  public static let visit = BuiltInType(key: "visit", name: "Visit", colorHex: "#6B8E4E", iconName: "⌂") { _, _ in [] }

  public static let odometer = BuiltInType(key: "odometer", name: "Odometer", colorHex: "#7A6F5D", iconName: "◔") {
    type, id in
    [("odometer_m", "Odometer", PropertyType.number), ("car", "Car", .text), ("vehicle", "Vehicle", .text)]
      .enumerated().map { order, property in
        PropertyDefinition(
          id: id(property.0), eventTypeId: type, key: property.0, label: property.1, propertyType: property.2,
          displayOrder: order)
      }
  }

  /// It was deleted again and again.
  public struct DeletedTooOften: Error, Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(name: String) { self.name = name }

    public var description: String { "the type \(name) was deleted \(BuiltInType.rows) times" }
  }

  private static let rows = 100

  /// What was deleted does not come back: the next in the row takes its place.
  private func natural(_ kind: String, _ row: Int, _ part: String? = nil) -> String {
    NaturalKey.id(for: [kind, key] + (part.map { [$0] } ?? []) + (row == 0 ? [] : ["again", String(row)]))
  }

  /// The type among those that live; `nil` where there is none.
  public func present(among types: [EventType]) -> EventType? {
    let living = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    return present(among: living.mapValues(\.name)).flatMap { living[$0] }
  }

  /// The id of the type among those that live; `nil` where there is none.
  /// - Parameter names: of the types, by their ids.
  public func present(among names: [String: String]) -> String? {
    // Each id that it may have is a hash: they are not made where no type can have one.
    let rows = names.keys.contains(where: NaturalIdentifier.isNatural) ? Self.rows : 0
    let own = (0..<rows).lazy.map { natural("event_type", $0) }.first { names[$0] != nil }
    // The person's own of that name.
    return own ?? names.filter { $0.value == name }.keys.min()
  }

  /// The type among those that live, or a new one: `make` records a type with its definitions, and says `false` where that type was
  /// deleted.
  /// - Throws: ``DeletedTooOften``, or what `make` throws.
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
