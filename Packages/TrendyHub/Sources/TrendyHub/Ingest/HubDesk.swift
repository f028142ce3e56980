public import Foundation
public import TrendyModels
public import TrendyPersistence
import TrendyProtocols

/// One person's record at a hub, for a part of the hub that writes to it as one more of their devices.
///
/// It says nothing of what it knew, as plain REST does not, and is refused for the same reasons.
public struct HubDesk: Sendable {
  public let person: String
  let records: HubRecords
  /// What stands for the writer in the record's fields.
  private let device: String
  private let core: HubCore
  private var readRows: (any TrackRows)?

  /// - Parameters:
  ///   - device: the writer's name.
  ///   - isLimited: whether the person's quota holds for it.
  init(records: HubRecords, person: String, device: String, isLimited: Bool) {
    self.person = person
    core = isLimited ? records.core : records.core.unlimited
    self.records = records
    self.device = HubDevice.restDevice(device)
  }

  /// The desk for what is found in rows: while they are looked through here, it writes only as long as nobody else has begun to.
  public func asReader(of rows: any TrackRows) -> HubDesk {
    var desk = self
    desk.readRows = rows
    return desk
  }

  /// All of a kind; of events the newest fifty.
  public func list<Wire: Decodable>(_ kind: SyncedKind) throws -> [Wire] {
    try records.storage.read(person: person) { reading in
      try reading.living(kind: kind.name, offset: 0, limit: kind.name == SyncedKind.event.name ? 50 : .max)
        .map { try $0.decoded(person: person) }
    }
  }

  /// The living of a kind that has no address of its own, as their members; by id.
  public func records(_ kind: SyncedKind) throws -> [(id: String, members: [String: JSONValue])] {
    try records.storage.read(person: person) { try $0.living(kind: kind.name, offset: 0, limit: .max) }
      .map { ($0.id, $0.fields.mapValues(\.value)) }.sorted { $0.0 < $1.0 }
  }

  /// The version of the last write to the record, and whether anything of a kind was written after an earlier one, deletions included.
  public func changes(of kind: SyncedKind, since version: Int64) throws -> (head: Int64, hasChanged: Bool) {
    try records.storage.read(person: person) { reading in
      let head = try reading.state().head
      // The same number in another life of a hub that was restored is above its head, or of other entries: a restart forgets it.
      return (head, try head < version || !reading.lines(ofKind: kind.name, after: version, bytes: 1).isEmpty)
    }
  }

  /// What the person calls a device; `nil` for one that is not theirs.
  public func name(ofDevice id: String) throws -> String? {
    try records.accounts.devices(person: person).first { $0.id == id }?.name
  }

  /// `nil` for what is not there, never was or was deleted.
  public func find<Wire: Decodable>(_ kind: SyncedKind, id: String) throws -> Wire? {
    let entry = try records.storage.read(person: person) { try $0.entry(kind: kind.name, id: id) }
    return try entry.flatMap { try living($0) }
  }

  private func living<Wire: Decodable>(_ entry: HubEntry) throws -> Wire? {
    entry.isAlive ? try entry.decoded(person: person) : nil
  }

  /// The living events that begin in a range.
  public func events(in range: Range<Date>) throws -> [APIEvent] {
    try records.storage.read(person: person) { reading in
      let moments = range.lowerBound.milliseconds..<max(range.lowerBound, range.upperBound).milliseconds
      return try reading.living(kind: SyncedKind.event.name, during: moments, limit: .max)
        .map { try $0.decoded(person: person) }
    }
  }

  /// - Throws: a ``Problem``, of kind `entity_deleted` for an id that was deleted.
  public func create(_ kind: SyncedKind, _ request: some Encodable) throws {
    let members = try WireJSON.members(of: request)
    try write { _ = try $0.create(kind, members, by: device, in: $1, now: $2) }
  }

  /// - Throws: a ``Problem``, with status 404 for what was never there.
  public func update(_ kind: SyncedKind, id: String, _ request: some Encodable) throws {
    let members = try WireJSON.members(of: request)
    try write { _ = try $0.update(kind, id: id, members, by: device, in: $1, now: $2) }
  }

  /// What is not there is deleted: no error.
  public func delete(_ kind: SyncedKind, id: String) throws {
    try write { try $0.delete(kind, id: id, by: device, in: $1, now: $2) }
  }

  /// Writes to what lives and is still as it is meant, as it is found in the same transaction.
  /// - Returns: whether it was; of what was not, nothing is written.
  /// - Throws: a ``Problem``.
  public func update<Wire: Decodable>(
    _ kind: SyncedKind, id: String, _ request: some Encodable, where isMeant: (Wire) throws -> Bool
  ) throws -> Bool {
    let members = try WireJSON.members(of: request)
    return try write(to: kind, id: id, where: isMeant) {
      _ = try $0.update(kind, id: id, members, by: device, in: $1, now: $2)
    }
  }

  /// As ``update(_:id:_:where:)``.
  public func delete<Wire: Decodable>(
    _ kind: SyncedKind, id: String, where isMeant: (Wire) throws -> Bool
  ) throws -> Bool {
    try write(to: kind, id: id, where: isMeant) { try $0.delete(kind, id: id, by: device, in: $1, now: $2) }
  }

  private func write<Wire: Decodable>(
    to kind: SyncedKind, id: String, where isMeant: (Wire) throws -> Bool,
    _ body: (HubCore, any HubTransaction, Date) throws -> Void
  ) throws -> Bool {
    var isWritten = false
    try write { core, transaction, now in
      let held: Wire? = try transaction.entry(kind: kind.name, id: id).flatMap { try living($0) }
      isWritten = try held.map(isMeant) ?? false
      if isWritten { try body(core, transaction, now) }
    }
    return isWritten
  }

  private func write(_ body: (HubCore, any HubTransaction, Date) throws -> Void) throws {
    let now = records.clock.now
    try records.writeHere(person: person) { transaction in
      if let reader = readRows?.reader { try transaction.renewTrackReader(reader) }
      try body(core, transaction, now)
    }
  }
}

extension HubRecords {
  /// A desk for trips and visits that are detected in posted readings.
  func ingestDesk(person: String) -> HubDesk {
    HubDesk(records: self, person: person, device: "ingest", isLimited: false)
  }
}
