import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Puts into the queue what a hub lacks and this store has, before everything that waits. It does not save.
struct Reoffer {
  /// An entity that the hub does not have, or only in an older state.
  struct Loss {
    /// With its data.
    var entry: ChangeEntry
    /// What the hub has of it.
    var atHub: ChangeEntry?
    /// The last version that both sides have.
    var common: Int64
  }

  let store: any DataStoreProtocol
  let now: Date
  /// For a new identity, and for mutations that offer again.
  let chance: RandomSource

  /// Under a new identity: what the hub lost is offered again, with its authors and stamps; then what it had accepted and lost,
  /// and everything sent or waiting, in their order, based on no more than the last common version.
  /// - Returns: how many mutations offer something again.
  @discardableResult
  func queue(_ losses: [Loss], _ accepted: [PendingMutation], above common: Int64) throws -> Int {
    let device = try NewIdentity(store: store, chance: chance, now: now).take()
    let waiting = try store.fetchPendingMutations()
    var queue = accepted.inAcceptingOrder + waiting
    for index in queue.indices {
      // The queue lies by time: a clock set back must not put what was made later before it.
      if index > 0 { queue[index].createdAt = max(queue[index].createdAt, queue[index - 1].createdAt) }
      queue[index].acceptedVersion = nil
      queue[index].sequence = nil
      queue[index].attempts = 0
      queue[index].lastError = nil
      if let base = queue[index].base { queue[index].base = min(base, common) }
      queue[index].marks = queue[index].marks.mapValues {
        FieldMark(version: min($0.version, common), stamp: $0.stamp, author: $0.author)
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
    // Each anew, so that those of one time lie in this order.
    for mutation in offers + queue { try store.insertPendingMutation(mutation) }
    return offers.count + accepted.count
  }

  /// As one that has a device and no sequence: left as it is, for others offer the same, and the hub may have it from them.
  private func offer(_ loss: Loss, at date: Date, under device: String) throws -> PendingMutation? {
    let (entry, common) = (loss.entry, loss.common)
    guard let key = entry.key else { return nil }
    var mutation = PendingMutation(
      id: chance.identifier(at: now), entityType: key.entityType, entityId: key.entityId, operation: .delete,
      payload: Data(),
      createdAt: date, device: device, incarnation: entry.incarnation)
    let isRestore = !entry.isDelete && loss.atHub.map { $0.incarnation < entry.incarnation } ?? false
    // Where the hub has nothing, it lacks also what was written before, and what nobody is said to have written. A restore names the
    // parent with its author, by which the hub knows that this device only offers it again.
    let (members, marks) = entry.fields(
      above: loss.atHub == nil ? nil : common, base: common,
      always: isRestore ? SyncedKind.named(entry.entityType)?.parent?.name : nil)
    if entry.isDelete {
      mutation.base = common
      let mark = entry.marks[FieldMark.others] ?? FieldMark(version: common, stamp: 0)
      mutation.marks = [FieldMark.others: FieldMark(version: common, stamp: mark.stamp, author: mark.author)]
      // What it last said goes along, for whoever restores it.
      if !members.isEmpty {
        mutation.payload = try WireJSON.encode(members)
        mutation.marks = marks
      }
      return mutation
    }
    // In the life that died there, it stays dead: the hub refuses the edit, and the journal keeps it.
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
  /// The fields that were written above a version, all without one, as members of a request, and who wrote them when.
  /// - Parameters:
  ///   - base: the version that they are then based on.
  ///   - always: a field that is included whatever its version.
  fileprivate func fields(
    above version: Int64?, base: Int64, always: String?
  ) -> (members: [String: JSONValue], marks: [String: FieldMark]) {
    var values = (data?.rawData ?? [:]).filter { !RecordDocument.ownMembers.contains($0.key) && $0.key != "event_type" }
    let nested = SyncedKind.named(entityType)?.nestedMember
    if let nested {
      for (key, value) in values.removeValue(forKey: nested)?.objectValue ?? [:] { values["\(nested).\(key)"] = value }
    }
    // What was cleared has a mark and no value.
    for name in marks.keys where name != FieldMark.others && values[name] == nil {
      values.updateValue(.null, forKey: name)
    }
    var members: [String: JSONValue] = [:]
    var offered: [String: FieldMark] = [:]
    for (name, value) in values {
      let mark = marks.mark(of: name)
      if let version, name != always, mark.map({ $0.version <= version }) ?? true { continue }
      offered[name] = FieldMark(version: base, stamp: mark?.stamp ?? 0, author: mark?.author)
      if let nested, name.hasPrefix("\(nested).") {
        var object = members[nested]?.objectValue ?? [:]
        object.updateValue(value, forKey: String(name.dropFirst(nested.count + 1)))
        members[nested] = .object(object)
      } else {
        members.updateValue(value, forKey: name)
      }
    }
    if offered.isEmpty { offered[FieldMark.others] = FieldMark(version: base, stamp: 0) }
    return (members, offered)
  }
}
