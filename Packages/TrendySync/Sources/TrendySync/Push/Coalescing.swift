package import TrendyFoundation
package import TrendyModels

/// Decides what one more mutation does to those that wait.
///
/// Only what was never sent is touched, and only the entity's last mutations: of what is under way the hub may hold every byte.
/// A changed reference stands alone, as the order of a move and the making or deleting of what it points to matters; nothing is
/// merged into an import, which changes nothing where the same thing is held already.
package enum Coalescing: Sendable {
  package enum Effect: Hashable, Sendable {
    /// It goes to the end of the queue.
    case append
    /// Its change goes into this one, which keeps its id and its place.
    case merge(PendingMutation)
    /// It goes to the end of the queue, and these leave it: they no longer matter.
    case replace([PendingMutation])
    /// What it would undo leaves the queue, and nothing is left to tell the hub.
    case cancel(PendingMutation)
    /// It waits already.
    case drop
  }

  /// - Parameter queue: everything that waits, in its order.
  /// - Throws: `APIError.decodingError` for a payload that is no JSON object.
  package static func onMutation(_ mutation: PendingMutation, queue: [PendingMutation]) throws -> Effect {
    let earlier = queue.filter { $0.key == mutation.key }
    guard let last = earlier.last else { return .append }
    if last.operation == .delete, mutation.operation == .delete { return .drop }
    guard last.wasNeverSent else { return .append }
    switch (last.operation, mutation.operation) {
    case (.create, .create):
      return try hasNaturalKey(last) ? .drop : .merge(merged(last, mutation))
    case (.create, .update):
      return try hasNaturalKey(last) || changesReference(mutation) ? .append : .merge(merged(last, mutation))
    case (.update, .update):
      return try changesReference(last) || changesReference(mutation) ? .append : .merge(merged(last, mutation))
    case (.create, .delete):
      let isReferred = try queue.contains { try $0.key != mutation.key && refers($0, to: mutation.key) }
      return try isReferred || hasNaturalKey(last) ? .append : .cancel(last)
    case (.update, .delete):
      let edits = try earlier.reversed().prefix {
        try $0.wasNeverSent && $0.operation == .update && !changesReference($0)
      }
      return edits.isEmpty ? .append : .replace(edits.reversed())
    case (.update, .create), (.delete, _), (.restore, _), (_, .restore):
      return .append
    }
  }

  /// The delete with the edits that it takes the place of: whoever restores the entity has them.
  package static func carrying(_ edits: [PendingMutation], by delete: PendingMutation) throws -> PendingMutation {
    guard var carried = edits.first else { return delete }
    for edit in edits.dropFirst() { carried = try merged(carried, edit) }
    if !delete.payload.isEmpty { carried = try merged(carried, delete) }
    var result = delete
    result.payload = carried.payload
    result.marks = carried.marks
    return result
  }

  /// Whether two devices that record the same thing give it the same id: it was imported or measured, not entered by the user.
  static func hasNaturalKey(_ entity: some SyncedEntity) -> Bool {
    if NaturalIdentifier.isNatural(entity.id) { return true }
    guard let event = entity as? Event else { return false }
    return isNaturalSource(event.wireSourceType) || event.externalId != nil || event.healthKitSampleId != nil
  }

  /// As ``hasNaturalKey(_:)-(SyncedEntity)``, of the entity that a mutation creates.
  package static func hasNaturalKey(_ create: PendingMutation) throws -> Bool {
    if NaturalIdentifier.isNatural(create.entityId) { return true }
    guard create.entityType == .event else { return false }
    let fields = try fields(of: create.payload)
    if let source = fields["source_type"]?.stringValue, isNaturalSource(source) { return true }
    return ["external_id", "healthkit_sample_id"].contains { fields[$0]?.isNull == false }
  }

  private static func isNaturalSource(_ source: String) -> Bool {
    switch EventSourceType(rawValue: source) {
    case .imported, .healthKit, .trip: true
    case .manual, .geofence, nil: false
    }
  }

  /// The entities that a payload points to.
  package static func references(in payload: Data) throws -> [EntityKey] {
    guard !payload.isEmpty else { return [] }
    let fields = try fields(of: payload)
    return referenceFields.compactMap { name, kind in
      fields[name]?.stringValue.map { EntityKey(kind, $0) }
    }
  }

  private static let referenceFields: [(name: String, kind: MutationEntityType)] = [
    ("event_type_id", .eventType), ("event_type_entry_id", .eventType), ("event_type_exit_id", .eventType),
    ("geofence_id", .geofence),
  ]

  /// Whether something that waits can refer to entities of this kind.
  static func canBeReferredTo(_ kind: MutationEntityType) -> Bool { referenceFields.contains { $0.kind == kind } }

  private static func refers(_ mutation: PendingMutation, to key: EntityKey) throws -> Bool {
    try references(in: mutation.payload).contains(key)
  }

  /// Clearing a reference counts as well.
  private static func changesReference(_ update: PendingMutation) throws -> Bool {
    let fields = try fields(of: update.payload)
    return referenceFields.contains { fields[$0.name] != nil }
  }

  /// The first with the second laid over it: by member, and by key within an event's properties (RFC 7396, one level deep, as a
  /// property is replaced as a whole). In an update null stays, for it clears at the hub; a create leaves out what is cleared.
  private static func merged(_ first: PendingMutation, _ second: PendingMutation) throws -> PendingMutation {
    let isCreate = first.operation == .create
    func lay(_ changes: [String: JSONValue], over fields: [String: JSONValue]) -> [String: JSONValue] {
      var result = fields
      for (name, value) in changes {
        // Not `= nil`, which a value of JSON takes for its own null.
        if isCreate, value.isNull { result.removeValue(forKey: name) } else { result[name] = value }
      }
      return result
    }
    var changes = try fields(of: second.payload)
    let fields = try fields(of: first.payload)
    if second.operation == .update, let properties = changes["properties"]?.objectValue {
      changes["properties"] = .object(lay(properties, over: fields["properties"]?.objectValue ?? [:]))
    }
    var result = first
    result.payload = try WireJSON.encode(lay(changes, over: fields))
    result.marks = try marks(of: result, after: first, second)
    return result
  }

  /// A field takes its newest mark: who wrote over an own value that waits was marked as based on what that was based on.
  private static func marks(
    of result: PendingMutation, after first: PendingMutation, _ second: PendingMutation
  ) throws -> [String: FieldMark] {
    if first.marks.isEmpty && second.marks.isEmpty { return [:] }
    let before = try FieldChange.changes(of: first)
    let after = try FieldChange.changes(of: second)
    var marks: [String: FieldMark] = [:]
    for name in try FieldChange.changes(of: result).keys {
      guard let newest = after[name] ?? before[name] else { continue }
      marks[name] = FieldMark(version: newest.base, stamp: newest.stamp, author: newest.author)
    }
    return marks.compressed
  }

  private static func fields(of payload: Data) throws -> [String: JSONValue] {
    try WireJSON.decode([String: JSONValue].self, from: payload)
  }
}

extension PendingMutation {
  /// Whether no hub can hold anything of it.
  package var wasNeverSent: Bool { sequence == nil && device == nil }
}

extension [String: FieldMark] {
  /// The same marks, those that most fields have said once for all.
  var compressed: [String: FieldMark] {
    var counts: [FieldMark: Int] = [:]
    for mark in values { counts[mark, default: 0] += 1 }
    guard
      let common = counts.max(by: {
        ($0.value, $1.key.stamp, $1.key.version) < ($1.value, $0.key.stamp, $0.key.version)
      })?.key
    else { return [:] }
    var result = filter { $0.value != common }
    result[FieldMark.others] = common
    return result
  }
}
