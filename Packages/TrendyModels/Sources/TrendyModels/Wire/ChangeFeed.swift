public import TrendyFoundation

/// One entity as its last write left it, in the order of those writes.
public struct ChangeEntry: Hashable, Sendable {
  /// The version of the entity: the number of its last write.
  public let id: Int64
  /// Text, so that a kind this version does not know can still be read and kept.
  public var entityType: String
  public var operation: String
  public var entityId: String
  /// The whole entity; of a delete its last values, where the hub gives them.
  public var data: ChangeEntryData?
  public var deletedAt: Date?
  public var createdAt: Date?
  /// The life of the entity, from 0: each restore begins another. In ``SyncRange/counter``.
  public var incarnation: Int64 { didSet { incarnation = incarnation.clamped(to: SyncRange.counter) } }
  /// By field, which write gave it its value; `"*"` for every field that is not named. Empty where the hub keeps none.
  public var marks: [String: FieldMark]
  /// Members this version does not know, or cannot read, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: Int64, entityType: String, operation: String, entityId: String, data: ChangeEntryData? = nil,
    deletedAt: Date? = nil, createdAt: Date? = nil, unknownFields: [String: JSONValue] = [:], incarnation: Int64 = 0,
    marks: [String: FieldMark] = [:]
  ) {
    self.id = id.clamped(to: SyncRange.counter)
    self.entityType = entityType
    self.operation = operation
    self.entityId = entityId
    self.data = data
    self.deletedAt = deletedAt
    self.createdAt = createdAt
    self.unknownFields = unknownFields
    self.incarnation = incarnation.clamped(to: SyncRange.counter)
    self.marks = marks
  }
}

extension ChangeEntry {
  /// Whether it is the entity's tombstone.
  public var isDelete: Bool { operation == MutationOperation.delete.rawValue || deletedAt != nil }
}

extension ChangeEntry {
  /// Why the entry cannot be taken as it came: the member that cannot be read and what was expected of it. `nil` for one that can.
  ///
  /// What cannot be read is in ``unknownFields``, so that an entry which is kept says the same when it is read again.
  public var fault: String? {
    if !WireIdentifier.isValid(entityId) { return "entity_id: expected \(WireIdentifier.rule)" }
    guard !unknownFields.isEmpty else { return nil }
    return Self.tolerated.first { unknownFields[$0.name] != nil }.map { "\($0.name): expected \($0.words)" }
  }

  private static let tolerated: [(name: String, words: String)] = [
    ("created_at", "an RFC 3339 date"), ("data", "an object"), ("deleted_at", "an RFC 3339 date"),
    ("incarnation", SyncRange.counter.inWords),
    (
      "marks",
      "by field a version, \(SyncRange.counter.inWords), a stamp, \(SyncRange.stamp.inWords), and an author"
    ),
  ]
}

extension ChangeEntry: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id", in: SyncRange.counter)
    entityType = try fields.required("entity_type")
    operation = try fields.required("operation")
    entityId = try fields.required("entity_id")
    // A member that cannot be read makes an entry that is parked, not a page that no device gets past.
    var unreadable: [String: JSONValue] = [:]
    func tolerant<Value>(_ name: StaticString, _ read: (inout WireReader) throws -> Value?) throws -> Value? {
      do {
        return try read(&fields)
      } catch {
        unreadable[name.description] = try fields.optional(name) as JSONValue?
        return nil
      }
    }
    data = try tolerant("data") { try $0.optional("data") }
    deletedAt = try tolerant("deleted_at") { try $0.optional("deleted_at") }
    createdAt = try tolerant("created_at") { try $0.optional("created_at") }
    incarnation = try tolerant("incarnation") { try $0.optional("incarnation", in: SyncRange.counter) } ?? 0
    marks = try tolerant("marks") { try $0.optional("marks") } ?? [:]
    unknownFields = try fields.unknown().merging(unreadable) { $1 }
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.writeIfPresent("created_at", createdAt)
    try fields.writeIfPresent("data", data)
    try fields.writeIfPresent("deleted_at", deletedAt)
    try fields.write("entity_id", entityId)
    try fields.write("entity_type", entityType)
    try fields.write("id", id)
    if incarnation != 0 { try fields.write("incarnation", incarnation) }
    if !marks.isEmpty { try fields.write("marks", marks) }
    try fields.write("operation", operation)
  }
}

/// A page of the feed.
public struct ChangeFeedResponse: Hashable, Sendable {
  public var changes: [ChangeEntry]
  /// Where the next page begins; at the end the head.
  public var nextCursor: Int64
  public var hasMore: Bool
  /// The life of the hub that gave the page its numbers.
  public var epoch: String?
  /// Where the hub stands; `nil` for one that does not say.
  public var position: HubPosition?

  public init(
    changes: [ChangeEntry], nextCursor: Int64, hasMore: Bool, epoch: String? = nil, position: HubPosition? = nil
  ) {
    self.changes = changes
    self.nextCursor = nextCursor
    self.hasMore = hasMore
    self.epoch = epoch
    self.position = position
  }
}

extension ChangeFeedResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    changes = try fields.required("changes")
    nextCursor = try fields.required("next_cursor", in: SyncRange.counter)
    hasMore = try fields.required("has_more")
    epoch = try fields.optional("epoch")
    position = try fields.position()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("changes", changes)
    try fields.writeIfPresent("epoch", epoch)
    try fields.writeIfPresent("epochs", position?.epochs)
    try fields.write("has_more", hasMore)
    try fields.writeIfPresent("head", position?.head)
    try fields.write("next_cursor", nextCursor)
    try fields.writeIfPresent("now", position?.now)
  }
}

/// The head of the feed.
public struct LatestCursorResponse: Hashable, Sendable {
  public var cursor: Int64
  public var epoch: String?
  /// Where the hub stands; `nil` for one that does not say.
  public var position: HubPosition?

  public init(cursor: Int64, epoch: String? = nil, position: HubPosition? = nil) {
    self.cursor = cursor
    self.epoch = epoch
    self.position = position
  }
}

extension LatestCursorResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    cursor = try fields.required("cursor", in: SyncRange.counter)
    epoch = try fields.optional("epoch")
    position = try fields.position()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("cursor", cursor)
    try fields.writeIfPresent("epoch", epoch)
    try fields.writeIfPresent("epochs", position?.epochs)
    try fields.writeIfPresent("head", position?.head)
    try fields.writeIfPresent("now", position?.now)
  }
}
