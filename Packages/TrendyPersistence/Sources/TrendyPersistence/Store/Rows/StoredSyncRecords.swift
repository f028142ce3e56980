import TrendyFoundation
import TrendyModels

/// Mutation and its position among mutations with the same creation time.
struct QueuedMutation: StoredRow {
  var mutation: PendingMutation
  /// Position, which increases with every insertion.
  var place: UInt64

  static var kind: UInt8 { RowKind.mutation }
  static var lastField: Int { 18 }
  var rowIdentifier: String { mutation.id }
  var rowSort: Int64 { RowOrder.sort(mutation.createdAt) }
  var rowGroup: UInt64 { RowOrder.group(mutation.entityId) }

  init(mutation: PendingMutation, place: UInt64) {
    self.mutation = mutation
    self.place = place
  }

  func write(to writer: RowWriter) {
    writer.integer(2, place)
    writer.integer(3, StoredCode.code(mutation.entityType))
    writer.identifier(4, mutation.entityId)
    writer.integer(5, StoredCode.code(mutation.operation))
    writer.data(6, mutation.payload)
    writer.date(7, mutation.createdAt)
    if mutation.idempotencyKey != mutation.id { writer.identifier(8, mutation.idempotencyKey) }
    if mutation.attempts != 0 { writer.signed(9, Int64(mutation.attempts)) }
    writer.text(10, mutation.lastError)
    if let sequence = mutation.sequence { writer.signed(11, sequence) }
    writer.identifier(12, mutation.device)
    if mutation.incarnation != 0 { writer.signed(13, mutation.incarnation) }
    if let base = mutation.base { writer.signed(14, base) }
    writer.marks(mutation.marks, from: 15)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var place: UInt64 = 0
    var entityType: MutationEntityType?
    var entityId: String?
    var operation: MutationOperation?
    var payload = Data()
    var createdAt: Date?
    var idempotencyKey: String?
    var attempts = 0
    var lastError: String?
    var sequence: Int64?
    var device: String?
    var incarnation: Int64 = 0
    var base: Int64?
    var marks = StoredMarks(firstField: 15)
    while let field = fields.next() {
      switch field.number {
      case 2: place = field.integer
      case 3: entityType = StoredCode.entity(field.integer)
      case 4: entityId = field.identifier
      case 5: operation = StoredCode.operation(field.integer)
      case 6: payload = field.data
      case 7: createdAt = field.date
      case 8: idempotencyKey = field.identifier
      case 9: attempts = Int(field.bounded)
      case 10: lastError = field.text
      case 11: sequence = field.bounded
      case 12: device = field.identifier
      case 13: incarnation = field.bounded
      case 14: base = field.bounded
      default: if !marks.take(field) { return nil }
      }
    }
    guard !fields.isBroken, let entityType, let entityId, let operation, let createdAt else { return nil }
    mutation = PendingMutation(
      id: identifier(), entityType: entityType, entityId: entityId, operation: operation, payload: payload,
      createdAt: createdAt, idempotencyKey: idempotencyKey, attempts: attempts, lastError: lastError,
      sequence: sequence, device: device, marks: marks.marks, base: base, incarnation: incarnation)
    self.place = place
  }
}

extension Tombstone: StoredRow {
  static var kind: UInt8 { RowKind.tombstone }
  static var lastField: Int { 4 }
  var rowIdentifier: String { "\(entityType.rawValue)/\(entityId)" }

  func write(to writer: RowWriter) {
    writer.integer(2, StoredCode.code(entityType))
    writer.identifier(3, entityId)
    if let version { writer.signed(4, version) }
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var entityType: MutationEntityType?
    var entityId: String?
    var version: Int64?
    while let field = fields.next() {
      switch field.number {
      case 2: entityType = StoredCode.entity(field.integer)
      case 3: entityId = field.identifier
      case 4: version = field.bounded
      default: break
      }
    }
    guard !fields.isBroken, let entityType, let entityId else { return nil }
    self.init(entityType: entityType, entityId: entityId, version: version)
  }
}

/// Conflict and its position among conflicts recorded at the same time.
struct JournalledConflict: StoredRow {
  var conflict: Conflict
  /// Position, which increases with every insertion.
  var place: UInt64

  static var kind: UInt8 { RowKind.conflict }
  static var lastField: Int { 8 }
  var rowIdentifier: String { conflict.id }
  var rowSort: Int64 { RowOrder.sort(conflict.recordedAt) }

  init(conflict: Conflict, place: UInt64) {
    self.conflict = conflict
    self.place = place
  }

  func write(to writer: RowWriter) {
    writer.integer(2, place)
    writer.integer(3, StoredCode.code(conflict.entityType))
    writer.identifier(4, conflict.entityId)
    writer.integer(5, StoredCode.code(conflict.operation))
    writer.data(6, conflict.payload)
    writer.text(7, conflict.reason)
    writer.date(8, conflict.recordedAt)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var place: UInt64 = 0
    var entityType: MutationEntityType?
    var entityId: String?
    var operation: MutationOperation?
    var payload = Data()
    var reason = ""
    var recordedAt: Date?
    while let field = fields.next() {
      switch field.number {
      case 2: place = field.integer
      case 3: entityType = StoredCode.entity(field.integer)
      case 4: entityId = field.identifier
      case 5: operation = StoredCode.operation(field.integer)
      case 6: payload = field.data
      case 7: reason = field.text
      case 8: recordedAt = field.date
      default: break
      }
    }
    guard !fields.isBroken, let entityType, let entityId, let operation, let recordedAt else { return nil }
    conflict = Conflict(
      id: identifier(), entityType: entityType, entityId: entityId, operation: operation, payload: payload,
      reason: reason, recordedAt: recordedAt)
    self.place = place
  }
}

extension ChangeEntry: StoredRow {
  static var kind: UInt8 { RowKind.parkedChange }
  static var lastField: Int { 13 }
  /// Includes the length of the type, so that different pairs of type and id have different identifiers.
  var rowIdentifier: String { "\(entityType.utf8.count) \(entityType) \(entityId)" }
  var rowSort: Int64 { min(id, .max - 1) }
  /// Group key of the entity whose arrival or deletion may allow the change to be applied: for a deletion the entity
  /// itself, otherwise its parent.
  var rowGroup: UInt64 { (isDelete ? entityId : parentId).map { RowOrder.group($0) } ?? 0 }

  var parentId: String? {
    guard !isDelete, let data, let parent = SyncedKind.named(entityType)?.parent else { return nil }
    return data.rawData[parent.name]?.stringValue
  }

  func write(to writer: RowWriter) {
    writer.signed(2, id)
    writer.text(3, entityType)
    writer.text(4, operation)
    writer.identifier(5, entityId)
    if let data { writer.json(6, .object(data.rawData)) }
    writer.date(7, deletedAt)
    writer.date(8, createdAt)
    writer.members(9, unknownFields)
    if incarnation != 0 { writer.signed(10, incarnation) }
    writer.marks(marks, from: 11)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var version: Int64?
    var entityType: String?
    var operation: String?
    var entityId: String?
    var data: ChangeEntryData?
    var deletedAt: Date?
    var createdAt: Date?
    var unknownFields: [String: JSONValue] = [:]
    var incarnation: Int64 = 0
    var marks = StoredMarks(firstField: 11)
    while let field = fields.next() {
      switch field.number {
      case 2: version = field.bounded
      case 3: entityType = field.text
      case 4: operation = field.text
      case 5: entityId = field.identifier
      case 6:
        guard let members = field.json?.objectValue else { return nil }
        data = ChangeEntryData(rawData: members)
      case 7: deletedAt = field.date
      case 8: createdAt = field.date
      case 9:
        guard let (name, value) = field.member else { return nil }
        unknownFields[name] = value
      case 10: incarnation = field.bounded
      default: if !marks.take(field) { return nil }
      }
    }
    guard !fields.isBroken, let version, let entityType, let operation, let entityId else { return nil }
    self.init(
      id: version, entityType: entityType, operation: operation, entityId: entityId, data: data,
      deletedAt: deletedAt, createdAt: createdAt, unknownFields: unknownFields, incarnation: incarnation,
      marks: marks.marks)
  }
}

/// Single value in a store: the cursor or the device identity.
struct StoredSetting: StoredRow {
  static let cursor = "sync cursor"
  static let identity = "sync identity"

  var name: String
  var number: Int64
  var text: String?

  static var kind: UInt8 { RowKind.setting }
  static var lastField: Int { 3 }
  var rowIdentifier: String { name }

  init(name: String, number: Int64, text: String? = nil) {
    self.name = name
    self.number = number
    self.text = text
  }

  func write(to writer: RowWriter) {
    writer.signed(2, number)
    writer.text(3, text)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var number: Int64?
    var text: String?
    while let field = fields.next() {
      switch field.number {
      case 2: number = field.signed
      case 3: text = field.text
      default: break
      }
    }
    guard !fields.isBroken, let number else { return nil }
    self.init(name: identifier(), number: number, text: text)
  }
}
