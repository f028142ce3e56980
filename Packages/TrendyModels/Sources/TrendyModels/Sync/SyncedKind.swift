/// Kinds of synced entities, with their wire names as raw values. ``SyncedKind`` describes their fields.
public enum MutationEntityType: String, Hashable, Sendable, CaseIterable, Codable {
  case event
  case eventType = "event_type"
  case geofence
  case propertyDefinition = "property_definition"
  case vehicle
  case tripRule = "trip_rule"
  case setting
  case skip
  case conflict

  /// Kinds with a dedicated Swift type and REST calls at the hub.
  public static let typed: [MutationEntityType] = [.event, .eventType, .geofence, .propertyDefinition]

  /// Singular name of the kind in text for users.
  public var words: String {
    switch self {
    case .event: "event"
    case .eventType: "event type"
    case .geofence: "place"
    case .propertyDefinition: "property"
    case .vehicle: "vehicle"
    case .tripRule: "trip rule"
    case .setting: "setting"
    case .skip: "skip"
    case .conflict: "conflict"
    }
  }

  /// Code of the kind in stores: consecutive from 0 and never changed.
  public var storageCode: UInt8 {
    switch self {
    case .event: 0
    case .eventType: 1
    case .geofence: 2
    case .propertyDefinition: 3
    case .vehicle: 4
    case .tripRule: 5
    case .setting: 6
    case .skip: 7
    case .conflict: 8
    }
  }
}

/// Description of a kind of synced entity: name, fields and references.
///
/// A kind without a Swift type, such as a vehicle or a setting, is declared in this file and listed in TrendySync
/// (`KindRecord`). Nothing else is needed to record, merge and sync its entities.
public struct SyncedKind: Hashable, Sendable {
  /// Type of a field's value, with its limits.
  public enum FieldType: Hashable, Sendable {
    /// String with a maximum length in bytes of UTF-8. May be empty unless the field is required.
    case text(maximumBytes: Int)
    /// One of the listed strings.
    case word([String])
    case identifier
    /// RFC 3339 date and time.
    case date
    /// Calendar date without a time, such as `2026-11-22`.
    case day
    case boolean
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int64>)
    case textList
    case object
    /// Object with these members and possibly further members.
    case members([Field])
    /// Any value, including `null`.
    case any
  }

  /// Effect of deleting the referenced entity.
  public enum OnDelete: Hashable, Sendable {
    /// The referring entity is deleted too, and is not visible without its parent.
    case cascade
    /// The reference is cleared.
    case clear
  }

  /// Reference to an entity of another kind.
  public struct Reference: Hashable, Sendable {
    public let kind: String
    public let onDelete: OnDelete
  }

  /// Field of an entity.
  public struct Field: Hashable, Sendable {
    public let name: String
    public let type: FieldType
    /// Whether the field must be present and not null.
    public let isRequired: Bool
    /// Whether `null` clears the field.
    public let isClearable: Bool
    /// The kind whose id the field contains, or `nil` if the field is not a reference.
    public let refersTo: Reference?
  }

  /// Name on the wire, such as `event_type`.
  public let name: String
  /// First path segment of the REST resource, or `nil` for a kind that is available only through mutations, feed and
  /// snapshot.
  public let path: String?
  public let fields: [Field]
  /// Member whose keys are separate fields: `properties` of an event, with fields such as `properties.dose`.
  public let nestedMember: String?
  /// Date or day field that lists are sorted by, or `nil` for the time of creation.
  public let listOrder: String?
  /// Position of the kind in a snapshot. Referenced kinds have lower ranks.
  public let rank: Int

  private let places: [String: Int]

  init(
    _ name: String, path: String? = nil, rank: Int, nestedMember: String? = nil, listOrder: String? = nil,
    fields: [Field]
  ) {
    self.name = name
    self.path = path
    self.fields = fields
    self.nestedMember = nestedMember
    self.listOrder = listOrder
    self.rank = rank
    places = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
  }

  /// Field of a tombstone that is `true` if the entity was deleted by undoing an import.
  ///
  /// At the user's request, a repeated import on any device restores the entity. The restore removes this field at the
  /// hub.
  public static let importUndone = "import_undone"

  /// Returns the field with this name, or `nil`.
  public func field(_ name: String) -> Field? { places[name].map { fields[$0] } }

  /// Reference to the parent, whose deletion deletes the entity, or `nil` for a kind without a parent.
  public var parent: Field? { fields.first { $0.refersTo?.onDelete == .cascade } }

  /// Splits the name of a nested field: `properties.dose` into `properties` and `dose`. Returns `nil` for other names.
  public func nestedName(_ name: String) -> (member: String, key: String)? {
    guard let nestedMember, name.utf8.count > nestedMember.utf8.count, name.hasPrefix(nestedMember) else { return nil }
    let rest = name.utf8.dropFirst(nestedMember.utf8.count)
    guard rest.first == UInt8(ascii: ".") else { return nil }
    return (nestedMember, String(rest.dropFirst()) ?? "")
  }

  /// Returns the kind with this wire name, or `nil`.
  public static func named(_ name: String) -> SyncedKind? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Maximum length of any string, in bytes of UTF-8. Most fields have a lower limit.
  public static let maximumTextBytes = 262_144
  /// Maximum length of a name or a property key, in bytes of UTF-8.
  public static let maximumNameBytes = 1024
  /// Lowest limit of any string field, in bytes of UTF-8.
  public static let shortestTextLimit = 64
}

extension SyncedKind {
  /// All kinds, referenced kinds first.
  public static let all: [SyncedKind] = [
    eventType, propertyDefinition, geofence, event, vehicle, tripRule, setting, skip, conflict,
  ]

  /// Kind of ``EventType``.
  public static let eventType = SyncedKind(
    "event_type", path: "event-types", rank: 0,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .required("color", .text(maximumBytes: 64)),
      .required("icon", .text(maximumBytes: 256)),
      // A single field, so that concurrent changes never mix the amount of one goal with the period of another.
      .clearable("goal", .members(goal)),
    ])

  /// Field in the tombstone of a merged event type: id of the type that references are redirected to.
  ///
  /// Set by the delete and removed by a restore. Not listed in ``fields``, because live types never have it.
  public static let mergedInto = "merged_into"

  private static let goal: [Field] = [
    .required("amount", .integer(0...Int64(Goal.maximumAmount))),
    .required("bound", .word(Goal.Bound.allCases.map(\.rawValue))),
    .required("measure", .word(Goal.Measure.allCases.map(\.rawValue))),
    .required("period", .word(Goal.Period.allCases.map(\.rawValue))),
  ]

  /// Kind of ``PropertyDefinition``, deleted with its event type.
  public static let propertyDefinition = SyncedKind(
    "property_definition", path: "property-definitions", rank: 1,
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("key", .text(maximumBytes: maximumNameBytes)),
      .required("label", .text(maximumBytes: 1024)),
      .required("property_type", .text(maximumBytes: 64)),
      .clearable("options", .textList),
      .clearable("default_value", .any),
      .optional("display_order", .integer(.min ... .max)),
    ])

  /// Kind of ``Geofence``.
  public static let geofence = SyncedKind(
    "geofence", path: "geofences", rank: 2,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .required("latitude", .number(-90...90)),
      .required("longitude", .number(-180...180)),
      .required("radius", .number(50...10_000)),
      .clearable("event_type_entry_id", .identifier, Reference(kind: "event_type", onDelete: .clear)),
      .clearable("event_type_exit_id", .identifier, Reference(kind: "event_type", onDelete: .clear)),
      .optional("is_active", .boolean),
      .optional("notify_on_entry", .boolean),
      .optional("notify_on_exit", .boolean),
      .clearable("color", .text(maximumBytes: 64)),
      .clearable("role", .text(maximumBytes: 1024)),
    ])

  /// A user's vehicle, with the devices that record its trips.
  public static let vehicle = SyncedKind(
    "vehicle", path: "vehicles", rank: 4,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .clearable("color", .text(maximumBytes: 64)),
      .clearable("icon", .text(maximumBytes: 256)),
      .clearable("device_ids", .textList),
      .optional("is_default", .boolean),
      .clearable("start_odometer_m", .number(0...Double.greatestFiniteMagnitude)),
      .clearable("notes", .text(maximumBytes: maximumTextBytes)),
      .optional("archived", .boolean),
    ])

  /// Rule that classifies trips as business, private or mixed.
  public static let tripRule = SyncedKind(
    "trip_rule", rank: 5,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .required("position", .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)),
      .required("category", .word(["business", "private", "mixed"])),
      .clearable("conditions", .object),
      .optional("is_active", .boolean),
    ])

  /// A user's synced setting, as key and value.
  public static let setting = SyncedKind(
    "setting", path: "settings", rank: 6,
    fields: [.required("key", .text(maximumBytes: maximumNameBytes)), .clearable("value", .any)])

  /// Period in which no events of a type are expected, as its first and last day.
  public static let skip = SyncedKind(
    "skip", path: "skips", rank: 7, listOrder: "from",
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("from", .day),
      .required("to", .day),
      .clearable("note", .text(maximumBytes: maximumTextBytes)),
    ])

  /// Value that was overwritten or deleted by an author who had not seen it. Deleting this entity resolves the
  /// conflict.
  ///
  /// Created by the hub. The entity in conflict is identified but not referenced, so that the conflict remains when the
  /// entity is deleted.
  public static let conflict = SyncedKind(
    "conflict", rank: 8,
    fields: [
      .required("entity_type", .text(maximumBytes: 128)),
      .required("entity_id", .identifier),
      // "*" denotes the whole entity, in which case the value contains the entity's members.
      .required("field", .text(maximumBytes: 2048)),
      .clearable("value", .any),
      .clearable("author", .text(maximumBytes: 128)),
      .clearable("stamp", .integer(.min ... .max)),
      .clearable("mutation_id", .text(maximumBytes: 128)),
      .required("reason", .word(["overwritten", "buried", "moved"])),
      .clearable("by", .text(maximumBytes: 128)),
    ])
}

extension SyncedKind.Field {
  static func required(
    _ name: String, _ type: SyncedKind.FieldType, _ reference: SyncedKind.Reference? = nil
  ) -> SyncedKind.Field {
    SyncedKind.Field(name: name, type: type, isRequired: true, isClearable: false, refersTo: reference)
  }

  static func optional(_ name: String, _ type: SyncedKind.FieldType) -> SyncedKind.Field {
    SyncedKind.Field(name: name, type: type, isRequired: false, isClearable: false, refersTo: nil)
  }

  static func clearable(
    _ name: String, _ type: SyncedKind.FieldType, _ reference: SyncedKind.Reference? = nil
  ) -> SyncedKind.Field {
    SyncedKind.Field(name: name, type: type, isRequired: false, isClearable: true, refersTo: reference)
  }
}
