import Foundation
import TrendyModels
import TrendyPersistence

final class EmbeddedTransaction: EmbeddedReading, HubTransaction {
  /// Maximum number of cached entries, to bound the memory of a long write.
  private static let maxKept = 128

  private let transaction: WriteTransaction
  /// Cache of entries read or written by this transaction.
  ///
  /// A merge reads the same parent for each child, and reads back entries it has written.
  private var kept: [HubEntryKey: HubEntry] = [:]
  private var writtenState: HubState?

  init(transaction: WriteTransaction, user: String, lastState: LastState) {
    self.transaction = transaction
    super.init(records: transaction, user: user, lastState: lastState)
  }

  override func entry(kind: String, id: String) throws -> HubEntry? {
    if let entry = kept[HubEntryKey(kind: kind, id: id)] { return entry }
    let entry = try super.entry(kind: kind, id: id)
    if let entry { keep(entry) }
    return entry
  }

  private func keep(_ entry: HubEntry) {
    if kept.count >= Self.maxKept { kept.removeAll(keepingCapacity: true) }
    kept[HubEntryKey(kind: entry.kind, id: entry.id)] = entry
  }

  override func state() throws -> HubState { try writtenState ?? super.state() }

  func setState(_ state: HubState) throws {
    try transaction.put(kind: HubRecordKind.state, key: HubRecordKey.state, document: state.stored)
    writtenState = state
  }

  func put(_ entry: HubEntry) throws {
    let key = HubRecordKey.entry(entry.kind, entry.id)
    let group = HubRecordKey.group(entry.kind)
    let old = try self.entry(kind: entry.kind, id: entry.id)
    for reference in old?.references ?? [] {
      transaction.delete(
        kind: HubRecordKind.reference, key: HubRecordKey.reference(entry.kind, entry.id, field: reference.field))
    }
    if let old, old.isAlive != entry.isAlive {
      transaction.delete(kind: old.isAlive ? HubRecordKind.living : HubRecordKind.tombstone, key: key)
    }
    try transaction.put(
      kind: HubRecordKind.entry, key: key, sort: entry.version, group: group,
      payload: StoredEntry.write(entry, user: user))
    keep(entry)
    guard entry.isAlive else {
      try transaction.put(kind: HubRecordKind.tombstone, key: key, sort: entry.version, group: 0, payload: [])
      return
    }
    let moment = entry.kind == SyncedKind.event.name ? HubEventMoment(entry) : nil
    try transaction.put(
      kind: HubRecordKind.living, key: key, sort: min(entry.listMoment, .max - 1), group: group,
      payload: moment.map(StoredMoment.write) ?? [])
    for reference in entry.references {
      try transaction.put(
        kind: HubRecordKind.reference, key: HubRecordKey.reference(entry.kind, entry.id, field: reference.field),
        sort: entry.version, group: HubRecordKey.group(reference.kind, reference.id),
        document: ["kind": .string(entry.kind), "id": .string(entry.id)])
    }
  }

  func setMark(device: String, _ sequence: Int64) throws {
    try transaction.put(
      kind: HubRecordKind.mark, key: HubRecordKey.device(device),
      document: ["device": .string(device), "sequence": .int(sequence)])
  }

  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws {
    try transaction.put(
      kind: HubRecordKind.outcome, key: HubRecordKey.outcome(device, sequence), sort: sequence,
      group: HubRecordKey.group(device), document: outcome.stored)
  }

  func forgetOutcomes(device: String, through sequence: Int64) throws {
    guard sequence > 0, sequence < .max - 1 else { return }
    let old = try transaction.scan(
      kind: HubRecordKind.outcome, group: HubRecordKey.group(device), from: .min, to: sequence + 1)
    for record in old { transaction.delete(kind: HubRecordKind.outcome, key: record.key) }
  }

  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws {
    try transaction.put(
      kind: HubRecordKind.keyedWrite, key: hash.key,
      document: ["digest": .string(write.digest), "kind": .string(write.kind), "id": .string(write.id)])
  }

  func purge(kind: String, id: String) throws {
    let key = HubRecordKey.entry(kind, id)
    for record in [HubRecordKind.entry, HubRecordKind.tombstone] { transaction.delete(kind: record, key: key) }
    kept[HubEntryKey(kind: kind, id: id)] = nil
    try putPurged(HubNameHash(key))
  }

  func putPurged(_ hash: HubNameHash) throws {
    try transaction.put(kind: HubRecordKind.purged, key: hash.key, sort: 0, group: 0, payload: [])
  }

  func clear() throws {
    kept.removeAll()
    writtenState = nil
    for kind in HubRecordKind.ofPerson {
      for record in try transaction.scan(kind: kind) { transaction.delete(kind: kind, key: record.key) }
    }
  }

  func putContact(_ contact: HubContact) throws {
    try transaction.put(
      kind: HubRecordKind.contact, key: HubRecordKey.device(contact.device),
      document: [
        "device": .string(contact.device), "cursor": .int(contact.cursor), "at": .int(contact.at.milliseconds),
        "lives": .array(contact.epochs.map { .string($0) }),
      ])
  }

  func forgetContact(device: String) throws {
    transaction.delete(kind: HubRecordKind.contact, key: HubRecordKey.device(device))
  }

  func put(_ companion: CompanionLink) throws {
    try transaction.put(
      kind: HubRecordKind.companion, key: RowKey(hashing: companion.id), document: companion.stored)
  }

  func put(_ notice: CompanionNotice, companion: String) throws {
    try transaction.put(
      kind: HubRecordKind.notice, key: HubRecordKey.notice(companion, notice.sequence), sort: notice.sequence,
      group: HubRecordKey.group(companion), payload: Array(try WireJSON.encode(notice)))
  }

  func forgetNotices(companion: String, through sequence: Int64) throws {
    guard sequence > 0, sequence < .max - 1 else { return }
    let old = try transaction.scan(
      kind: HubRecordKind.notice, group: HubRecordKey.group(companion), from: .min, to: sequence + 1)
    for record in old { transaction.delete(kind: HubRecordKind.notice, key: record.key) }
  }

  func put(_ standing: WebhookDeliveryState) throws {
    try transaction.put(
      kind: HubRecordKind.webhookStanding, key: RowKey(hashing: standing.webhook), document: standing.stored)
  }

  func forgetWebhookStanding(of webhook: String) throws {
    transaction.delete(kind: HubRecordKind.webhookStanding, key: RowKey(hashing: webhook))
  }

  func put(_ entry: HubImport) throws {
    try transaction.put(kind: HubRecordKind.fileImport, key: RowKey(hashing: entry.id), document: entry.stored)
  }
}
