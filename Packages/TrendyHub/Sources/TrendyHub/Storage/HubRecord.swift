import Foundation
public import TrendyModels

/// One of a user's stored records, independent of the storage.
public enum HubRecord: Hashable, Sendable {
  case state(HubState)
  /// An entry or a tombstone. Indexes derived from it are not records.
  case entry(HubEntry)
  /// Hash of the kind and id of a compacted tombstone.
  case purged(HubNameHash)
  case mark(device: String, sequence: Int64)
  case outcome(device: String, sequence: Int64, StoredOutcome)
  /// A plain REST write, with the hash of its device identity and `Idempotency-Key`.
  case keyedWrite(HubNameHash, KeyedWrite)
  case contact(HubContact)
  case companion(CompanionLink)
  case notice(CompanionNotice, companion: String)
  case webhookStanding(WebhookDeliveryState)
  case `import`(HubImport)
}

/// 128-bit hash of a name that a storage must recognize but need not list.
///
/// All storages use the same hash, so records can be moved between them.
public struct HubNameHash: Hashable, Sendable, CustomStringConvertible {
  public var high: UInt64
  public var low: UInt64

  /// Creates a hash from its upper and lower 64 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns the hash of an entry's kind and id.
  public static func entry(_ kind: String, _ id: String) -> HubNameHash { HubNameHash(HubRecordKey.entry(kind, id)) }

  /// Returns the hash of a device identity and its `Idempotency-Key`.
  public static func keyedWrite(_ device: String, _ key: String) -> HubNameHash {
    HubNameHash(HubRecordKey.keyedWrite(device, key))
  }

  /// The hash as 32 hexadecimal digits.
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Parses ``description``, or returns `nil` if it is invalid.
  public init?(_ description: String) {
    guard description.utf8.count == 32, let high = UInt64(description.prefix(16), radix: 16),
      let low = UInt64(description.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension HubTransaction {
  /// Writes a record that was read from another storage.
  public func put(_ record: HubRecord) throws {
    switch record {
    case .state(let state): try setState(state)
    case .entry(let entry): try put(entry)
    case .purged(let hash): try putPurged(hash)
    case .mark(let device, let sequence): try setMark(device: device, sequence)
    case .outcome(let device, let sequence, let outcome):
      try putOutcome(device: device, sequence: sequence, outcome)
    case .keyedWrite(let hash, let write): try putKeyedWrite(hash, write)
    case .contact(let contact): try putContact(contact)
    case .companion(let companion): try put(companion)
    case .notice(let notice, let companion): try put(notice, companion: companion)
    case .webhookStanding(let standing): try put(standing)
    case .import(let entry): try put(entry)
    }
  }

  public func putKeyedWrite(device: String, key: String, _ write: KeyedWrite) throws {
    try putKeyedWrite(.keyedWrite(device, key), write)
  }
}

extension HubReadTransaction {
  public func keyedWrite(device: String, key: String) throws -> KeyedWrite? {
    try keyedWrite(.keyedWrite(device, key))
  }
}

extension HubStorage {
  private static var recordsAtOnce: Int { 1000 }

  /// Replaces all of a user's data. No hub may be serving the user.
  ///
  /// The data is written in several transactions. If an error is thrown, the data is incomplete and must be replaced
  /// again. `records` must call its argument with each record.
  public func replace(
    user: String, records: (_ put: (HubRecord) throws -> Void) throws -> Void
  ) throws {
    try write(user: user) { try $0.clear() }
    var batch: [HubRecord] = []
    func flush() throws {
      try write(user: user) { transaction in
        let keys = batch.compactMap { record in
          if case .entry(let entry) = record { HubEntryKey(kind: entry.kind, id: entry.id) } else { nil }
        }
        try transaction.prefetch(keys, device: "")
        for record in batch { try transaction.put(record) }
      }
      batch = []
    }
    try records { record in
      batch.append(record)
      if batch.count == Self.recordsAtOnce { try flush() }
    }
    if !batch.isEmpty { try flush() }
  }
}

// MARK: Comparing storages

/// Digest of a user's records, independent of their order.
public struct HubRecordDigest: Hashable, Sendable {
  public private(set) var count = 0
  /// Sums of the first and second 64 bits of each record's SHA-256.
  private var sum: (UInt64, UInt64) = (0, 0)

  public init() {}

  /// Adds a record.
  ///
  /// - Throws: An error if the record cannot be encoded as JSON.
  public mutating func add(_ record: HubRecord, of user: String) throws {
    let bytes = SHA256Digest.bytes(of: JSONText.write(try record.canonical(of: user)))
    count += 1
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    sum.0 &+= word(0..<8)
    sum.1 &+= word(8..<16)
  }

  /// Computes the digest of all records of a user in a storage.
  public init(of storage: any HubStorage, user: String) throws {
    self = try storage.read(user: user) { reading in
      var digest = HubRecordDigest()
      try reading.forEachRecord { try digest.add($0, of: user) }
      return digest
    }
  }

  public static func == (left: HubRecordDigest, right: HubRecordDigest) -> Bool {
    left.count == right.count && left.sum == right.sum
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(sum.0)
    hasher.combine(sum.1)
  }
}

extension HubRecord {
  /// Returns the complete record as JSON. Equal records have equal text.
  fileprivate func canonical(of user: String) throws -> JSONValue {
    switch self {
    case .state(let state): ["state", state.stored]
    case .entry(let entry):
      ["entry", .string(String(decoding: entry.line(user: user).text, as: UTF8.self)), entry.storedFacts]
    case .purged(let hash): ["purged", .string(hash.description)]
    case .mark(let device, let sequence): ["mark", .string(device), .int(sequence)]
    case .outcome(let device, let sequence, let outcome):
      ["outcome", .string(device), .int(sequence), outcome.stored]
    case .keyedWrite(let hash, let write):
      [
        "keyed_write", .string(hash.description), .string(write.digest), .string(write.kind), .string(write.id),
      ]
    case .contact(let contact):
      [
        "contact", .string(contact.device), .int(contact.cursor), .int(contact.at.milliseconds),
        .array(contact.epochs.map { .string($0) }),
      ]
    case .companion(let companion): ["companion", companion.stored]
    case .notice(let notice, let companion):
      ["notice", .string(companion), .string(String(decoding: try WireJSON.encode(notice), as: UTF8.self))]
    case .webhookStanding(let standing): ["webhook_standing", standing.stored]
    case .import(let entry): ["import", entry.stored]
    }
  }
}
