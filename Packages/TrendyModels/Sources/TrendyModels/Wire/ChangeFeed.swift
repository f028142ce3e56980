public import TrendyFoundation

/// Feed entry: the state of one entity after its last write, or its tombstone.
public struct ChangeEntry: Hashable, Sendable {
  /// Version of the entity, assigned by its last write.
  public let id: Int64
  /// Kind of the entity. A string, so that kinds from newer versions are preserved.
  public var entityType: String
  /// Operation of the last write. A string, so that operations from newer versions are preserved.
  public var operation: String
  public var entityId: String
  /// All members of the entity, or for a tombstone the last values if the hub sends them.
  public var data: ChangeEntryData?
  public var deletedAt: Date?
  public var createdAt: Date?
  /// Incarnation of the entity, in ``SyncRange/counter``: 0 until the first restore.
  public var incarnation: Int64 { didSet { incarnation = incarnation.clamped(to: SyncRange.counter) } }
  /// Field versions by field name, with `"*"` for all fields not listed. Empty if the hub stores none.
  public var marks: [String: FieldVersion]
  /// Members that this version does not know or cannot decode. They are written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: Int64, entityType: String, operation: String, entityId: String, data: ChangeEntryData? = nil,
    deletedAt: Date? = nil, createdAt: Date? = nil, unknownFields: [String: JSONValue] = [:], incarnation: Int64 = 0,
    marks: [String: FieldVersion] = [:]
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
  /// Whether the entry is a tombstone.
  public var isDelete: Bool { operation == MutationOperation.delete.rawValue || deletedAt != nil }
}

extension ChangeEntry {
  /// Error message for the first member that cannot be decoded, or `nil` if the entry is valid.
  ///
  /// The member itself is in ``unknownFields``, so that a stored entry reports the same error when the entry is read
  /// again.
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
      "a version (\(SyncRange.counter.inWords)), a stamp (\(SyncRange.stamp.inWords)) and an author for each field"
    ),
  ]
}

extension ChangeEntry: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id", in: SyncRange.counter)
    entityType = try fields.required("entity_type")
    operation = try fields.required("operation")
    entityId = try fields.required("entity_id")
    // An invalid member causes the entry to be parked. Throwing here would reject the whole page, and no device could
    // sync past it.
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

/// Page of the feed.
public struct ChangeFeedResponse: Hashable, Sendable {
  public var changes: [ChangeEntry]
  /// Cursor of the next page, or the head on the last page.
  public var nextCursor: Int64
  public var hasMore: Bool
  /// Epoch of the versions on this page.
  public var epoch: String?
  /// Position of the hub, or `nil` if the hub sends none.
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

/// Head of the feed: the version of its latest write.
public struct LatestCursorResponse: Hashable, Sendable {
  public var cursor: Int64
  public var epoch: String?
  /// Position of the hub, or `nil` if the hub sends none.
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
