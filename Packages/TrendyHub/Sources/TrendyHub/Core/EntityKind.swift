import Foundation
import TrendyModels

/// What the hub knows of a kind of entity: declared here once, and nowhere else.
public struct EntityKind: Hashable, Sendable {
  public enum FieldType: Hashable, Sendable {
    /// The longest it may be, in bytes of UTF-8; the empty text counts where `isRequired` is false.
    case text(maximumBytes: Int)
    case identifier
    /// RFC 3339.
    case date
    case boolean
    case number(ClosedRange<Double>)
    case integer
    case textList
    /// Any value, `null` included.
    case any
  }

  public enum OnDelete: Hashable, Sendable {
    /// The entity goes with what it refers to.
    case cascade
    /// The reference is cleared.
    case clear
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

  public struct Reference: Hashable, Sendable {
    public let kind: String
    public let onDelete: OnDelete
  }

  public let name: String
  /// The first segment of its REST paths.
  public let path: String
  public let fields: [Field]
  /// A member whose keys are fields of their own.
  public let nestedMember: String?
  /// The field by whose moment a list is ordered; the time of the first write where there is none.
  public let listOrder: String?
  /// Its place in a snapshot: what others refer to comes first.
  public let rank: Int
}

extension EntityKind {
  public static let all: [EntityKind] = [eventType, propertyDefinition, geofence, event]

  public static func named(_ name: String) -> EntityKind? { all.first { $0.name == name } }

  public static let eventType = EntityKind(
    name: "event_type", path: "event-types",
    fields: [
      .required("name", .text(maximumBytes: 1024)),
      .required("color", .text(maximumBytes: 64)),
      .required("icon", .text(maximumBytes: 256)),
    ],
    nestedMember: nil, listOrder: nil, rank: 0)

  public static let propertyDefinition = EntityKind(
    name: "property_definition", path: "property-definitions",
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("key", .text(maximumBytes: 1024)),
      .required("label", .text(maximumBytes: 1024)),
      .required("property_type", .text(maximumBytes: 64)),
      .clearable("options", .textList),
      .clearable("default_value", .any),
      .optional("display_order", .integer),
    ],
    nestedMember: nil, listOrder: nil, rank: 1)

  public static let geofence = EntityKind(
    name: "geofence", path: "geofences",
    fields: [
      .required("name", .text(maximumBytes: 1024)),
      .required("latitude", .number(-90...90)),
      .required("longitude", .number(-180...180)),
      .required("radius", .number(50...10_000)),
      .clearable("event_type_entry_id", .identifier, Reference(kind: "event_type", onDelete: .clear)),
      .clearable("event_type_exit_id", .identifier, Reference(kind: "event_type", onDelete: .clear)),
      .optional("is_active", .boolean),
      .optional("notify_on_entry", .boolean),
      .optional("notify_on_exit", .boolean),
    ],
    nestedMember: nil, listOrder: nil, rank: 2)

  public static let event = EntityKind(
    name: "event", path: "events",
    fields: [
      .required("event_type_id", .identifier, Reference(kind: "event_type", onDelete: .cascade)),
      .required("timestamp", .date),
      .clearable("notes", .text(maximumBytes: JSONText.maximumStringBytes)),
      .optional("is_all_day", .boolean),
      .clearable("end_date", .date),
      .optional("source_type", .text(maximumBytes: 64)),
      .clearable("external_id", .text(maximumBytes: 1024)),
      .clearable("original_title", .text(maximumBytes: 4096)),
      // A place an event was recorded at, not a parent: the event outlives it, and keeps its name.
      .clearable("geofence_id", .identifier),
      .clearable("location_latitude", .number(-90...90)),
      .clearable("location_longitude", .number(-180...180)),
      .clearable("location_name", .text(maximumBytes: 4096)),
      .clearable("healthkit_sample_id", .text(maximumBytes: 1024)),
      .clearable("healthkit_category", .text(maximumBytes: 1024)),
      .clearable("time_zone", .text(maximumBytes: 128)),
    ],
    nestedMember: "properties", listOrder: "timestamp", rank: 3)

  /// Members that are the hub's own: in a request they are read over.
  static let ownMembers: Set<String> = ["id", "user_id", "created_at", "updated_at", "event_type"]

  /// `properties.dose` of an event is `("properties", "dose")`; `nil` for a name that stands by itself.
  static func nestedName(_ name: String, in kind: String) -> (member: String, key: String)? {
    guard let member = named(kind)?.nestedMember, name.hasPrefix("\(member).") else { return nil }
    return (member, String(name.dropFirst(member.count + 1)))
  }
}

extension EntityKind.Field {
  static func required(
    _ name: String, _ type: EntityKind.FieldType, _ reference: EntityKind.Reference? = nil
  ) -> EntityKind.Field {
    EntityKind.Field(name: name, type: type, isRequired: true, isClearable: false, refersTo: reference)
  }

  static func optional(_ name: String, _ type: EntityKind.FieldType) -> EntityKind.Field {
    EntityKind.Field(name: name, type: type, isRequired: false, isClearable: false, refersTo: nil)
  }

  static func clearable(
    _ name: String, _ type: EntityKind.FieldType, _ reference: EntityKind.Reference? = nil
  ) -> EntityKind.Field {
    EntityKind.Field(name: name, type: type, isRequired: false, isClearable: true, refersTo: reference)
  }
}

extension EntityKind {
  /// Turns a request's members into fields, each checked; the hub's own members are left out.
  ///
  /// - Parameter isCreate: the required fields must be there, and a `null` of a field that may not be cleared is the same
  ///   as absent.
  /// - Throws: a problem of kind `invalid` that names the member.
  func fields(from members: [String: JSONValue], isCreate: Bool) throws(Problem) -> [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    // In order of names, so that of two faults always the same one is told.
    for name in members.keys.sorted() {
      guard let value = members[name], !Self.ownMembers.contains(name) else { continue }
      if name == nestedMember {
        for (key, value) in try nestedFields(value) { result[key] = value }
      } else if let field = fields.first(where: { $0.name == name }) {
        if value.isNull, !field.isClearable {
          guard isCreate else { throw .invalid("\(name): expected \(field.type.inWords), found null") }
          continue
        }
        result[name] = value.isNull && field.type != .any ? .null : try field.checked(value)
      } else {
        guard Identifier.isValid(name), Self.nestedName(name, in: self.name) == nil else {
          throw .invalid("\"\(name.prefix(60))\" is no name for a member")
        }
        result[name] = value
      }
    }
    if isCreate {
      for field in fields where field.isRequired && result[field.name] == nil {
        throw .invalid("\(field.name): expected \(field.type.inWords), found none")
      }
    }
    return result
  }

  private func nestedFields(_ value: JSONValue) throws(Problem) -> [(String, JSONValue)] {
    guard let member = nestedMember, !value.isNull else { return [] }
    guard let object = value.objectValue else {
      throw .invalid("\(nestedMember ?? ""): expected an object, found \(value.kindInWords)")
    }
    var result: [(String, JSONValue)] = []
    for key in object.keys.sorted() {
      guard let value = object[key] else { continue }
      guard (1...1024).contains(key.utf8.count) else {
        throw .invalid("\(member): expected keys of 1 to 1024 bytes")
      }
      guard value.isNull || (value.objectValue?["type"]?.stringValue != nil && value.objectValue?["value"] != nil)
      else {
        throw .invalid("\(member).\(key.prefix(60)): expected an object with \"type\" and \"value\"")
      }
      result.append(("\(member).\(key)", value))
    }
    return result
  }
}

extension EntityKind.Field {
  /// The value as it is kept: dates in the one spelling of the wire.
  func checked(_ value: JSONValue) throws(Problem) -> JSONValue {
    switch type {
    case .any: return value
    case .text(let maximum):
      if let text = value.stringValue, text.utf8.count <= maximum, !(isRequired && text.isEmpty) { return value }
    case .identifier:
      if let text = value.stringValue, Identifier.isValid(text) { return value }
    case .date:
      if let date = value.stringValue.flatMap({ RFC3339.date(from: $0) }) {
        return .string(RFC3339.string(from: date))
      }
    case .boolean:
      if value.boolValue != nil { return value }
    case .number(let range):
      if let number = value.doubleValue, range.contains(number) { return value }
    case .integer:
      if let number = value.intValue { return .int(number) }
    case .textList:
      if let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) { return value }
    }
    throw .invalid("\(name): expected \(type.inWords), found \(value.inWords)")
  }
}

extension EntityKind.FieldType {
  var inWords: String {
    switch self {
    case .text(let maximum): "a string of up to \(maximum) bytes"
    case .identifier: Identifier.rule
    case .date: "an RFC 3339 date such as 2024-01-01T00:00:00.000Z"
    case .boolean: "true or false"
    case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .integer: "a whole number"
    case .textList: "an array of strings"
    case .any: "a value"
    }
  }
}

extension JSONValue {
  /// As ``kindInWords``, with the number itself.
  fileprivate var inWords: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    default: kindInWords
    }
  }
}
