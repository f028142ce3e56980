public import Foundation
public import TrendyModels
public import TrendyPersistence
import TrendyProtocols

/// Access to a user's record for a hub component that writes like an additional device.
///
/// Like plain REST writes, its writes have no bases and are refused for the same reasons.
public struct UserRecordService: Sendable {
  /// Id of the user.
  public let user: String
  let records: HubRecords
  /// Author of the fields written by this service.
  private let device: String
  private let core: HubCore
  private var readRows: (any TrackRows)?

  /// `device` is the writer's name, and `isLimited` is whether the user's quota applies.
  init(records: HubRecords, user: String, device: String, isLimited: Bool) {
    self.user = user
    core = isLimited ? records.core : records.core.unlimited
    self.records = records
    self.device = HubDevice.restDevice(device)
  }

  /// Returns a service for events detected in the given track rows.
  ///
  /// Its writes fail once another process has acquired the lease on these rows.
  public func asReader(of rows: any TrackRows) -> UserRecordService {
    var desk = self
    desk.readRows = rows
    return desk
  }

  /// Returns the live entities of a kind. For events, returns only the latest fifty.
  public func list<Wire: Decodable>(_ kind: SyncedKind) throws -> [Wire] {
    try records.storage.read(user: user) { reading in
      try reading.living(kind: kind.name, offset: 0, limit: kind.name == SyncedKind.event.name ? 50 : .max)
        .map { try $0.decoded(user: user) }
    }
  }

  /// Returns the members of the live entities of a kind without a REST path, sorted by id.
  public func records(_ kind: SyncedKind) throws -> [(id: String, members: [String: JSONValue])] {
    try records.storage.read(user: user) { try $0.living(kind: kind.name, offset: 0, limit: .max) }
      .map { ($0.id, $0.fields.mapValues(\.value)) }.sorted { $0.0 < $1.0 }
  }

  /// Returns the current position, and whether entities of a kind may have changed since an earlier position.
  public func changes(
    of kind: SyncedKind, since earlier: SourcePosition?
  ) throws -> (position: SourcePosition, hasChanged: Bool) {
    try records.storage.read(user: user) { reading in
      let state = try reading.state()
      let position = SourcePosition(state)
      guard let earlier, earlier == position || earlier.isPast(of: state) else { return (position, true) }
      return (position, try !reading.lines(ofKind: kind.name, after: earlier.head, bytes: 1).isEmpty)
    }
  }

  /// Returns the name of the user's device with this id, or `nil` if there is none.
  public func name(ofDevice id: String) throws -> String? {
    try records.accounts.devices(user: user).first { $0.id == id }?.name
  }

  /// Returns a live entity, or `nil` if it does not exist or is deleted.
  public func find<Wire: Decodable>(_ kind: SyncedKind, id: String) throws -> Wire? {
    let entry = try records.storage.read(user: user) { try $0.entry(kind: kind.name, id: id) }
    return try entry.flatMap { try living($0) }
  }

  private func living<Wire: Decodable>(_ entry: HubEntry) throws -> Wire? {
    entry.isAlive ? try entry.decoded(user: user) : nil
  }

  /// Returns the live events that start within a range.
  public func events(in range: Range<Date>) throws -> [APIEvent] {
    try records.storage.read(user: user) { reading in
      let moments = range.lowerBound.milliseconds..<max(range.lowerBound, range.upperBound).milliseconds
      return try reading.living(kind: SyncedKind.event.name, during: moments, limit: .max)
        .map { try $0.decoded(user: user) }
    }
  }

  /// Creates an entity.
  ///
  /// - Throws: A ``Problem``, such as `entity_deleted` if the id belonged to a deleted entity.
  public func create(_ kind: SyncedKind, _ request: some Encodable) throws {
    let members = try WireJSON.members(of: request)
    try write { _ = try $0.create(kind, members, by: device, in: $1, now: $2) }
  }

  /// Changes an entity.
  ///
  /// - Throws: A ``Problem``, with status 404 if the entity never existed.
  public func update(_ kind: SyncedKind, id: String, _ request: some Encodable) throws {
    let members = try WireJSON.members(of: request)
    try write { _ = try $0.update(kind, id: id, members, by: device, in: $1, now: $2) }
  }

  /// Deletes an entity. Succeeds even if the entity does not exist.
  public func delete(_ kind: SyncedKind, id: String) throws {
    try write { try $0.delete(kind, id: id, by: device, in: $1, now: $2) }
  }

  /// Changes an entity if it exists and satisfies a condition, checked in the same transaction.
  public func update<Wire: Decodable>(
    _ kind: SyncedKind, id: String, _ request: some Encodable, where isMeant: (Wire) throws -> Bool
  ) throws -> Bool {
    let members = try WireJSON.members(of: request)
    return try write(to: kind, id: id, where: isMeant) {
      _ = try $0.update(kind, id: id, members, by: device, in: $1, now: $2)
    }
  }

  /// Deletes an entity if it exists and satisfies a condition, checked in the same transaction.
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
    try records.writeHere(user: user) { transaction in
      if let reader = readRows?.reader { try transaction.renewTrackReader(reader) }
      try body(core, transaction, now)
    }
  }
}

extension HubRecords {
  func ingestDesk(user: String) -> UserRecordService {
    UserRecordService(records: self, user: user, device: "ingest", isLimited: false)
  }
}
