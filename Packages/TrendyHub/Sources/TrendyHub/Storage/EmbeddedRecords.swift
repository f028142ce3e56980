import Foundation
import TrendyModels
import TrendyPersistence

/// The kinds of records in a hub's stores. The numbers are on disk: none is ever used for something else.
enum HubRecordKind {
  // A person's store.
  static let state: UInt8 = 1
  /// By kind and id; sorted by version, grouped by kind.
  static let entry: UInt8 = 2
  /// One for each living entity, under the entry's key; sorted by its place in lists, grouped by kind. An event's holds its moment.
  static let living: UInt8 = 3
  /// One for each reference of a living entity; sorted by its version, grouped by what it refers to.
  static let reference: UInt8 = 4
  static let mark: UInt8 = 5
  /// Sorted by sequence, grouped by device.
  static let outcome: UInt8 = 6
  static let keyedWrite: UInt8 = 7
  /// One for each tombstone, under the entry's key; sorted by version.
  static let tombstone: UInt8 = 8
  /// The bare id of a tombstone that was compacted away, under the key the entry had.
  static let purged: UInt8 = 9
  /// Where a device stood.
  static let contact: UInt8 = 10
  static let companion: UInt8 = 11
  /// On its way to a companion; sorted by sequence, grouped by companion.
  static let notice: UInt8 = 12
  /// How far the deliveries to a webhook have come.
  static let webhookStanding: UInt8 = 13
  /// A file that was taken in.
  static let fileImport: UInt8 = 14

  /// All of a person's store.
  static let ofPerson: ClosedRange<UInt8> = state...fileImport

  // The directory.
  static let person: UInt8 = 16
  static let device: UInt8 = 17
  /// Sorted by expiry.
  static let pairingCode: UInt8 = 18
  static let webhook: UInt8 = 19
  /// Sorted by the last attempt.
  static let pairingAttempts: UInt8 = 20
}

/// Keys and groups are hashes of text with its parts parted by a sign that no id holds.
enum HubRecordKey {
  static let state = RecordKey(hashing: "state")

  static func entry(_ kind: String, _ id: String) -> RecordKey { RecordKey(hashing: "\(kind)\u{0}\(id)") }
  static func reference(_ kind: String, _ id: String, field: String) -> RecordKey {
    RecordKey(hashing: "\(kind)\u{0}\(id)\u{0}\(field)")
  }
  /// Of a device's mark, and of its contact.
  static func device(_ device: String) -> RecordKey { RecordKey(hashing: device) }
  static func outcome(_ device: String, _ sequence: Int64) -> RecordKey {
    RecordKey(hashing: "\(device)\u{0}\(sequence)")
  }
  static func keyedWrite(_ device: String, _ key: String) -> RecordKey { RecordKey(hashing: "\(device)\u{0}\(key)") }

  static func notice(_ companion: String, _ sequence: Int64) -> RecordKey {
    RecordKey(hashing: "\(companion)\u{0}\(sequence)")
  }

  /// 0 would mean no group.
  static func group(_ text: String) -> UInt64 { max(1, Checksum.xxh64(text)) }
  static func group(_ kind: String, _ id: String) -> UInt64 { group("\(kind)\u{0}\(id)") }
}

extension HubNameHash {
  init(_ key: RecordKey) { self.init(high: key.high, low: key.low) }

  var key: RecordKey { RecordKey(high: high, low: low) }
}

extension Record {
  /// Every record here but an entry is one JSON document.
  func document() throws -> JSONValue {
    do {
      return try JSONText.parse(Data(payload), maximumDepth: JSONText.maximumDepth * 2)
    } catch {
      throw HubStorageError.unreadable("a record of kind \(kind) is no JSON: \(error.detail)")
    }
  }

  func unreadable() -> HubStorageError {
    .unreadable("a record of kind \(kind) cannot be read by this version: install a newer one, or run `trendy doctor`")
  }
}

extension WriteTransaction {
  func put(kind: UInt8, key: RecordKey, sort: Int64 = 0, group: UInt64 = 0, document: JSONValue) throws {
    try put(kind: kind, key: key, sort: sort, group: group, payload: Array(JSONText.write(document)))
  }
}
