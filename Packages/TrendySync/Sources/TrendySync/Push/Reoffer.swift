import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Queues data that this store has and its hub has lost, ahead of all pending mutations. Does not save.
struct Reoffer {
  /// Entity that the hub has lost, or has only in an older state.
  struct Loss {
    /// The store's entry, with its data.
    var entry: ChangeEntry
    var atHub: ChangeEntry?
    /// Last version that the histories of store and hub share.
    var common: Int64
  }

  let store: any DataStoreProtocol
  let now: Date
  let random: RandomSource

  /// Rebuilds the queue under a new identity and returns the number of re-offers and lost accepted mutations.
  ///
  /// The re-offers come first, with their original authors and stamps, followed by the `accepted` mutations that the
  /// hub has lost and all pending mutations, in their order. Bases are lowered to `common`, the last version that the
  /// histories of store and hub share.
  @discardableResult
  func queue(_ losses: [Loss], _ accepted: [PendingMutation], above common: Int64) throws -> Int {
    let device = try NewIdentity(store: store, random: random, now: now).take()
    let waiting = try store.fetchPendingMutations()
    var queue = accepted.inAcceptingOrder + waiting
    for index in queue.indices {
      // Keep the creation times ascending, because the queue is ordered by time. Otherwise a later mutation could move
      // to the front after the clock was set back.
      if index > 0 { queue[index].createdAt = max(queue[index].createdAt, queue[index - 1].createdAt) }
      queue[index].acceptedVersion = nil
      queue[index].sequence = nil
      queue[index].attempts = 0
      queue[index].lastError = nil
      if let base = queue[index].base { queue[index].base = min(base, common) }
      queue[index].marks = queue[index].marks.mapValues {
        FieldVersion(version: min($0.version, common), stamp: $0.stamp, author: $0.author)
      }
    }
    let first = queue.first?.createdAt ?? now
    let losses = losses.sorted {
      ($0.entry.rank, $0.entry.id, $0.entry.entityId) < ($1.entry.rank, $1.entry.id, $1.entry.entityId)
    }
    let offers =
      try losses.filter { !$0.entry.isDelete }.compactMap { try offer($0, at: first, under: device) }
      + losses.filter(\.entry.isDelete).reversed().compactMap { try offer($0, at: first, under: device) }
    for mutation in waiting { try store.deletePendingMutation(mutation) }
    for mutation in offers + queue { try store.insertPendingMutation(mutation) }
    return offers.count + accepted.count
  }

  /// Returns the re-offer of an entity, or `nil` if there is nothing to send.
  ///
  /// The re-offer has a device but no sequence number, which prevents coalescing: other devices re-offer the entity
  /// too, and the hub may already have received it from one of them.
  private func offer(_ loss: Loss, at date: Date, under device: String) throws -> PendingMutation? {
    let (entry, common) = (loss.entry, loss.common)
    guard let key = entry.key else { return nil }
    var mutation = PendingMutation(
      id: random.identifier(at: now), entityType: key.entityType, entityId: key.entityId, operation: .delete,
      payload: Data(),
      createdAt: date, device: device, incarnation: entry.incarnation)
    let isRestore = !entry.isDelete && loss.atHub.map { $0.incarnation < entry.incarnation } ?? false
    // If the hub has no entry at all, it also lacks earlier fields and fields without a version. A restore includes the
    // parent field with its author, by which the hub recognizes a re-offer.
    let (members, marks) = entry.fields(
      above: loss.atHub == nil ? nil : common, base: common,
      always: isRestore ? SyncedKind.named(entry.entityType)?.parent?.name : nil)
    if entry.isDelete {
      mutation.base = common
      let mark = entry.marks[FieldVersion.others] ?? FieldVersion(version: common, stamp: 0)
      mutation.marks = [FieldVersion.others: FieldVersion(version: common, stamp: mark.stamp, author: mark.author)]
      if !members.isEmpty {
        mutation.payload = try WireJSON.encode(members)
        mutation.marks = marks
      }
      return mutation
    }
    // If the incarnation has been deleted at the hub, an edit does not restore the entity. The hub refuses the edit,
    // which then moves to the journal.
    mutation.operation = loss.atHub == nil ? .create : isRestore ? .restore : .update
    if members.isEmpty, mutation.operation == .update { return nil }
    var payload = members
    if mutation.operation == .create { payload["id"] = .string(key.entityId) }
    mutation.payload = try WireJSON.encode(payload)
    mutation.marks = marks
    return mutation
  }
}

extension ChangeEntry {
  /// Returns the fields written after `version`, or all fields if `version` is `nil`, as members of a request with
  /// their authors and stamps. The field named `always` is included in any case.
  fileprivate func fields(
    above version: Int64?, base: Int64, always: String?
  ) -> (members: [String: JSONValue], marks: [String: FieldVersion]) {
    var values = (data?.rawData ?? [:]).filter { !RecordDocument.ownMembers.contains($0.key) && $0.key != "event_type" }
    let nested = SyncedKind.named(entityType)?.nestedMember
    if let nested {
      for (key, value) in values.removeValue(forKey: nested)?.objectValue ?? [:] { values["\(nested).\(key)"] = value }
    }
    // A cleared field has a version but no value.
    for name in marks.keys where name != FieldVersion.others && values[name] == nil {
      values.updateValue(.null, forKey: name)
    }
    var members: [String: JSONValue] = [:]
    var offered: [String: FieldVersion] = [:]
    for (name, value) in values {
      let mark = marks.mark(of: name)
      if let version, name != always, mark.map({ $0.version <= version }) ?? true { continue }
      offered[name] = FieldVersion(version: base, stamp: mark?.stamp ?? 0, author: mark?.author)
      if let nested, name.hasPrefix("\(nested).") {
        var object = members[nested]?.objectValue ?? [:]
        object.updateValue(value, forKey: String(name.dropFirst(nested.count + 1)))
        members[nested] = .object(object)
      } else {
        members.updateValue(value, forKey: name)
      }
    }
    if offered.isEmpty { offered[FieldVersion.others] = FieldVersion(version: base, stamp: 0) }
    return (members, offered)
  }
}
