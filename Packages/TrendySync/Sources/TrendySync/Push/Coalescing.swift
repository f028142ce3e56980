package import TrendyFoundation
package import TrendyModels

/// Decides how a new mutation changes the mutations that are already pending.
///
/// Only the entity's last mutations are changed, and only if they are unsent, because the hub may have received a sent
/// mutation. A changed reference is never coalesced, because its order relative to the create and delete of the
/// referenced entity matters. Nothing is coalesced into a create with a natural key, because that create has no effect
/// if the entity exists.
package enum Coalescing: Sendable {
  package enum Effect: Hashable, Sendable {
    case append
    /// Replace a pending mutation with this mutation, which has the same id and position.
    case merge(PendingMutation)
    /// Append the mutation to the queue and remove these mutations, which are now obsolete.
    case replace([PendingMutation])
    /// Remove this create from the queue and drop the new delete, because the hub needs neither.
    case cancel(PendingMutation)
    /// Drop the mutation, because an equal one is pending.
    case drop
  }

  /// Returns the effect of a new mutation on the queue, which contains all pending mutations in order.
  /// - Throws: `APIError.decodingError` for a payload that is not a JSON object.
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

  /// Returns the delete with the fields of the updates that it replaces. A later restore then includes them.
  package static func carrying(_ edits: [PendingMutation], by delete: PendingMutation) throws -> PendingMutation {
    guard var carried = edits.first else { return delete }
    for edit in edits.dropFirst() { carried = try merged(carried, edit) }
    if !delete.payload.isEmpty { carried = try merged(carried, delete) }
    var result = delete
    result.payload = carried.payload
    result.marks = carried.marks
    return result
  }

  /// Whether the entity was imported or detected rather than entered by the user. Every device that records the same
  /// data then derives the same id.
  static func hasNaturalKey(_ entity: some SyncedEntity) -> Bool {
    if NaturalIdentifier.isNatural(entity.id) { return true }
    guard let event = entity as? Event else { return false }
    return isNaturalSource(event.wireSourceType) || event.externalId != nil || event.healthKitSampleId != nil
  }

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

  static func canBeReferredTo(_ kind: MutationEntityType) -> Bool { referenceFields.contains { $0.kind == kind } }

  private static func refers(_ mutation: PendingMutation, to key: EntityKey) throws -> Bool {
    try references(in: mutation.payload).contains(key)
  }

  private static func changesReference(_ update: PendingMutation) throws -> Bool {
    let fields = try fields(of: update.payload)
    return referenceFields.contains { fields[$0.name] != nil }
  }

  /// Merges the second payload into the first, member by member.
  ///
  /// An event's properties are merged by key as in RFC 7396, but only one level deep, because a property is replaced as
  /// a whole. An update keeps null, which clears the field at the hub, while a create omits cleared fields.
  private static func merged(_ first: PendingMutation, _ second: PendingMutation) throws -> PendingMutation {
    let isCreate = first.operation == .create
    func lay(_ changes: [String: JSONValue], over fields: [String: JSONValue]) -> [String: JSONValue] {
      var result = fields
      for (name, value) in changes {
        // `= nil` would store a JSON null instead of removing the member.
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

  /// Returns the field versions of a merged mutation, each taken from the newest change to the field.
  ///
  /// If the field was already pending, the newest change has inherited the base of the pending value.
  private static func marks(
    of result: PendingMutation, after first: PendingMutation, _ second: PendingMutation
  ) throws -> [String: FieldVersion] {
    if first.marks.isEmpty && second.marks.isEmpty { return [:] }
    let before = try FieldChange.changes(of: first)
    let after = try FieldChange.changes(of: second)
    var marks: [String: FieldVersion] = [:]
    for name in try FieldChange.changes(of: result).keys {
      guard let newest = after[name] ?? before[name] else { continue }
      marks[name] = FieldVersion(version: newest.base, stamp: newest.stamp, author: newest.author)
    }
    return marks.compressed
  }

  private static func fields(of payload: Data) throws -> [String: JSONValue] {
    try WireJSON.decode([String: JSONValue].self, from: payload)
  }
}

extension PendingMutation {
  /// Whether no hub can have received the mutation.
  package var wasNeverSent: Bool { sequence == nil && device == nil }
}

extension [String: FieldVersion] {
  /// Field versions in compact form: the most frequent version is stored once, as the default for fields without an
  /// entry.
  var compressed: [String: FieldVersion] {
    var counts: [FieldVersion: Int] = [:]
    for mark in values { counts[mark, default: 0] += 1 }
    guard
      let common = counts.max(by: {
        ($0.value, $1.key.stamp, $1.key.version) < ($1.value, $0.key.stamp, $0.key.version)
      })?.key
    else { return [:] }
    var result = filter { $0.value != common }
    result[FieldVersion.others] = common
    return result
  }
}
