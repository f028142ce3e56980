/// The kinds of entities that sync, by their names on the wire; what each is made of stands in ``SyncedKind``.
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

  /// Those with a type of their own and plain calls at a hub.
  public static let typed: [MutationEntityType] = [.event, .eventType, .geofence, .propertyDefinition]

  /// As a person reads it.
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

  /// What a store writes for the kind: from 0 without a gap, and never changed.
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

/// What hub and devices know of a kind of entity that syncs: its name, its fields, what it refers to.
///
/// A kind without a type of its own (a vehicle, a setting) is declared in this file, and named where TrendySync lists such kinds
/// (`KindRecord`): the compiler asks for both. Nothing more is needed for it to be recorded, merged field by
/// field and found on every device.
public struct SyncedKind: Hashable, Sendable {
  public enum FieldType: Hashable, Sendable {
    /// The longest it may be, in bytes of UTF-8; the empty text counts where the field is not required.
    case text(maximumBytes: Int)
    /// One of these words.
    case word([String])
    case identifier
    /// RFC 3339.
    case date
    case boolean
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int64>)
    case textList
    case object
    /// An object that has these members, and perhaps others.
    case members([Field])
    /// Any value, `null` included.
    case any
  }

  public enum OnDelete: Hashable, Sendable {
    /// The entity goes with what it refers to, and is not shown without it.
    case cascade
    /// The reference is cleared.
    case clear
  }

  public struct Reference: Hashable, Sendable {
    public let kind: String
    public let onDelete: OnDelete
  }

  public struct Field: Hashable, Sendable {
    public let name: String
    public let type: FieldType
    /// Must be there and never null.
    public let isRequired: Bool
    /// `null` clears it.
    public let isClearable: Bool
    public let refersTo: Reference?
  }

  /// On the wire: `event_type`.
  public let name: String
  /// The first segment of its paths in plain REST; `nil` for a kind that goes by mutations, feed and snapshot alone.
  public let path: String?
  public let fields: [Field]
  /// A member whose keys are fields of their own: `properties.dose` of an event.
  public let nestedMember: String?
  /// The field by whose moment a list is ordered; the time of the first write where there is none.
  public let listOrder: String?
  /// Its place in a snapshot: what others refer to comes first.
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

  /// Field of a tombstone, `true` where undoing an import deleted the entity: an import that a user asks for restores it, on any device.
  /// The hub removes the field with a restore.
  public static let importUndone = "import_undone"

  public func field(_ name: String) -> Field? { places[name].map { fields[$0] } }

  /// The field that says what the entity hangs on: it goes with it.
  public var parent: Field? { fields.first { $0.refersTo?.onDelete == .cascade } }

  /// `properties.dose` of an event is `("properties", "dose")`; `nil` for a name that stands by itself.
  public func nestedName(_ name: String) -> (member: String, key: String)? {
    guard let nestedMember, name.utf8.count > nestedMember.utf8.count, name.hasPrefix(nestedMember) else { return nil }
    let rest = name.utf8.dropFirst(nestedMember.utf8.count)
    guard rest.first == UInt8(ascii: ".") else { return nil }
    return (nestedMember, String(rest.dropFirst()) ?? "")
  }

  public static func named(_ name: String) -> SyncedKind? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Maximum length of any text, in bytes of UTF-8; most fields have a lower limit.
  public static let maximumTextBytes = 262_144
  /// Maximum length of a name, and of the key of a property, in bytes of UTF-8.
  public static let maximumNameBytes = 1024
  /// Lowest of the limits of the fields that are texts: a shorter text fits everywhere.
  public static let shortestTextLimit = 64
}

extension SyncedKind {
  /// By rank: what others refer to first.
  public static let all: [SyncedKind] = [
    eventType, propertyDefinition, geofence, event, vehicle, tripRule, setting, skip, conflict,
  ]

  public static let eventType = SyncedKind(
    "event_type", path: "event-types", rank: 0,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .required("color", .text(maximumBytes: 64)),
      .required("icon", .text(maximumBytes: 256)),
      // One field: of two goals set at once one wins whole, never the amount of one with the period of the other.
      .clearable("goal", .members(goal)),
    ])

  /// Field of the tombstone of a merged event type: id of the type that references to it are applied to.
  ///
  /// A deletion sets it and a restore removes it. No living type has one, so that it is not among ``fields``.
  public static let mergedInto = "merged_into"

  private static let goal: [Field] = [
    .required("amount", .integer(0...Int64(Goal.maximumAmount))),
    .required("bound", .word(Goal.Bound.allCases.map(\.rawValue))),
    .required("measure", .word(Goal.Measure.allCases.map(\.rawValue))),
    .required("period", .word(Goal.Period.allCases.map(\.rawValue))),
  ]

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

  public static let tripRule = SyncedKind(
    "trip_rule", rank: 5,
    fields: [
      .required("name", .text(maximumBytes: maximumNameBytes)),
      .required("position", .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)),
      .required("category", .word(["business", "private", "mixed"])),
      .clearable("conditions", .object),
      .optional("is_active", .boolean),
    ])

  public static let setting = SyncedKind(
    "setting", path: "settings", rank: 6,
    fields: [.required("key", .text(maximumBytes: maximumNameBytes)), .clearable("value", .any)])

  /// A stretch of time in which something is not expected.
  public static let skip = SyncedKind(
    "skip", path: "skips", rank: 7, listOrder: "from",
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("from", .date),
      .required("to", .date),
      .clearable("note", .text(maximumBytes: maximumTextBytes)),
    ])

  /// A value that somebody wrote and that was replaced or buried by one who had not seen it; deleting it resolves it.
  ///
  /// The hub makes them. What it is about is named, not referred to: it stays when that goes.
  public static let conflict = SyncedKind(
    "conflict", rank: 8,
    fields: [
      .required("entity_type", .text(maximumBytes: 128)),
      .required("entity_id", .identifier),
      // `*` is the whole entity, its value the members.
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
