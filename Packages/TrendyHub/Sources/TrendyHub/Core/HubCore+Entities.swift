import Foundation
import TrendyModels

// Writes by plain REST clients and by the hub's own services.
extension HubCore {
  /// Returns a live entity.
  ///
  /// - Throws: A ``Problem`` with status 404 if the entity does not exist or is deleted.
  func entity(_ kind: SyncedKind, id: String, in reading: any HubReadTransaction) throws -> HubEntry {
    guard let entry = try reading.entry(kind: kind.name, id: id), entry.isAlive else {
      throw Problem.notFound(kind, id)
    }
    return entry
  }

  /// Creates an entity.
  ///
  /// If the request repeats an edit's idempotency key, returns the entity that the first request created. With
  /// `acceptsSame`, an existing entity with equal content is returned instead of throwing `duplicate`.
  ///
  /// - Throws: A ``Problem``: `duplicate` if the id is in use, `entity_deleted` if the id belonged to a deleted entity.
  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], edit: HubEdit? = nil, acceptsSame: Bool = false,
    by device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    let id = try DocumentReader(.object(members)).identifier("id")
    let keyed = KeyedEdit(edit, KeyedWrite([.string(kind.name), .object(members)], kind, id))
    if try isRepeated(keyed, by: device, in: transaction) {
      // If the entity has been deleted since, let the create below refuse the request, because a 201 response would
      // claim that the entity exists.
      if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive { return entry }
    }
    if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive {
      let fields = try kind.fields(from: members, isCreate: true)
      guard acceptsSame, fields.allSatisfy({ entry.fields[$0.key]?.value == $0.value }) else {
        throw Problem(
          "duplicate", status: 409, title: "Already exists",
          detail: "the \(kind.name) \"\(id)\" already exists: change it with PATCH")
      }
    } else {
      let content = try edit?.content(members, of: kind, isCreate: true, over: nil, in: try transaction.state())
      try carryOut(
        HubMutation(
          mutationId: edit?.mutationId(by: device), kind: kind.name, id: id, operation: .create,
          content: content ?? .members(members)),
        by: device, in: transaction, now: now)
    }
    try remember(keyed, by: device, in: transaction)
    return try entity(kind, id: id, in: transaction)
  }

  /// Changes fields of an entity.
  ///
  /// If the edit has a version and a time, the change is merged field by field like an update from a device, and each
  /// losing value becomes a conflict. Otherwise the new values replace the stored ones.
  ///
  /// - Parameters:
  ///   - completing: Adds values derived from the edit to the given members. Not called for a repeated request.
  /// - Throws: A ``Problem``: status 404 if the entity never existed, `entity_deleted` if it was deleted.
  func update(
    _ kind: SyncedKind, id: String, _ given: [String: JSONValue], edit: HubEdit? = nil, by device: String,
    in transaction: any HubTransaction, now: Date,
    completing: ([String: JSONValue]) throws -> [String: JSONValue] = { $0 }
  ) throws -> HubEntry {
    let entry = try transaction.entry(kind: kind.name, id: id)
    guard try entry != nil || transaction.isPurged(kind: kind.name, id: id) else { throw Problem.notFound(kind, id) }
    let keyed = KeyedEdit(edit, KeyedWrite("update", kind, id, given))
    if let entry, entry.isAlive, try isRepeated(keyed, by: device, in: transaction) { return entry }
    let members = try completing(given)
    let writer = try HubWriter(transaction, now: now, quota: quota)
    let content = try edit?.content(members, of: kind, isCreate: false, over: entry, in: writer.state)
    let mutation = HubMutation(
      mutationId: edit?.mutationId(by: device), kind: kind.name, id: id, operation: .update,
      content: content ?? .members(members))
    let verdict = try judge(mutation, device: device, writer)
    if case .refused(let details) = verdict.outcome { throw Problem(details) }
    for name in verdict.lost { try keep(name, of: mutation, by: device, writer) }
    try writer.finish()
    try remember(keyed, by: device, in: transaction)
    return try entity(kind, id: id, in: transaction)
  }

  /// Saves a losing value as a conflict on the hub, because a plain REST client has no conflict journal.
  private func keep(_ name: String, of mutation: HubMutation, by device: String, _ writer: HubWriter) throws {
    guard case .fields(let changes) = mutation.content, let mutationId = mutation.mutationId,
      let entry = try writer.transaction.entry(kind: mutation.kind, id: mutation.id), let winner = entry.fields[name],
      let change = changes[name] ?? SyncedKind.named(mutation.kind)?.nestedMember.flatMap({ changes[$0] })
    else { return }
    let value = HubField(value: change.value, version: change.base, stamp: change.stamp, author: device)
    try HubConflict(entry, field: name, value: value, reason: .overwritten)
      .put(by: winner.author, mutationId: mutationId, with: writer)
  }

  /// Ends a running event. If another device has already ended the event, its end is kept and the new end becomes a
  /// conflict.
  func stop(
    id: String, at end: JSONValue, edit: HubEdit? = nil, by device: String, in transaction: any HubTransaction,
    now: Date
  ) throws -> HubEntry {
    let (kind, name) = (SyncedKind.event, "end_date")
    let members = try kind.fields(from: [name: end], isCreate: false)
    guard let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive,
      let present = entry.fields[name], let value = members[name], !present.value.isNull
    else { return try update(kind, id: id, members, edit: edit, by: device, in: transaction, now: now) }
    let keyed = KeyedEdit(edit, KeyedWrite("update", kind, id, members))
    if let edit, let knowledge = edit.knowledge, present.author != device, present.value != value,
      try !isRepeated(keyed, by: device, in: transaction)
    {
      let writer = try HubWriter(transaction, now: now, quota: quota)
      let change = FieldChange(value: value, base: present.version, stamp: knowledge.stamp)
      let mutation = HubMutation(
        mutationId: edit.mutationId(by: device), kind: kind.name, id: id, operation: .update,
        content: .fields([name: change]))
      try keep(name, of: mutation, by: device, writer)
      try writer.finish()
      try remember(keyed, by: device, in: transaction)
    }
    return entry
  }

  /// Deletes an entity. Succeeds even if the entity does not exist.
  ///
  /// If the edit has a version, values that the user had not seen become conflicts, as with a delete from a device.
  /// `heir` is the event type into which a deleted type was merged.
  func delete(
    _ kind: SyncedKind, id: String, mergedInto heir: String? = nil, edit: HubEdit? = nil, by device: String,
    in transaction: any HubTransaction, now: Date
  ) throws {
    let keyed = KeyedEdit(edit, KeyedWrite("delete", kind, id))
    if try isRepeated(keyed, by: device, in: transaction) { return }
    let members: [String: JSONValue] = heir.map { [SyncedKind.mergedInto: .string($0)] } ?? [:]
    var mutation = HubMutation(
      mutationId: edit?.mutationId(by: device), kind: kind.name, id: id, operation: .delete, content: .members(members),
      incarnation: edit?.knowledge?.incarnation)
    if let seen = edit?.knowledge?.seen { mutation.base = seen.base(in: try transaction.state()) }
    try carryOut(mutation, by: device, in: transaction, now: now)
    try remember(keyed, by: device, in: transaction)
  }

  /// Restores a deleted entity with its last values, or returns a live entity unchanged.
  ///
  /// - Throws: A ``Problem``: status 404 if the entity never existed; `entity_deleted` if its tombstone was compacted,
  ///   or if an earlier request with this key restored the entity and it has been deleted again; `parent_deleted` if an
  ///   entity on which it depends is deleted.
  func restore(
    _ kind: SyncedKind, id: String, edit: HubEdit? = nil, by device: String, in transaction: any HubTransaction,
    now: Date
  ) throws -> HubEntry {
    guard let entry = try transaction.entry(kind: kind.name, id: id) else {
      guard try transaction.isPurged(kind: kind.name, id: id) else { throw Problem.notFound(kind, id) }
      throw Problem(
        "entity_deleted", status: 409, title: "Deleted",
        detail: "the \(kind.name) \"\(id.prefix(128))\" was deleted too long ago to be restored")
    }
    let keyed = KeyedEdit(edit, KeyedWrite("restore", kind, id))
    let wasRepeated = try isRepeated(keyed, by: device, in: transaction)
    if !wasRepeated { try remember(keyed, by: device, in: transaction) }
    guard !entry.isAlive else { return entry }
    guard !wasRepeated else {
      throw Problem(
        "entity_deleted", status: 409, title: "Deleted",
        detail:
          "the \(kind.name) \"\(id.prefix(128))\" was restored by this request earlier and has been deleted again since"
      )
    }
    try carryOut(HubMutation(restoring: entry, by: device), by: device, in: transaction, now: now)
    return try self.entity(kind, id: id, in: transaction)
  }

  /// Returns whether a request with the edit's idempotency key has already been applied.
  ///
  /// - Throws: A ``Problem`` of kind `idempotency_key_reused` if that request had different content.
  private func isRepeated(_ edit: KeyedEdit?, by device: String, in transaction: any HubTransaction) throws -> Bool {
    guard let edit, let earlier = try transaction.keyedWrite(device: device, key: edit.key) else { return false }
    guard earlier.digest == edit.write.digest else {
      throw Problem(
        "idempotency_key_reused", status: 409, title: "Idempotency key reused",
        detail: "this Idempotency-Key was used for a different request: use a new key for each write")
    }
    return true
  }

  private func remember(_ edit: KeyedEdit?, by device: String, in transaction: any HubTransaction) throws {
    guard let edit else { return }
    try transaction.putKeyedWrite(device: device, key: edit.key, edit.write)
  }

  private func carryOut(
    _ mutation: HubMutation, by device: String, in transaction: any HubTransaction, now: Date
  ) throws {
    try carryOut(CollectionOfOne(mutation), by: device, in: transaction, now: now)
  }

  /// Applies mutations in order. Checks the quota once, at the end.
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

private struct KeyedEdit {
  let key: String
  let write: KeyedWrite

  /// `write` is an autoclosure because it hashes the content, which is needed only if there is a key.
  init?(_ edit: HubEdit?, _ write: @autoclosure () -> KeyedWrite) {
    guard let edit else { return nil }
    key = edit.key
    self.write = write()
  }
}

extension KeyedWrite {
  fileprivate init(_ content: JSONValue, _ kind: SyncedKind, _ id: String) {
    self.init(digest: SHA256Digest.hexadecimal(of: JSONText.write(content)), kind: kind.name, id: id)
  }

  /// The digest of an edit to an existing entity includes the operation, so an edit never equals a create.
  fileprivate init(_ operation: String, _ kind: SyncedKind, _ id: String, _ members: [String: JSONValue] = [:]) {
    self.init([.string(operation), .string(kind.name), .string(id), .object(members)], kind, id)
  }
}

extension HubMutation {
  init(restoring tombstone: HubEntry, by device: String) {
    self.init(
      mutationId: "restore:\(device):\(tombstone.version)", kind: tombstone.kind, id: tombstone.id, operation: .restore,
      incarnation: tombstone.incarnation + 1)
  }
}

extension Problem {
  static func notFound(_ kind: SyncedKind, _ id: String) -> Problem {
    .notFound("\(kind.name) \"\(id.prefix(128))\" not found")
  }
}
