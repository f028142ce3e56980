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
  ///   - edit: with the key of a client that asks again where no answer came: the entity made before is given again.
  ///   - acceptsSame: whether a living entity with the same content is no duplicate but the one that was meant.
  /// - Throws: a ``Problem``, of kind `entity_deleted` for an id that was deleted.
  func create(
    _ kind: SyncedKind, _ members: [String: JSONValue], edit: HubEdit? = nil, acceptsSame: Bool = false,
    by device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    let id = try DocumentReader(.object(members)).identifier("id")
    let keyed = KeyedEdit(edit, KeyedWrite([.string(kind.name), .object(members)], kind, id))
    if try isRepeated(keyed, by: device, in: transaction) {
      // A create of an entity that was deleted since is refused below: an answer of 201 would tell the client that it lives.
      if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive { return entry }
    }
    if let entry = try transaction.entry(kind: kind.name, id: id), entry.isAlive {
      let fields = try kind.fields(from: members, isCreate: true)
      guard acceptsSame, fields.allSatisfy({ entry.fields[$0.key]?.value == $0.value }) else {
        throw Problem(
          "duplicate", status: 409, title: "Exists already",
          detail: "the \(kind.name) \"\(id)\" exists already: change it with PATCH")
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

  /// Changes an entity. With an edit's version and time it is merged field by field as a device's update is, and a value that
  /// loses against a later one becomes a conflict; a plain one replaces what is stored.
  /// - Throws: a ``Problem``, with status 404 for an entity that never existed, of kind `entity_deleted` for a deleted one.
  func update(
    _ kind: SyncedKind, id: String, _ members: [String: JSONValue], edit: HubEdit? = nil, by device: String,
    in transaction: any HubTransaction, now: Date
  ) throws -> HubEntry {
    let entry = try transaction.entry(kind: kind.name, id: id)
    guard try entry != nil || transaction.isPurged(kind: kind.name, id: id) else { throw Problem.notFound(kind, id) }
    let keyed = KeyedEdit(edit, KeyedWrite("update", kind, id, members))
    if let entry, entry.isAlive, try isRepeated(keyed, by: device, in: transaction) { return entry }
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

  /// Keeps a value that lost against a later one as a conflict: a client of plain REST has no journal of its own.
  private func keep(_ name: String, of mutation: HubMutation, by device: String, _ writer: HubWriter) throws {
    guard case .fields(let changes) = mutation.content, let mutationId = mutation.mutationId,
      let entry = try writer.transaction.entry(kind: mutation.kind, id: mutation.id), let winner = entry.fields[name],
      let change = changes[name] ?? SyncedKind.named(mutation.kind)?.nestedMember.flatMap({ changes[$0] })
    else { return }
    let value = HubField(value: change.value, version: change.base, stamp: change.stamp, author: device)
    try HubConflict(entry, field: name, value: value, reason: .overwritten)
      .put(by: winner.author, mutationId: mutationId, with: writer)
  }

  /// Ends a running event. One that has an end already keeps it; the end that another device did not see becomes a conflict.
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

  /// Deletes an entity; one that is not there is no error. With an edit's version, values that the user did not see become
  /// conflicts, as at a device's delete.
  /// - Parameter heir: type that an event type was merged into.
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

  /// Brings back an entity that was deleted, with the values it had; a living one stays as it is.
  /// - Throws: a ``Problem``, with status 404 for what was never there, of kind `entity_deleted` for one of which the id alone is left
  ///   and for a repeated request whose entity was deleted again, `parent_deleted` where what it hangs on is gone.
  func restore(
    _ kind: SyncedKind, id: String, edit: HubEdit? = nil, by device: String, in transaction: any HubTransaction,
    now: Date
  ) throws -> HubEntry {
    guard let entry = try transaction.entry(kind: kind.name, id: id) else {
      guard try transaction.isPurged(kind: kind.name, id: id) else { throw Problem.notFound(kind, id) }
      throw Problem(
        "entity_deleted", status: 409, title: "Deleted",
        detail: "the \(kind.name) \"\(id.prefix(128))\" was deleted too long ago to come back")
    }
    let keyed = KeyedEdit(edit, KeyedWrite("restore", kind, id))
    let wasRepeated = try isRepeated(keyed, by: device, in: transaction)
    if !wasRepeated { try remember(keyed, by: device, in: transaction) }
    guard !entry.isAlive else { return entry }
    guard !wasRepeated else {
      throw Problem(
        "entity_deleted", status: 409, title: "Deleted",
        detail: "the \(kind.name) \"\(id.prefix(128))\" was restored by this request before, and deleted again since")
    }
    try carryOut(HubMutation(restoring: entry, by: device), by: device, in: transaction, now: now)
    return try self.entity(kind, id: id, in: transaction)
  }

  /// Whether an edit was carried out before under its key.
  /// - Throws: a ``Problem`` of kind `idempotency_key_reused` if the key came with other content.
  private func isRepeated(_ edit: KeyedEdit?, by device: String, in transaction: any HubTransaction) throws -> Bool {
    guard let edit, let earlier = try transaction.keyedWrite(device: device, key: edit.key) else { return false }
    guard earlier.digest == edit.write.digest else {
      throw Problem(
        "idempotency_key_reused", status: 409, title: "Idempotency key reused",
        detail: "this Idempotency-Key came before with other content: every write needs one of its own")
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

/// Key of an edit, and what the edit does.
private struct KeyedEdit {
  let key: String
  let write: KeyedWrite

  /// - Parameter write: evaluated only for an edit with a key, since it hashes the content.
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

  /// An edit of an entity that exists, told apart from a create by its operation.
  fileprivate init(_ operation: String, _ kind: SyncedKind, _ id: String, _ members: [String: JSONValue] = [:]) {
    self.init([.string(operation), .string(kind.name), .string(id), .object(members)], kind, id)
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
