public import Foundation
public import TrendyModels

/// The whole present state of one entity, or its tombstone with the values it had.
public struct HubEntry: Hashable, Sendable {
  public let kind: String
  /// 1 to 128 bytes, opaque.
  public let id: String
  /// The number of its last write, of the person's one counter.
  public var version: Int64
  /// How often it was restored: 0 in its first life.
  public var incarnation: Int64
  public var deletedAt: Date?
  /// When it was written first.
  public var createdAt: Date
  /// When this version was written.
  public var updatedAt: Date
  /// The version of its first write.
  public var createdVersion: Int64
  /// By name; of members that are merged key by key, `properties.dose`.
  public var fields: [String: HubField]

  public init(
    kind: String, id: String, version: Int64, incarnation: Int64 = 0, deletedAt: Date? = nil, createdAt: Date,
    updatedAt: Date, createdVersion: Int64, fields: [String: HubField]
  ) {
    self.kind = kind
    self.id = id
    self.version = version
    self.incarnation = incarnation
    self.deletedAt = deletedAt
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.createdVersion = createdVersion
    self.fields = fields
  }

  public var isAlive: Bool { deletedAt == nil }
}

/// One field of an entity, and which write gave it its value.
public struct HubField: Hashable, Sendable {
  /// `null` is a value: the field was cleared.
  public var value: JSONValue
  public var version: Int64
  /// Hub time of the edit, in milliseconds since 1970.
  public var stamp: Int64
  /// The identity of the device that made the edit.
  public var author: String

  public init(value: JSONValue, version: Int64, stamp: Int64, author: String) {
    self.value = value
    self.version = version
    self.stamp = stamp
    self.author = author
  }
}

extension HubEntry {
  /// The entity as the wire has it.
  public func document(person: String) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    if let nested = SyncedKind.named(kind)?.nestedMember { members[nested] = .object([:]) }
    for (name, field) in fields {
      guard let (member, key) = SyncedKind.named(kind)?.nestedName(name) else {
        members[name] = field.value
        continue
      }
      guard !field.value.isNull else { continue }
      var object = members[member]?.objectValue ?? [:]
      object[key] = field.value
      members[member] = .object(object)
    }
    members["id"] = .string(id)
    members["user_id"] = .string(person)
    members["created_at"] = .string(RFC3339.string(from: createdAt))
    members["updated_at"] = .string(RFC3339.string(from: updatedAt))
    return members
  }

  /// Its line in the feed and in a snapshot.
  public func change(person: String) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .int(version), "entity_type": .string(kind), "entity_id": .string(id), "incarnation": .int(incarnation),
      "created_at": .string(RFC3339.string(from: updatedAt)),
    ]
    if let deletedAt {
      members["operation"] = "delete"
      members["deleted_at"] = .string(RFC3339.string(from: deletedAt))
    } else {
      members["operation"] = version == createdVersion ? "create" : "update"
      members["data"] = .object(document(person: person))
    }
    return .object(members)
  }
}

extension HubEntry {
  /// As storages may keep it.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "kind": .string(kind), "id": .string(id), "version": .int(version), "incarnation": .int(incarnation),
      "created": .int(createdAt.milliseconds), "updated": .int(updatedAt.milliseconds),
      "created_version": .int(createdVersion),
      "fields": .object(
        fields.mapValues { [$0.value, .int($0.version), .int($0.stamp), .string($0.author)] as JSONValue }),
    ]
    if let deletedAt { members["deleted"] = .int(deletedAt.milliseconds) }
    return .object(members)
  }

  /// Reads ``stored``; `nil` for anything else.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let kind = members["kind"]?.stringValue,
      let id = members["id"]?.stringValue, let version = members["version"]?.intValue,
      let incarnation = members["incarnation"]?.intValue, let created = members["created"]?.intValue,
      let updated = members["updated"]?.intValue, let createdVersion = members["created_version"]?.intValue,
      let fields = members["fields"]?.objectValue
    else { return nil }
    self.init(
      kind: kind, id: id, version: version, incarnation: incarnation,
      deletedAt: members["deleted"]?.intValue.map(Date.init(milliseconds:)),
      createdAt: Date(milliseconds: created), updatedAt: Date(milliseconds: updated), createdVersion: createdVersion,
      fields: [:])
    for (name, value) in fields {
      guard let parts = value.arrayValue, parts.count == 4, let version = parts[1].intValue,
        let stamp = parts[2].intValue, let author = parts[3].stringValue
      else { return nil }
      self.fields[name] = HubField(value: parts[0], version: version, stamp: stamp, author: author)
    }
  }
}

extension Date {
  /// Since 1970, rounded; times beyond what 64 bits hold are held at the edge.
  var milliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? (self < .distantPast ? .min : .max - 1)
  }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
