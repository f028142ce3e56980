/// Count and checksum of the live entities of one kind. Equal on device and hub if both have the same versions.
public struct KindSum: Hashable, Sendable {
  /// Number of live entities.
  public private(set) var count: Int64
  /// Sum modulo 2^64, over all live entities, of the first 8 bytes (big-endian) of SHA-256 over kind, id, version and
  /// incarnation, separated by line feeds.
  public private(set) var hash: UInt64

  public init(count: Int64 = 0, hash: UInt64 = 0) {
    self.count = count
    self.hash = hash
  }

  /// Adds a live entity.
  public mutating func add(kind: String, id: String, version: Int64, incarnation: Int64) {
    count += 1
    hash &+= Self.term(kind, id, version, incarnation)
  }

  /// Removes an entity that was added with the same arguments.
  public mutating func remove(kind: String, id: String, version: Int64, incarnation: Int64) {
    count -= 1
    hash &-= Self.term(kind, id, version, incarnation)
  }

  private static func term(_ kind: String, _ id: String, _ version: Int64, _ incarnation: Int64) -> UInt64 {
    StableHash.sha256(Array("\(kind)\n\(id)\n\(version)\n\(incarnation)".utf8)).prefix(8)
      .reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension KindSum {
  /// Checksum as 16 hexadecimal digits.
  public var hexadecimal: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Creates a sum from its wire form, or returns `nil` if `hexadecimal` is not a hexadecimal number of up to 64 bits.
  public init?(count: Int64, hexadecimal: String) {
    guard let hash = UInt64(hexadecimal, radix: 16) else { return nil }
    self.init(count: count, hash: hash)
  }
}

extension KindSum: WireDocument {
  public init(from fields: inout WireReader) throws {
    let digits: String = try fields.required("hash")
    guard let sum = KindSum(count: try fields.required("count", in: SyncRange.counter), hexadecimal: digits) else {
      throw APIError.decodingError("hash: expected 16 hexadecimal digits")
    }
    self = sum
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("count", count)
    try fields.write("hash", hexadecimal)
  }
}

/// Summary of a user's record at the head of the hub.
public struct SyncSummary: Hashable, Sendable {
  /// Name of the user.
  public var user: String
  public var position: HubPosition
  /// Count and checksum of each kind, by its wire name.
  public var kinds: [String: KindSum]
  /// Hub's id of the requesting device, or `nil` if the hub sends none.
  public var deviceId: String?
  /// Highest sequence number of the requesting store that the hub has used up.
  public var lastSequence: Int64
  /// Horizon: version up to which the hub has reduced tombstones to bare ids.
  public var horizon: Int64

  public init(
    user: String, position: HubPosition, kinds: [String: KindSum], deviceId: String? = nil, lastSequence: Int64 = 0,
    horizon: Int64 = 0
  ) {
    self.user = user
    self.position = position
    self.kinds = kinds
    self.deviceId = deviceId
    self.lastSequence = lastSequence
    self.horizon = horizon
  }
}

extension SyncSummary: WireDocument {
  public init(from fields: inout WireReader) throws {
    user = try fields.required("person")
    position = HubPosition(
      head: try fields.required("head", in: SyncRange.counter), epochs: try fields.required("epochs"),
      now: try fields.optional("now", in: SyncRange.stamp))
    kinds = try fields.required("kinds")
    deviceId = try fields.optional("device_id")
    lastSequence = try fields.optional("last_seq", in: SyncRange.counter) ?? 0
    horizon = try fields.optional("horizon", in: SyncRange.counter) ?? 0
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("counts", kinds.mapValues(\.count))
    try fields.writeIfPresent("device_id", deviceId)
    try fields.writeIfPresent("epoch", position.epoch)
    try fields.write("epochs", position.epochs)
    try fields.write("head", position.head)
    try fields.write("horizon", horizon)
    try fields.write("kinds", kinds)
    try fields.write("last_seq", lastSequence)
    try fields.writeIfPresent("now", position.now)
    try fields.write("person", user)
  }
}
