import TrendyFoundation
import TrendyModels

/// Kinds of rows in a device's store. They are part of the file format.
enum RowKind {
  static let event: UInt8 = 1
  static let eventType: UInt8 = 2
  static let geofence: UInt8 = 3
  static let propertyDefinition: UInt8 = 4
  static let mutation: UInt8 = 5
  static let tombstone: UInt8 = 6
  static let conflict: UInt8 = 7
  static let parkedChange: UInt8 = 8
  static let setting: UInt8 = 9
  static let acceptedMutation: UInt8 = 10
  static let syncMemory: UInt8 = 11
  static let note: UInt8 = 12
  static let savedEvent: UInt8 = 13

  /// Returns the row kind for replica entries of an entity kind. Separate kinds allow the identifier alone to be the
  /// key.
  static func heldEntry(_ kind: MutationEntityType) -> UInt8 { 32 + UInt8(StoredCode.code(kind)) }
  static func isHeldEntry(_ kind: UInt8) -> Bool { kind >> 5 == 1 }
  static func record(_ kind: MutationEntityType) -> UInt8 { 64 + UInt8(StoredCode.code(kind)) }

  static func isRecord(_ kind: UInt8) -> Bool { kind >> 5 == 2 }

  /// Returns the kind of entity that rows of this kind contain; `nil` for sync state.
  static func entity(_ kind: UInt8) -> MutationEntityType? {
    switch kind {
    case event: .event
    case eventType: .eventType
    case geofence: .geofence
    case propertyDefinition: .propertyDefinition
    default: isRecord(kind) ? StoredCode.entity(UInt64(kind & 31)) : nil
    }
  }

  /// Returns the name of a kind as displayed to users.
  static func name(_ kind: UInt8) -> String {
    switch kind {
    case event: "event"
    case eventType: "event type"
    case geofence: "place"
    case propertyDefinition: "property"
    case mutation: "pending change"
    case tombstone: "tombstone"
    case conflict: "conflict"
    case parkedChange: "parked change"
    case setting: "setting"
    case acceptedMutation: "accepted change"
    case syncMemory: "sync metadata"
    case note: "local value"
    case savedEvent: "save order"
    default:
      if let type = StoredCode.entity(UInt64(kind & 31)), isHeldEntry(kind) || isRecord(kind) {
        isHeldEntry(kind) ? "hub copy of \(type.words)" : type.words
      } else {
        "row of kind \(kind)"
      }
    }
  }
}

/// Value that is stored as a row in a device's store.
///
/// Field 1 contains the identifier as text if the row's key is a hash, and is absent otherwise.
protocol StoredRow {
  /// Kind of the rows, if all rows of this type have the same kind.
  static var kind: UInt8 { get }
  var rowKind: UInt8 { get }
  /// Highest field number that this version writes.
  static var lastField: Int { get }

  var rowIdentifier: String { get }
  var rowSort: Int64 { get }
  /// Group key, or 0 for none.
  var rowGroup: UInt64 { get }

  /// Reads all fields above 1. Returns `nil` if a required field is missing, or has content unknown to this version.
  init?(identifier: @autoclosure () -> String, fields: inout RowReader)
  func write(to writer: RowWriter)
  /// Returns the group key, which writing the row may already have computed.
  func rowGroup(writtenBy writer: RowWriter) -> UInt64

  /// Decodes a row of this kind, or returns `nil` in the same cases as the initializer.
  static func read(_ record: UnsafeRawPointer, with reader: EventReader) -> Self?
  /// Whether the row has this identifier. `key` is the identifier's key.
  func isNamed(_ identifier: String, at key: RowKey) -> Bool
}

extension StoredRow {
  var rowKind: UInt8 { Self.kind }
  var rowSort: Int64 { 0 }
  var rowGroup: UInt64 { 0 }

  func rowGroup(writtenBy writer: RowWriter) -> UInt64 { rowGroup }

  static func read(_ record: UnsafeRawPointer, with reader: EventReader) -> Self? {
    var fields = RowReader(RowLayout.payload(record))
    let start = fields
    if let first = fields.next(), first.number == 1 { return Self(identifier: first.text, fields: &fields) }
    fields = start
    return Self(identifier: RowLayout.key(record).uuidText, fields: &fields)
  }

  func isNamed(_ identifier: String, at key: RowKey) -> Bool { rowIdentifier == identifier }
}

enum RowOrder {
  /// Returns microseconds since 2001-01-01T00:00:00Z, rounded down. Values out of range are clamped; NaN becomes the
  /// lowest value.
  static func sort(_ date: Date) -> Int64 {
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.down)
    if microseconds >= 9.2e18 { return .max - 1 }
    return microseconds > -9.2e18 ? Int64(microseconds) : .min
  }

  /// Returns the group key for rows that refer to this identifier. Never 0.
  static func group(_ identifier: String) -> UInt64 { max(identifier.withBytes { Checksum.xxh64($0) }, 1) }
}
