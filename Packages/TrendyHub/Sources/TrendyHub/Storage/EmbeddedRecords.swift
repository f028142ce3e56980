import Foundation
import TrendyModels
import TrendyPersistence

/// Kinds of rows in a hub's stores. The numbers are part of the file format and must never be reused.
enum HubRecordKind {
  // Rows of a user's store.
  static let state: UInt8 = 1
  /// Entry, keyed by kind and id. Sorted by version, grouped by kind.
  static let entry: UInt8 = 2
  /// One row per live entity, with the entry's key. Sorted by list order, grouped by kind. An event's row contains a
  /// `StoredMoment`.
  static let living: UInt8 = 3
  /// One row for each reference from a live entity. Sorted by version, grouped by the referenced entity.
  static let reference: UInt8 = 4
  static let mark: UInt8 = 5
  /// Outcome of a mutation. Sorted by sequence number, grouped by device.
  static let outcome: UInt8 = 6
  static let keyedWrite: UInt8 = 7
  /// One row per tombstone, with the entry's key. Sorted by version.
  static let tombstone: UInt8 = 8
  /// Id of a compacted tombstone, under the entry's key.
  static let purged: UInt8 = 9
  static let contact: UInt8 = 10
  static let companion: UInt8 = 11
  /// Notice in transit. Sorted by sequence number, grouped by companion.
  static let notice: UInt8 = 12
  static let webhookStanding: UInt8 = 13
  static let fileImport: UInt8 = 14

  static let ofPerson: ClosedRange<UInt8> = state...fileImport

  // Rows of the directory store.
  static let user: UInt8 = 16
  static let device: UInt8 = 17
  /// Sorted by expiry.
  static let pairingCode: UInt8 = 18
  static let webhook: UInt8 = 19
  /// Sorted by time of the last attempt.
  static let pairingAttempts: UInt8 = 20
}

/// Row keys and group keys: hashes of names joined by U+0000, which no id can contain.
enum HubRecordKey {
  static let state = RowKey(hashing: "state")

  static func entry(_ kind: String, _ id: String) -> RowKey { RowKey(hashing: "\(kind)\u{0}\(id)") }
  static func reference(_ kind: String, _ id: String, field: String) -> RowKey {
    RowKey(hashing: "\(kind)\u{0}\(id)\u{0}\(field)")
  }
  /// Key of a device's high-water mark and contact.
  static func device(_ device: String) -> RowKey { RowKey(hashing: device) }
  static func outcome(_ device: String, _ sequence: Int64) -> RowKey {
    RowKey(hashing: "\(device)\u{0}\(sequence)")
  }
  static func keyedWrite(_ device: String, _ key: String) -> RowKey { RowKey(hashing: "\(device)\u{0}\(key)") }

  static func notice(_ companion: String, _ sequence: Int64) -> RowKey {
    RowKey(hashing: "\(companion)\u{0}\(sequence)")
  }

  /// Returns a group key. The value 0 is reserved for rows without a group.
  static func group(_ text: String) -> UInt64 { max(1, Checksum.xxh64(text)) }
  static func group(_ kind: String, _ id: String) -> UInt64 { group("\(kind)\u{0}\(id)") }
}

extension HubNameHash {
  init(_ key: RowKey) { self.init(high: key.high, low: key.low) }

  var key: RowKey { RowKey(high: high, low: low) }
}

extension Row {
  /// Decodes the row as a JSON document, the format of every kind except entries.
  func document() throws -> JSONValue {
    do {
      return try JSONText.parse(Data(payload), maximumDepth: JSONText.maximumDepth * 2)
    } catch {
      throw HubStorageError.unreadable("row of kind \(kind) contains invalid JSON: \(error.detail)")
    }
  }

  func unreadable() -> HubStorageError {
    .unreadable("this version cannot read a row of kind \(kind): install a newer version, or run `trendy doctor`")
  }
}

extension WriteTransaction {
  func put(kind: UInt8, key: RowKey, sort: Int64 = 0, group: UInt64 = 0, document: JSONValue) throws {
    try put(kind: kind, key: key, sort: sort, group: group, payload: Array(JSONText.write(document)))
  }
}
