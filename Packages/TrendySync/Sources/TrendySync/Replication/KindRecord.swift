import TrendyModels
import TrendyProtocols

protocol RecordKind: Hashable, Sendable {
  static var entityType: MutationEntityType { get }
}

enum VehicleKind: RecordKind { static var entityType: MutationEntityType { .vehicle } }
enum TripRuleKind: RecordKind { static var entityType: MutationEntityType { .tripRule } }
enum SettingKind: RecordKind { static var entityType: MutationEntityType { .setting } }
enum SkipKind: RecordKind { static var entityType: MutationEntityType { .skip } }
enum ConflictKind: RecordKind { static var entityType: MutationEntityType { .conflict } }

protocol RecordEntity: StoredEntity {
  var record: SyncedRecord { get set }
  init(_ record: SyncedRecord)
}

extension MutationEntityType {
  var stored: any StoredEntity.Type {
    switch self {
    case .event: Event.self
    case .eventType: EventType.self
    case .geofence: Geofence.self
    case .propertyDefinition: PropertyDefinition.self
    case .vehicle: KindRecord<VehicleKind>.self
    case .tripRule: KindRecord<TripRuleKind>.self
    case .setting: KindRecord<SettingKind>.self
    case .skip: KindRecord<SkipKind>.self
    case .conflict: KindRecord<ConflictKind>.self
    }
  }

  /// Type that stores entities of this kind. Throws ``RecorderError/hasItsOwnType(_:)`` for a kind with its own Swift
  /// type.
  var recordType: any RecordEntity.Type {
    get throws {
      guard let type = stored as? any RecordEntity.Type else { throw RecorderError.hasItsOwnType(self) }
      return type
    }
  }
}

/// Entity of a kind without its own Swift type, adapted to the sync protocols.
struct KindRecord<Kind: RecordKind>: SyncedEntity {
  typealias Wire = RecordDocument
  typealias CreateRequest = NewRecord
  typealias UpdateRequest = RecordChanges

  var record: SyncedRecord

  init(_ record: SyncedRecord) { self.record = record }

  static var entityType: MutationEntityType { Kind.entityType }

  var id: String { record.id }

  var syncStatus: SyncStatus {
    get { record.syncStatus }
    set { record.syncStatus = newValue }
  }

  init(_ wire: RecordDocument) {
    record = SyncedRecord(id: wire.id, kind: Kind.entityType, fields: wire.fields, syncStatus: .synced)
  }

  init(_ request: NewRecord) {
    record = SyncedRecord(id: request.document.id, kind: Kind.entityType, fields: request.document.fields)
  }

  var createRequest: NewRecord { NewRecord(document: RecordDocument(id: id, fields: record.fields)) }

  func updateRequest(from old: KindRecord) -> RecordChanges? {
    var changes: [String: JSONValue] = [:]
    for (name, value) in record.fields where old.record.fields[name] != value { changes[name] = value }
    for name in old.record.fields.keys where record.fields[name] == nil { changes.updateValue(.null, forKey: name) }
    return changes.isEmpty ? nil : RecordChanges(members: changes)
  }

  mutating func apply(_ request: RecordChanges) {
    for (name, value) in request.members where !RecordDocument.ownMembers.contains(name) {
      record.fields[name] = value.isNull ? nil : .some(value)
    }
  }
}

struct RecordDocument: Hashable, Sendable, Codable {
  var id: String
  /// Fields without null values and without ``ownMembers``, which only the hub sets.
  var fields: [String: JSONValue]

  static let ownMembers: Set<String> = ["id", "user_id", "created_at", "updated_at"]

  init(id: String, fields: [String: JSONValue]) {
    self.id = id
    self.fields = fields
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.singleValueContainer().decode([String: JSONValue].self)
    guard let id = members["id"]?.stringValue else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "expected an id, found nothing"))
    }
    self.init(id: id, fields: members.filter { !Self.ownMembers.contains($0.key) && !$0.value.isNull })
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(fields.merging(["id": .string(id)]) { $1 })
  }
}

struct NewRecord: Hashable, Sendable, Codable {
  var document: RecordDocument

  init(document: RecordDocument) { self.document = document }
  init(from decoder: any Decoder) throws { document = try RecordDocument(from: decoder) }
  func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}

/// Payload of an update: null clears a field, an absent field is unchanged.
struct RecordChanges: Hashable, Sendable, Codable {
  var members: [String: JSONValue]

  init(members: [String: JSONValue]) { self.members = members }

  init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: JSONValue].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(members)
  }
}

extension KindRecord: RecordEntity {
  static func find(id: String, in store: any DataStoreProtocol) throws -> KindRecord? {
    try store.findRecord(kind: Kind.entityType, id: id).map { KindRecord($0) }
  }
  static func fetchAll(in store: any DataStoreProtocol) throws -> [KindRecord] {
    try store.fetchRecords(kind: Kind.entityType).map { KindRecord($0) }
  }
  static func write(_ entity: KindRecord, in store: any DataStoreProtocol) throws {
    try store.upsertRecord(entity.record)
  }
  static func delete(id: String, in store: any DataStoreProtocol) throws {
    try store.deleteRecord(kind: Kind.entityType, id: id)
  }
  static func markSynced(id: String, in store: any DataStoreProtocol) throws {
    guard var record = try store.findRecord(kind: Kind.entityType, id: id) else { return }
    record.syncStatus = .synced
    try store.upsertRecord(record)
  }
  var parentEventTypeId: String? {
    SyncedKind.named(Kind.entityType.rawValue)?.parent.flatMap { record.fields[$0.name]?.stringValue }
  }

  func moved(toEventType id: String) -> KindRecord? {
    guard let parent = SyncedKind.named(Kind.entityType.rawValue)?.parent else { return nil }
    var moved = self
    moved.record.fields[parent.name] = .string(id)
    return moved
  }
}
