import TrendyFoundation
import TrendyModels

/// Decodes field versions. Three fields starting at ``firstField`` contain the version shared by all fields that have
/// no entry; the next field contains the entries.
struct StoredMarks {
  let firstField: Int
  private(set) var named: [String: FieldVersion] = [:]
  private var version: Int64?
  private var stamp: Int64 = 0
  private var author: String?

  init(firstField: Int) { self.firstField = firstField }

  var marks: [String: FieldVersion] {
    guard let version else { return named }
    var marks = named
    marks[FieldVersion.others] = FieldVersion(version: version, stamp: stamp, author: author)
    return marks
  }

  /// Reads a field if it belongs to the field versions, and ignores any other.
  /// - Returns: `false` if the field is malformed.
  mutating func take(_ field: RowReader.Field) -> Bool {
    switch field.number - firstField {
    case 0: version = field.bounded
    case 1: stamp = field.bounded
    case 2: author = field.identifier
    case 3:
      guard let (name, value) = field.member, let parts = value.arrayValue, parts.count == 3,
        let version = parts[0].intValue, let stamp = parts[1].intValue
      else { return false }
      named[name] = FieldVersion(version: version.bounded, stamp: stamp.bounded, author: parts[2].stringValue)
    default: break
    }
    return true
  }
}

extension RowWriter {
  func marks(_ marks: [String: FieldVersion], from field: Int) {
    if marks.isEmpty { return }
    if let common = marks[FieldVersion.others] {
      signed(field, common.version)
      signed(field + 1, common.stamp)
      identifier(field + 2, common.author)
    }
    guard marks.count > (marks[FieldVersion.others] == nil ? 0 : 1) else { return }
    var others: [String: JSONValue] = [:]
    for (name, mark) in marks where name != FieldVersion.others {
      others[name] = [.int(mark.version), .int(mark.stamp), mark.author.map { .string($0) } ?? .null]
    }
    members(field + 3, others)
  }
}

/// Replica entry. Unlike a parked change, it is found by kind and identifier.
struct HeldEntry: StoredRow {
  var entry: ChangeEntry
  var entityType: MutationEntityType

  init?(_ entry: ChangeEntry) {
    guard let entityType = MutationEntityType(rawValue: entry.entityType) else { return nil }
    self.entry = entry
    self.entityType = entityType
  }

  /// Unused, because each entity kind has its own row kind.
  static var kind: UInt8 { 0 }
  static var lastField: Int { 11 }
  var rowKind: UInt8 { RowKind.heldEntry(entityType) }
  var rowIdentifier: String { entry.entityId }
  var rowSort: Int64 { min(entry.id, .max - 1) }
  var rowGroup: UInt64 { entry.parentId.map { RowOrder.group($0) } ?? 0 }

  func write(to writer: RowWriter) {
    writer.integer(2, StoredCode.code(entityType))
    writer.signed(3, entry.id)
    if entry.incarnation != 0 { writer.signed(4, entry.incarnation) }
    writer.flag(5, entry.isDelete)
    writer.date(6, entry.deletedAt)
    if let data = entry.data { writer.json(7, .object(data.rawData)) }
    writer.marks(entry.marks, from: 8)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var entityType: MutationEntityType?
    var version: Int64?
    var incarnation: Int64 = 0
    var isDelete = false
    var deletedAt: Date?
    var data: ChangeEntryData?
    var marks = StoredMarks(firstField: 8)
    while let field = fields.next() {
      switch field.number {
      case 2: entityType = StoredCode.entity(field.integer)
      case 3: version = field.bounded
      case 4: incarnation = field.bounded
      case 5: isDelete = field.flag
      case 6: deletedAt = field.date
      case 7:
        guard let members = field.json?.objectValue else { return nil }
        data = ChangeEntryData(rawData: members)
      default: if !marks.take(field) { return nil }
      }
    }
    guard !fields.isBroken, let entityType, let version else { return nil }
    self.entityType = entityType
    entry = ChangeEntry(
      id: version, entityType: entityType.rawValue,
      operation: (isDelete ? MutationOperation.delete : .update).rawValue, entityId: identifier(), data: data,
      deletedAt: deletedAt, incarnation: incarnation, marks: marks.marks)
  }
}

/// Mutation that the hub accepted, sorted by the version it produced.
struct AcceptedMutation: StoredRow {
  private var queued: QueuedMutation

  init(_ mutation: PendingMutation) { queued = QueuedMutation(mutation: mutation, place: 0) }

  var mutation: PendingMutation { queued.mutation }

  static var kind: UInt8 { RowKind.acceptedMutation }
  static var lastField: Int { QueuedMutation.lastField + 1 }
  private static var versionField: Int { lastField }
  var rowIdentifier: String { mutation.id }
  var rowSort: Int64 { min(mutation.acceptedVersion ?? 0, .max - 1) }
  var rowGroup: UInt64 { queued.rowGroup }

  func write(to writer: RowWriter) {
    queued.write(to: writer)
    writer.signed(Self.versionField, mutation.acceptedVersion ?? 0)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var all = fields
    guard let queued = QueuedMutation(identifier: identifier(), fields: &fields) else { return nil }
    self.queued = queued
    while let field = all.next() {
      if field.number == Self.versionField { self.queued.mutation.acceptedVersion = field.bounded }
    }
  }
}

/// Entity of a kind without a separate Swift type.
struct StoredRecord: StoredRow {
  var record: SyncedRecord

  init(_ record: SyncedRecord) { self.record = record }

  /// Unused, because each entity kind has its own row kind.
  static var kind: UInt8 { 0 }
  static var lastField: Int { 4 }
  var rowKind: UInt8 { RowKind.record(record.kind) }
  var rowIdentifier: String { record.id }

  func write(to writer: RowWriter) {
    writer.integer(2, StoredCode.code(record.kind))
    if record.syncStatus != .pending { writer.integer(3, StoredCode.code(record.syncStatus)) }
    writer.members(4, record.fields)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var kind: MutationEntityType?
    var syncStatus = SyncStatus.pending
    var members: [String: JSONValue] = [:]
    while let field = fields.next() {
      switch field.number {
      case 2: kind = StoredCode.entity(field.integer)
      case 3:
        guard let status = StoredCode.status(field.integer) else { return nil }
        syncStatus = status
      case 4:
        guard let (name, value) = field.member else { return nil }
        members[name] = value
      default: break
      }
    }
    guard !fields.isBroken, let kind else { return nil }
    record = SyncedRecord(id: identifier(), kind: kind, fields: members, syncStatus: syncStatus)
  }
}

/// The only row with a store's sync metadata.
struct StoredMemory: StoredRow {
  static let name = "hub"

  var memory: SyncMetadata

  init(_ memory: SyncMetadata) { self.memory = memory }

  static var kind: UInt8 { RowKind.syncMemory }
  static var lastField: Int { 11 }
  var rowIdentifier: String { Self.name }

  func write(to writer: RowWriter) {
    if !memory.epochs.isEmpty {
      writer.json(2, memory.epochs.stored)
    }
    writer.signed(3, memory.seen)
    writer.signed(4, memory.complete)
    writer.signed(5, memory.generation)
    writer.signed(6, memory.lastStamp)
    writer.signed(7, memory.clockOffset)
    if let anchor = memory.clockAnchor {
      writer.identifier(8, anchor.boot)
      writer.signed(9, anchor.elapsed)
      writer.signed(10, anchor.hub)
    }
    if let snapshot = memory.snapshot { writer.json(11, snapshot.stored) }
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    memory = SyncMetadata()
    var anchor = SyncMetadata.ClockAnchor(boot: "", elapsed: 0, hub: 0)
    while let field = fields.next() {
      switch field.number {
      case 2:
        guard let epochs = field.json.flatMap({ [HubEpoch](stored: $0) }) else { return nil }
        memory.epochs = epochs
      case 3: memory.seen = field.bounded
      case 4: memory.complete = field.bounded
      case 5: memory.generation = field.bounded
      case 6: memory.lastStamp = field.bounded
      case 7: memory.clockOffset = field.bounded
      case 8: anchor.boot = field.identifier
      case 9: anchor.elapsed = field.bounded
      case 10: anchor.hub = field.bounded
      case 11:
        guard let snapshot = field.json.flatMap({ SyncMetadata.SnapshotProgress(stored: $0) }) else { return nil }
        memory.snapshot = snapshot
      default: break
      }
    }
    if !anchor.boot.isEmpty { memory.clockAnchor = anchor }
    if fields.isBroken { return nil }
  }
}

extension [HubEpoch] {
  fileprivate var stored: JSONValue { .array(map { [.string($0.id), .int($0.first)] }) }

  fileprivate init?(stored: JSONValue) {
    self = []
    for value in stored.arrayValue ?? [] {
      guard let parts = value.arrayValue, parts.count == 2, let id = parts[0].stringValue, let first = parts[1].intValue
      else { return nil }
      append(HubEpoch(id: id, first: first.bounded))
    }
  }
}

extension SyncMetadata.SnapshotProgress {
  fileprivate var stored: JSONValue {
    [
      "cursor": .int(cursor), "epochs": epochs.stored, "next": .string(next), "first": .bool(isFirst),
      "unnamed": .object(unnamed.mapValues { .array($0.sorted().map { .string($0) }) }),
    ]
  }

  fileprivate init?(stored: JSONValue) {
    guard let members = stored.objectValue, let cursor = members["cursor"]?.intValue,
      let epochs = members["epochs"].flatMap({ [HubEpoch](stored: $0) }), let next = members["next"]?.stringValue,
      let isFirst = members["first"]?.boolValue, let unnamed = members["unnamed"]?.objectValue
    else { return nil }
    self.init(
      cursor: cursor.bounded, epochs: epochs, next: next, isFirst: isFirst,
      unnamed: unnamed.mapValues { Set(($0.arrayValue ?? []).compactMap(\.stringValue)) })
  }
}
