import Foundation
import TrendyModels

// Writes of those who say nothing of what they knew: plain REST, and the hub's own parts.
extension HubCore {
  /// The living entity.
  /// - Throws: a ``Problem`` with status 404 for one that is not there.
  func entity(_ kind: SyncedKind, id: String, in reading: any HubReading) throws -> HubEntry {
    guard let entry = try reading.entry(kind: kind.name, id: id), entry.isAlive else {
      throw Problem.notFound(kind, id)
    }
    return entry
  }

  /// - Parameters:
  ///   - key: of a client that asks again where no answer came: what it made before is given again.
  ///   - acceptsSame: whether a living entity with the same content is no duplicate but the one that was meant.
  /// - Throws: a ``Problem``, of kind `entity_deleted` for an id that was deleted.
  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], key: String? = nil, acceptsSame: Bool = false,
    by device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    let id = try DocumentReader(.object(members)).identifier("id")
    lazy var digest = SHA256Digest.hexadecimal(of: JSONText.write([.string(kind.name), .object(members)]))
    if let key, let earlier = try transaction.keyedWrite(device: device, key: key) {
      guard earlier.digest == digest, let entry = try transaction.entry(kind: earlier.kind, id: earlier.id) else {
        throw Problem(
          "idempotency_key_reused", status: 409, title: "Idempotency key reused",
          detail: "this Idempotency-Key came before with other content: every write needs one of its own")
      }
      // A create of an entity that was deleted since is refused below: an answer of 201 would tell the client that it lives.
      if entry.isAlive { return entry }
    }
    if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive {
      let fields = try kind.fields(from: members, isCreate: true)
      guard acceptsSame, fields.allSatisfy({ entry.fields[$0.key]?.value == $0.value }) else {
        throw Problem(
          "duplicate", status: 409, title: "Exists already",
          detail: "the \(kind.name) \"\(id)\" exists already: change it with PATCH")
      }
    } else {
      try carryOut(
        HubMutation(kind: kind.name, id: id, operation: .create, content: .members(members)), by: device,
        in: transaction, now: now)
    }
    if let key {
      try transaction.putKeyedWrite(device: device, key: key, KeyedWrite(digest: digest, kind: kind.name, id: id))
    }
    return try entity(kind, id: id, in: transaction)
  }

  /// - Throws: a ``Problem``, with status 404 for what was never there.
  func update(
    _ kind: SyncedKind, id: String, _ members: [String: JSONValue], by device: String,
    in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    guard try transaction.entry(kind: kind.name, id: id) != nil else { throw Problem.notFound(kind, id) }
    try carryOut(
      HubMutation(kind: kind.name, id: id, operation: .update, content: .members(members)), by: device,
      in: transaction, now: now)
    return try entity(kind, id: id, in: transaction)
  }

  /// What is not there is deleted: no error.
  /// - Parameter heir: type that an event type was merged into.
  func delete(
    _ kind: SyncedKind, id: String, mergedInto heir: String? = nil, by device: String,
    in transaction: any HubTransaction, now: Date
  ) throws {
    let members: [String: JSONValue] = heir.map { [SyncedKind.mergedInto: .string($0)] } ?? [:]
    try carryOut(
      HubMutation(kind: kind.name, id: id, operation: .delete, content: .members(members)), by: device,
      in: transaction, now: now)
  }

  /// Brings back an entity that was deleted, with the values it had; a living one stays as it is.
  /// - Throws: a ``Problem``, with status 404 for what was never there, of kind `entity_deleted` for one of which the id alone is left,
  ///   `parent_deleted` where what it hangs on is gone.
  func restore(
    _ kind: SyncedKind, id: String, by device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    guard let entry = try transaction.entry(kind: kind.name, id: id) else {
      guard try transaction.isPurged(kind: kind.name, id: id) else { throw Problem.notFound(kind, id) }
      throw Problem(
        "entity_deleted", status: 409, title: "Deleted",
        detail: "the \(kind.name) \"\(id.prefix(128))\" was deleted too long ago to come back")
    }
    guard !entry.isAlive else { return entry }
    try carryOut(HubMutation(restoring: entry, by: device), by: device, in: transaction, now: now)
    return try self.entity(kind, id: id, in: transaction)
  }

  private func carryOut(
    _ mutation: HubMutation, by device: String, in transaction: any HubTransaction, now: Date
  ) throws {
    try carryOut(CollectionOfOne(mutation), by: device, in: transaction, now: now)
  }

  /// Writes one after the other. Against the quota they count as a whole.
  /// - Throws: the ``Problem`` of the first that is refused; then what was written has to be taken back.
  func carryOut(
    _ mutations: some Sequence<HubMutation>, by device: String, in transaction: any HubTransaction, now: Date
  ) throws {
    let writer = try HubWriter(transaction, now: now, quota: quota)
    for mutation in mutations {
      if case .refused(let details) = try judge(mutation, device: device, writer).outcome { throw Problem(details) }
    }
    try writer.finish()
  }
}

extension HubMutation {
  /// Brings back what was deleted, with the values that it had.
  init(restoring tombstone: HubEntry, by device: String) {
    self.init(
      mutationId: "restore:\(device):\(tombstone.version)", kind: tombstone.kind, id: tombstone.id, operation: .restore,
      incarnation: tombstone.incarnation + 1)
  }
}

extension Problem {
  static func notFound(_ kind: SyncedKind, _ id: String) -> Problem {
    .notFound("there is no \(kind.name) \"\(id.prefix(128))\"")
  }
}
