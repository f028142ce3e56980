public import Foundation
public import TrendyModels

/// Current state of one entity, or its tombstone with its last values.
public struct HubEntry: Hashable, Sendable {
  public let kind: String
  /// Opaque id of 1 to 128 bytes.
  public let id: String
  /// Version of the last write.
  public var version: Int64
  /// Number of times the entity was restored, clamped to `SyncRange.counter`.
  public var incarnation: Int64 { didSet { incarnation = incarnation.clamped(to: SyncRange.counter) } }
  public var deletedAt: Date?
  /// Time of the first write.
  public var createdAt: Date
  /// Time of the last write.
  public var updatedAt: Date
  /// Version of the first write.
  public var createdVersion: Int64
  /// Restore that began the current incarnation, or `nil` if the entity first reached the hub in this incarnation.
  public var restoration: HubRestoration?
  /// Fields by name. Each key of a nested member is a separate field, for example `properties.dose`.
  public var fields: [String: HubField]

  public init(
    kind: String, id: String, version: Int64, incarnation: Int64 = 0, deletedAt: Date? = nil, createdAt: Date,
    updatedAt: Date, createdVersion: Int64, restoration: HubRestoration? = nil, fields: [String: HubField]
  ) {
    self.kind = kind
    self.id = id
    self.version = version
    self.incarnation = incarnation.clamped(to: SyncRange.counter)
    self.deletedAt = deletedAt
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.createdVersion = createdVersion
    self.restoration = restoration
    self.fields = fields
  }

  public var isAlive: Bool { deletedAt == nil }
}

/// Restore that began an entity's incarnation. Stored separately from the fields, because a restore may change no
/// value.
public struct HubRestoration: Hashable, Sendable {
  public var version: Int64
  /// Device that restored the entity, or `nil` for a re-offer, which counts as unseen by every device.
  public var author: String?

  public init(version: Int64, author: String?) {
    self.version = version
    self.author = author
  }
}

/// Value of one field and the write that set it.
public struct HubField: Hashable, Sendable {
  /// The value, or `null` if the field was cleared.
  public var value: JSONValue
  public var version: Int64
  /// Hub time of the edit, in milliseconds since 1970, clamped to `SyncRange.stamp`.
  public var stamp: Int64 { didSet { stamp = stamp.clamped(to: SyncRange.stamp) } }
  /// Identity of the device that made the edit.
  public var author: String
  /// Whether a device re-offered the value after the hub had lost it.
  ///
  /// A re-offered value counts as unseen by every device, including its author.
  public var isReoffered: Bool

  public init(value: JSONValue, version: Int64, stamp: Int64, author: String, isReoffered: Bool = false) {
    self.value = value
    self.version = version
    self.stamp = stamp.clamped(to: SyncRange.stamp)
    self.author = author
    self.isReoffered = isReoffered
  }
}

extension HubEntry {
  /// Fields as members of a JSON object, with nested members reassembled from their keys.
  public var members: [String: JSONValue] {
    let kind = SyncedKind.named(kind)
    var members: [String: JSONValue] = [:]
    if let nested = kind?.nestedMember { members[nested] = .object([:]) }
    for (name, field) in fields {
      guard let (member, key) = kind?.nestedName(name) else {
        members[name] = field.value
        continue
      }
      guard !field.value.isNull else { continue }
      var object = members[member]?.objectValue ?? [:]
      object[key] = field.value
      members[member] = .object(object)
    }
    return members
  }

  /// Members of ``document(user:)`` that are not fields.
  static let ownMembers: Set<String> = ["id", "user_id", "created_at", "updated_at", "incarnation"]

  /// Returns the entity as plain REST clients see it, with its incarnation if it was restored.
  ///
  /// A delete request sends that incarnation back.
  public func document(user: String) -> [String: JSONValue] {
    var members = data(user: user)
    if incarnation > 0 { members["incarnation"] = .int(incarnation) }
    return members
  }

  private func data(user: String) -> [String: JSONValue] {
    var members = members
    members["id"] = .string(id)
    members["user_id"] = .string(user)
    members["created_at"] = .string(RFC3339.string(from: createdAt))
    members["updated_at"] = .string(RFC3339.string(from: updatedAt))
    return members
  }

  /// Returns the entity as an entry of the feed and of snapshots. The entry of a tombstone contains the last values.
  public func change(user: String) -> JSONValue {
    // A removed property appears in no member, so its field version must be listed by name.
    let kind = SyncedKind.named(kind)
    let unseen = fields.filter { $0.value.value.isNull && kind?.nestedName($0.key) != nil }.keys
    var members: [String: JSONValue] = [
      "id": .int(version), "entity_type": .string(self.kind), "entity_id": .string(id),
      "incarnation": .int(incarnation), "data": .object(data(user: user)),
      "created_at": .string(RFC3339.string(from: updatedAt)),
      "marks": .object(marks(alwaysNaming: Set(unseen)) { [.int($0.version), .int($0.stamp), .string($0.author)] }),
    ]
    if let deletedAt {
      members["operation"] = "delete"
      members["deleted_at"] = .string(RFC3339.string(from: deletedAt))
    } else {
      members["operation"] = version == createdVersion ? "create" : "update"
    }
    return .object(members)
  }

  /// Returns the field versions by field name. `*` stands for all unlisted fields, which share the most frequent
  /// version.
  private func marks(
    alwaysNaming named: Set<String> = [], _ mark: (HubField) -> [JSONValue]
  ) -> [String: JSONValue] {
    var uses: [Mark: Int] = [:]
    for field in fields.values { uses[Mark(field), default: 0] += 1 }
    // Break ties independently of dictionary order: equal entries must have equal text.
    let most = uses.max { left, right in
      (left.value, left.key.version, left.key.stamp, right.key.author, left.key.isReoffered ? 1 : 0)
        < (right.value, right.key.version, right.key.stamp, left.key.author, right.key.isReoffered ? 1 : 0)
    }?.key
    var marks: [String: JSONValue] = [:]
    for (name, field) in fields {
      if Mark(field) == most { marks["*"] = .array(mark(field)) }
      if Mark(field) != most || named.contains(name) { marks[name] = .array(mark(field)) }
    }
    return marks
  }

  private struct Mark: Hashable {
    let version: Int64
    let stamp: Int64
    let author: String
    let isReoffered: Bool

    init(_ field: HubField) {
      version = field.version
      stamp = field.stamp
      author = field.author
      isReoffered = field.isReoffered
    }
  }
}

extension HubField {
  init?(_ value: JSONValue, mark: [JSONValue]) {
    guard mark.count == 3, let version = mark[0].storedCounter, let stamp = mark[1].intValue,
      let author = mark[2].stringValue
    else { return nil }
    self.init(value: value, version: version, stamp: stamp, author: author)
  }
}

extension Date {
  /// Milliseconds since 1970, rounded and clamped to ±(2^53 - 1), the integers that a `Double` represents exactly.
  var milliseconds: Int64 {
    let limit = 9_007_199_254_740_991.0
    return Int64(max(-limit, min(limit, (timeIntervalSince1970 * 1000).rounded())))
  }

  /// Milliseconds since 1970, clamped to `SyncRange.stamp`: the form in which hub time is sent to devices.
  var stamp: Int64 { milliseconds.clamped(to: SyncRange.stamp) }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
