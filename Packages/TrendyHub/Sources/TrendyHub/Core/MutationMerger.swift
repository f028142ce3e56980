import Foundation
import TrendyModels

/// Merges one mutation into a user's record and returns the outcome.
///
/// Refusals are thrown as a ``Problem`` before anything is written.
struct MutationMerger {
  private let mutation: HubMutation
  private let device: String
  private let writer: HubWriter
  private let kind: SyncedKind
  private var transaction: any HubTransaction { writer.transaction }
  private var now: Int64 { writer.now.stamp }

  init(_ mutation: HubMutation, device: String, writer: HubWriter) throws(Problem) {
    guard let kind = SyncedKind.named(mutation.kind) else {
      throw .invalid(
        "entity_type: expected one of \(SyncedKind.all.map(\.name).joined(separator: ", ")), found \"\(mutation.kind.prefix(40))\""
      )
    }
    guard Identifier.isValid(mutation.id) else { throw .invalid("entity_id: expected \(Identifier.rule)") }
    if let id = mutation.content["id"], id.stringValue != mutation.id {
      throw .invalid("id: expected the id of the entity (\"\(mutation.id)\"), found \(id.kindInWords)")
    }
    precondition(mutation.isPlain || mutation.mutationId != nil, "a mutation with versions needs an id: \(mutation)")
    self.mutation = mutation
    self.device = device
    self.writer = writer
    self.kind = kind
  }

  func run() throws -> MergeResult {
    let entry = try transaction.entry(kind: kind.name, id: mutation.id)
    return switch mutation.operation {
    case .create: try create(over: entry)
    case .update: try update(entry)
    case .delete: try delete(entry)
    case .restore: try restore(entry)
    }
  }
}

// MARK: The four operations

extension MutationMerger {
  private func create(over entry: HubEntry?) throws -> MergeResult {
    let changes = try changes(over: entry)
    guard let entry else {
      guard try !transaction.isPurged(kind: kind.name, id: mutation.id) else { throw gone(nil) }
      return try make(changes)
    }
    guard entry.isAlive else { throw gone(entry) }
    // Importing the same data again must not overwrite the user's later edits. A re-offer may contain such edits, so it
    // is merged by its stamps.
    if mutation.hasNaturalKey, !changes.values.contains(where: \.isReoffer) {
      return .merged(version: entry.version, lost: [])
    }
    return try merge(changes, into: entry)
  }

  private func make(_ changes: [String: Change]) throws -> MergeResult {
    var changes = changes
    var lost: [String] = []
    for (field, reference) in kind.references {
      guard let change = changes[field.name], let id = change.value.stringValue, try !isAlive(reference, id) else {
        continue
      }
      guard change.isReoffer, reference.onDelete == .clear else { throw try orphaned(field, reference, id) }
      changes.removeValue(forKey: field.name)
      lost.append(field.name)
    }
    let version = writer.nextVersion()
    try writer.put(
      HubEntry(
        kind: kind.name, id: mutation.id, version: version, incarnation: mutation.incarnation ?? 0,
        createdAt: writer.now, updatedAt: writer.now, createdVersion: version,
        fields: changes.mapValues { field($0, replacing: nil, version) }),
      replacing: nil)
    return outcome(version, lost: lost)
  }

  private func update(_ entry: HubEntry?) throws -> MergeResult {
    guard let entry, entry.isAlive else { throw gone(entry) }
    try checkIncarnation(entry)
    return try merge(try changes(over: entry), into: entry)
  }

  private func delete(_ entry: HubEntry?) throws -> MergeResult {
    guard let entry else { return try deleteUnknown() }
    let incarnation = mutation.incarnation ?? entry.incarnation
    if !entry.isAlive, incarnation < entry.incarnation { return .accepted(version: entry.version) }
    if entry.isAlive { try checkIncarnation(entry) }
    if entry.isAlive, let target = mutation.content[SyncedKind.mergedInto]?.stringValue {
      // If types were merged into each other in a cycle, one of them must remain.
      if try chain(from: target).contains(entry.id) { return .accepted(version: entry.version) }
      try checkMergeTarget(target)
    }
    let (dying, lost) = try lastWords(of: entry)
    guard entry.isAlive else {
      guard incarnation > entry.incarnation else { return outcome(dying.version, lost: lost) }
      // The delete belongs to a later incarnation whose restore has not arrived yet. Raise the tombstone's incarnation;
      // otherwise that restore would undo the delete.
      var later = dying
      later.incarnation = incarnation
      return outcome(try bury(later, replacing: dying), lost: lost)
    }
    let heir = try dying.fields[SyncedKind.mergedInto]?.value.stringValue.flatMap { try living($0) }
    for child in try transaction.referring(toKind: kind.name, id: entry.id) {
      if let heir, try forward(child, from: entry.id, to: heir) { continue }
      try orphan(child, of: entry)
    }
    try keep(in: dying)
    return outcome(try bury(dying, replacing: dying), lost: lost)
  }

  private func deleteUnknown() throws -> MergeResult {
    guard try !transaction.isPurged(kind: kind.name, id: mutation.id) else {
      return .accepted(version: writer.state.horizon)
    }
    // The create may still arrive from another device and must then find this tombstone. The values that the delete
    // carries are stored in it for a later restore.
    let fields: [String: Change]
    do {
      fields = try changes(over: nil)
    } catch is Problem {
      fields = [:]
    }
    let version = writer.nextVersion()
    try writer.put(
      HubEntry(
        kind: kind.name, id: mutation.id, version: version, incarnation: mutation.incarnation ?? 0,
        deletedAt: writer.now, createdAt: writer.now, updatedAt: writer.now, createdVersion: version,
        fields: fields.mapValues { field($0, replacing: nil, version) }),
      replacing: nil)
    return .accepted(version: version)
  }

  /// Merges the edits that a delete carries, so that a later restore includes them.
  ///
  /// If the edits are refused, the delete still proceeds and reports their fields as lost.
  private func lastWords(of entry: HubEntry) throws -> (HubEntry, lost: [String]) {
    guard !mutation.content.isEmpty else { return (entry, []) }
    do {
      var changes = try changes(over: entry)
      if !entry.isAlive, let target = changes[SyncedKind.mergedInto]?.value.stringValue,
        try chain(from: target).contains(entry.id)
      {
        changes.removeValue(forKey: SyncedKind.mergedInto)
      }
      let lost = try merge(changes, into: entry).lost
      return (try transaction.entry(kind: kind.name, id: entry.id) ?? entry, lost)
    } catch is Problem {
      return (entry, mutation.content.names.sorted())
    }
  }

  private func restore(_ entry: HubEntry?) throws -> MergeResult {
    guard let incarnation = mutation.incarnation, incarnation > 0 else {
      throw Problem.invalid("incarnation: expected the incarnation that the restore begins, at least 1")
    }
    guard let entry else { throw gone(nil) }
    let changes = try changes(over: entry)
    if entry.incarnation >= incarnation {
      guard entry.isAlive else { throw gone(entry) }
      return try merge(changes, into: entry)
    }
    return try merge(changes, into: entry, beginning: incarnation)
  }
}

// MARK: Merging

extension MutationMerger {
  /// A validated change to one field, with the data that decides whether it takes effect.
  private struct Change {
    var value: JSONValue
    var base: Int64
    /// Hub time of the edit, or `nil` for a plain REST write, which counts as later than any stored value.
    var stamp: Int64?
    var author: String
    var isReoffer: Bool
  }

  /// Returns the validated fields of the mutation, with references to merged types redirected.
  private func changes(over entry: HubEntry?) throws -> [String: Change] {
    let isCreate = mutation.operation == .create
    var values = try kind.fields(
      from: mutation.content.values, isCreate: isCreate, isByField: mutation.content.isByField)
    // Only a delete may set the type that an event type was merged into.
    if mutation.operation != .delete { values.removeValue(forKey: SyncedKind.mergedInto) }
    if let nested = kind.nestedMember, mutation.content[nested]?.isNull == true {
      for name in entry?.fields.keys ?? [:].keys where kind.nestedName(name) != nil { values[name] = .null }
    }
    var changes: [String: Change] = [:]
    for (name, value) in values {
      switch mutation.content {
      case .members:
        changes[name] = Change(value: value, base: .max, stamp: nil, author: device, isReoffer: false)
      case .fields(let fields):
        guard let change = fields[name] ?? kind.nestedMember.flatMap({ fields[$0] }) else { continue }
        changes[name] = Change(
          value: value, base: change.base, stamp: min(change.stamp, now),
          author: change.author ?? device, isReoffer: change.author != nil)
      }
    }
    for (field, reference) in kind.references {
      guard let id = changes[field.name]?.value.stringValue, let heir = try forwarded(reference, id) else { continue }
      changes[field.name]?.value = .string(heir)
    }
    return changes
  }

  /// Merges each field separately. A value that the author had seen is replaced; otherwise, the later stamp wins.
  ///
  /// `incarnation` is the one that a restore begins, or `nil` for every other operation.
  private func merge(
    _ changes: [String: Change], into entry: HubEntry, beginning incarnation: Int64? = nil
  ) throws -> MergeResult {
    var applied: [String: Change] = [:]
    var lost: [String] = []
    var overwritten: [String] = []
    for (name, change) in changes {
      guard let present = entry.fields[name] else {
        if !change.value.isNull { applied[name] = change }
        continue
      }
      guard present.value != change.value else { continue }
      if present.version <= change.base || isOwn(present, to: change) {
        applied[name] = change
      } else if isLater(change, than: present) {
        applied[name] = change
        overwritten.append(name)
      } else {
        lost.append(name)
      }
    }
    try settleReferences(of: entry, changes, &applied, &lost, isRestore: incarnation != nil)
    if incarnation != nil { try checkRequired(entry, applied) }
    guard !applied.isEmpty || incarnation != nil else { return outcome(entry.version, lost: lost) }
    for name in overwritten.sorted() where applied[name] != nil {
      guard let value = entry.fields[name] else { continue }
      try put(HubConflict(entry, field: name, value: value, reason: .overwritten))
    }
    var merged = entry
    merged.version = writer.nextVersion()
    merged.updatedAt = writer.now
    if let incarnation {
      merged.incarnation = incarnation
      merged.deletedAt = nil
      // Forget the merge target, because a later delete of the restored type is not part of a merge.
      merged.fields.removeValue(forKey: SyncedKind.mergedInto)
      let isReoffer = changes.values.contains(where: \.isReoffer)
      merged.restoration = HubRestoration(version: merged.version, author: isReoffer ? nil : device)
    }
    for (name, change) in applied {
      merged.fields[name] = field(change, replacing: entry.fields[name], merged.version)
    }
    if incarnation != nil { merged.fields[SyncedKind.importUndone] = nil }
    try writer.put(merged, replacing: entry)
    return outcome(merged.version, lost: lost)
  }

  /// Returns whether this device wrote the stored value and has therefore seen it.
  ///
  /// A re-offered value counts as unseen by every device. Mutations from the save that wrote the value are an
  /// exception: they have the same stamp and arrive in order.
  private func isOwn(_ present: HubField, to change: Change) -> Bool {
    !change.isReoffer && (isOwn(present) || (present.author == change.author && present.stamp == change.stamp))
  }

  private func isOwn(_ present: HubField) -> Bool { !present.isReoffered && present.author == device }

  private func isLater(_ change: Change, than present: HubField) -> Bool {
    let stamp = change.stamp ?? .max
    guard stamp == present.stamp else { return stamp > present.stamp }
    return present.author.utf8.lexicographicallyPrecedes(change.author.utf8)
  }

  /// Checks that referenced entities exist: all of them for a restore, but only changed references for an update.
  private func settleReferences(
    of entry: HubEntry, _ changes: [String: Change], _ applied: inout [String: Change], _ lost: inout [String],
    isRestore: Bool
  ) throws {
    for (field, reference) in kind.references {
      var change = applied[field.name]
      if change?.isReoffer == true, let id = change?.value.stringValue, try !isAlive(reference, id) {
        // A child cannot exist without a parent. Refuse the restore if the tombstone does not name another one.
        if isRestore, reference.onDelete == .cascade, entry.fields[field.name]?.value.stringValue == nil {
          throw try orphaned(field, reference, id)
        }
        applied.removeValue(forKey: field.name)
        lost.append(field.name)
        change = nil
      }
      guard isRestore || change != nil,
        let id = (change?.value ?? entry.fields[field.name]?.value)?.stringValue, try !isAlive(reference, id)
      else { continue }
      if isRestore, change == nil {
        if let heir = try forwarded(reference, id) {
          applied[field.name] = Change(
            value: .string(heir), base: .max, stamp: nil, author: device, isReoffer: false)
          continue
        }
        // The parent named in the tombstone is deleted. Use the re-offered parent, even if its stamp is earlier.
        if let offered = changes[field.name], let id = offered.value.stringValue, try isAlive(reference, id) {
          applied[field.name] = offered
          lost.removeAll { $0 == field.name }
          continue
        }
        if reference.onDelete == .clear {
          applied[field.name] = Change(value: .null, base: .max, stamp: nil, author: device, isReoffer: false)
          continue
        }
      }
      throw try orphaned(field, reference, id)
    }
  }

  private func checkRequired(_ entry: HubEntry, _ applied: [String: Change]) throws {
    for field in kind.fields where field.isRequired {
      guard (applied[field.name]?.value ?? entry.fields[field.name]?.value)?.isNull ?? true else { continue }
      throw Problem.invalid("\(field.name): expected \(field.inWords), because the deleted entity does not have it")
    }
  }

  private func field(_ change: Change, replacing present: HubField?, _ version: Int64) -> HubField {
    let stamp = change.stamp ?? max(now, present.map { $0.stamp + 1 } ?? now)
    return HubField(
      value: change.value, version: version, stamp: stamp, author: change.author, isReoffered: change.isReoffer)
  }
}

// MARK: Burying

extension MutationMerger {
  /// Detaches a child from an entity that is being deleted: deletes the child or clears its reference.
  private func orphan(_ child: HubEntry, of entry: HubEntry) throws {
    guard let childKind = SyncedKind.named(child.kind) else { return }
    let references = childKind.references.filter { field, reference in
      reference.kind == kind.name && child.fields[field.name]?.value.stringValue == entry.id
    }
    guard !references.contains(where: { $0.reference.onDelete == .cascade }) else {
      try keep(in: child, reference: references.first { $0.reference.onDelete == .cascade }?.field.name)
      _ = try bury(child, replacing: child)
      return
    }
    var cleared = child
    cleared.version = writer.nextVersion()
    cleared.updatedAt = writer.now
    for (field, _) in references {
      if let value = child.fields[field.name], isUnseen(value) {
        try put(HubConflict(child, field: field.name, value: value, reason: .overwritten))
      }
      cleared.fields[field.name] = self.field(
        Change(value: .null, base: .max, stamp: nil, author: device, isReoffer: false),
        replacing: child.fields[field.name], cleared.version)
    }
    try writer.put(cleared, replacing: child)
  }

  /// Creates conflicts from the values that the author of a delete cannot have seen.
  ///
  /// `reference` is the field through which a child is deleted. If that field or the child's incarnation is newer than
  /// the delete's base, the whole child becomes a conflict.
  private func keep(in entry: HubEntry, reference: String? = nil) throws {
    if let field = reference.flatMap({ entry.fields[$0] }) {
      if isUnseen(field) { return try put(HubConflict(moved: entry, by: field, of: field.author)) }
      if let restoration = entry.restoration, isUnseen(restoration) {
        return try put(HubConflict(moved: entry, by: field, of: restoration.author ?? field.author))
      }
    }
    if let conflict = HubConflict(buried: entry, entry.fields.filter { isUnseen($0.value) }) { try put(conflict) }
  }

  /// Returns whether the author of the delete cannot have seen a value. The author of a delete without a base has seen
  /// everything.
  private func isUnseen(_ field: HubField) -> Bool {
    mutation.base.map { field.version > $0 && !isOwn(field) } ?? false
  }

  private func isUnseen(_ restoration: HubRestoration) -> Bool {
    mutation.base.map { restoration.version > $0 && restoration.author != device } ?? false
  }

  /// Stores a conflict, unless the entity is itself a conflict: deleting a conflict resolves it.
  private func put(_ conflict: HubConflict) throws {
    guard conflict.entry.kind != SyncedKind.conflict.name, let id = mutation.mutationId else { return }
    try conflict.put(by: device, mutationId: id, with: writer)
  }

  private func bury(_ entry: HubEntry, replacing old: HubEntry) throws -> Int64 {
    var entry = entry
    entry.version = writer.nextVersion()
    entry.deletedAt = writer.now
    entry.updatedAt = writer.now
    try writer.put(entry, replacing: old)
    return entry.version
  }
}

// MARK: Merged types

extension MutationMerger {
  /// Returns the last type in the chain of merges from `id`, or `nil` if that type is deleted.
  private func living(_ id: String) throws -> String? {
    let last = try chain(from: id).last ?? id
    return try transaction.entry(kind: SyncedKind.eventType.name, id: last)?.isAlive == true ? last : nil
  }

  /// Returns `id` and the types into which it was merged one after another, following `merged_into` in their
  /// tombstones.
  private func chain(from id: String) throws -> [String] {
    var chain = [id]
    while let last = chain.last, let entry = try transaction.entry(kind: SyncedKind.eventType.name, id: last),
      !entry.isAlive, let next = entry.fields[SyncedKind.mergedInto]?.value.stringValue, !chain.contains(next)
    {
      chain.append(next)
    }
    return chain
  }

  /// Returns the type to which a reference to a merged type is redirected, or `nil` if the reference stays unchanged.
  private func forwarded(_ reference: SyncedKind.Reference, _ id: String) throws -> String? {
    // Fast path: nearly all references name live types.
    guard reference.kind == SyncedKind.eventType.name, try !isAlive(reference, id) else { return nil }
    return try living(id)
  }

  /// Checks that a type is not merged into a deleted type, which would delete the events of both types.
  ///
  /// A re-offered delete is exempt, because the hub accepted it before.
  private func checkMergeTarget(_ id: String) throws {
    if case .fields(let fields) = mutation.content, fields[SyncedKind.mergedInto]?.author != nil { return }
    guard try living(id) == nil else { return }
    throw Problem(
      "parent_deleted", status: 409, title: "Parent not found",
      detail: "\(SyncedKind.mergedInto): the event_type \"\(id)\" was deleted or never existed")
  }

  /// Moves a child of a merged type to the remaining type.
  ///
  /// The merged type still has such a child if another device added it, or if the child's own move lost the merge.
  ///
  /// - Returns: Whether the child was moved. A property definition is not moved if the remaining type has one with the
  ///   same key.
  private func forward(_ child: HubEntry, from id: String, to heir: String) throws -> Bool {
    guard let childKind = SyncedKind.named(child.kind) else { return false }
    if childKind == .propertyDefinition, try hasDefinition(child.fields["key"]?.value, type: heir) { return false }
    var moved = child
    moved.version = writer.nextVersion()
    moved.updatedAt = writer.now
    for (field, reference) in childKind.references
    where reference.kind == kind.name && child.fields[field.name]?.value.stringValue == id {
      moved.fields[field.name] = self.field(
        Change(value: .string(heir), base: .max, stamp: nil, author: device, isReoffer: false),
        replacing: child.fields[field.name], moved.version)
    }
    try writer.put(moved, replacing: child)
    return true
  }

  private func hasDefinition(_ key: JSONValue?, type: String) throws -> Bool {
    try transaction.living(kind: SyncedKind.propertyDefinition.name, offset: 0, limit: .max).contains {
      $0.fields["key"]?.value == key && $0.fields["event_type_id"]?.value.stringValue == type
    }
  }
}

// MARK: Refusals

extension MutationMerger {
  private func isAlive(_ reference: SyncedKind.Reference, _ id: String) throws -> Bool {
    try transaction.entry(kind: reference.kind, id: id)?.isAlive ?? false
  }

  private func orphaned(
    _ field: SyncedKind.Field, _ reference: SyncedKind.Reference, _ id: String
  ) throws -> Problem {
    let wasHere =
      try transaction.entry(kind: reference.kind, id: id) != nil
      || transaction.isPurged(kind: reference.kind, id: id)
    return Problem(
      "parent_deleted", status: 409, title: "Parent not found",
      detail: "\(field.name): the \(reference.kind) \"\(id)\" \(wasHere ? "was deleted" : "never existed")")
  }

  private func checkIncarnation(_ entry: HubEntry) throws {
    guard let incarnation = mutation.incarnation, incarnation < entry.incarnation else { return }
    throw Problem(
      "restored", status: 409, title: "Restored in the meantime",
      detail: "the \(entry.kind) \"\(entry.id)\" was deleted and restored after this change was made")
  }

  private func gone(_ entry: HubEntry?) -> Problem {
    Problem(
      "entity_deleted", status: 409, title: "Deleted",
      detail: entry.map { "the \($0.kind) \"\($0.id)\" was deleted; its id can return only through a restore" }
        ?? "\"\(mutation.id)\" not found")
  }

  private func outcome(_ version: Int64, lost: [String]) -> MergeResult {
    lost.isEmpty ? .accepted(version: version) : .merged(version: version, lost: lost.sorted())
  }
}

extension HubMutation {
  /// Whether the mutation has neither base nor stamps, so that its values replace the stored ones.
  fileprivate var isPlain: Bool { base == nil && !content.isByField }
}

extension HubMutation.Content {
  subscript(_ name: String) -> JSONValue? {
    switch self {
    case .members(let members): members[name]
    case .fields(let fields): fields[name]?.value
    }
  }

  var isByField: Bool { if case .fields = self { true } else { false } }

  fileprivate var isEmpty: Bool { names.isEmpty }

  fileprivate var names: [String] {
    switch self {
    case .members(let members): Array(members.keys)
    case .fields(let fields): Array(fields.keys)
    }
  }

  fileprivate var values: [String: JSONValue] {
    switch self {
    case .members(let members): members
    case .fields(let fields): fields.mapValues(\.value)
    }
  }
}

extension SyncedKind {
  var references: [(field: Field, reference: Reference)] {
    fields.compactMap { field in field.refersTo.map { (field, $0) } }
  }
}
