import Foundation
public import TrendyHub
import TrendyModels

/// Users' records in memory, with value semantics.
public struct MemoryHubPeople: Sendable {
  private var users: [String: MemoryPerson] = [:]
  private var erased: Set<String> = []

  public init() {}

  /// Reads a record. `epoch` is the epoch of the storage, or `nil` if each hub start begins an epoch.
  public func read<Result>(
    _ user: String, epoch: String?, _ body: (any HubReadTransaction) throws -> Result
  ) throws -> Result {
    try checkKept(user)
    return try body(MemoryTransaction(users[user] ?? MemoryPerson(), of: user, epoch: epoch))
  }

  /// Writes a record atomically.
  ///
  /// `renew` renews the lease of a process that runs trip detection, or throws. By default, it succeeds. `epoch` is the
  /// epoch of the storage, or `nil` if each hub start begins an epoch.
  public mutating func write<Result>(
    _ user: String, epoch: String?, renewing renew: @escaping (String) throws -> Void = { _ in },
    _ body: (any HubTransaction) throws -> Result
  ) throws -> Result {
    try checkKept(user)
    let transaction = MemoryTransaction(users[user] ?? MemoryPerson(), of: user, epoch: epoch, renewing: renew)
    let result = try body(transaction)
    users[user] = transaction.user
    return result
  }

  /// Deletes a user's record. Later reads and writes throw `HubStorageError.erased`.
  public mutating func erase(_ user: String) {
    users[user] = nil
    erased.insert(user)
  }

  func checkKept(_ user: String) throws {
    if erased.contains(user) { throw HubStorageError.erased(user: user) }
  }

  func size(of user: String) -> Int64 {
    let lines = users[user]?.entries.values.map { $0.line(user: user).text.count } ?? []
    return Int64(lines.reduce(0, +))
  }
}

private struct MemoryPerson {
  struct Key: Hashable, Comparable {
    let kind: String
    let id: String

    static func < (left: Key, right: Key) -> Bool { (left.kind, left.id) < (right.kind, right.id) }
  }

  var state = HubState()
  var entries: [Key: HubEntry] = [:]
  var purged: Set<HubNameHash> = []
  var marks: [String: Int64] = [:]
  var outcomes: [String: [Int64: StoredOutcome]] = [:]
  var keyedWrites: [HubNameHash: KeyedWrite] = [:]
  var contacts: [String: HubContact] = [:]
  var companions: [String: CompanionLink] = [:]
  var notices: [String: [Int64: CompanionNotice]] = [:]
  var webhookStandings: [String: WebhookDeliveryState] = [:]
  var imports: [String: HubImport] = [:]
}

private final class MemoryTransaction: HubTransaction {
  private(set) var user: MemoryPerson
  private let name: String
  private let storageEpoch: String?

  private let renew: (String) throws -> Void

  init(
    _ user: MemoryPerson, of name: String, epoch: String?, renewing renew: @escaping (String) throws -> Void = { _ in }
  ) {
    self.user = user
    self.name = name
    storageEpoch = epoch
    self.renew = renew
  }

  func renewTrackReader(_ reader: String) throws { try renew(reader) }

  func epoch() throws -> String? { storageEpoch }

  private var byVersion: [HubEntry] { user.entries.values.sorted { $0.version < $1.version } }

  func state() throws -> HubState { user.state }
  func entry(kind: String, id: String) throws -> HubEntry? { user.entries[.init(kind: kind, id: id)] }

  func entries(after version: Int64, limit: Int) throws -> [HubEntry] {
    Array(byVersion.filter { $0.version > version }.prefix(limit))
  }

  func lines(after version: Int64, limit: Int) throws -> [SerializedEntry] {
    try entries(after: version, limit: limit).map { $0.line(user: name) }
  }

  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [SerializedEntry] {
    func isOfKind(_ entry: HubEntry) -> Bool {
      kind.map { $0 == entry.kind } ?? (SyncedKind.named(entry.kind) == nil)
    }
    var lines: [SerializedEntry] = []
    var left = bytes
    for entry in byVersion where isOfKind(entry) && entry.version > version && (left > 0 || lines.isEmpty) {
      lines.append(entry.line(user: name))
      left -= lines.last?.text.count ?? 0
    }
    return lines
  }

  func allLines() throws -> SerializedEntryList {
    func rank(_ entry: HubEntry) -> Int { SyncedKind.named(entry.kind)?.rank ?? .max }
    let all = byVersion.sorted { (rank($0), $0.version) < (rank($1), $1.version) }
    return SerializedEntryList(count: all.count) { [name] in all[$0].line(user: name) }
  }

  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry] {
    let all = user.entries.values.filter { $0.kind == kind && $0.isAlive }
      .sorted { ($1.listMoment, $1.id) < ($0.listMoment, $0.id) }
    return Array(all.dropFirst(offset).prefix(limit))
  }

  func referring(toKind kind: String, id: String) throws -> [HubEntry] {
    byVersion.filter { entry in
      entry.isAlive && entry.references.contains { $0.kind == kind && $0.id == id }
    }
  }

  func mark(device: String) throws -> Int64 { user.marks[device] ?? 0 }

  func outcome(device: String, sequence: Int64) throws -> StoredOutcome? { user.outcomes[device]?[sequence] }

  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite? { user.keyedWrites[hash] }

  func isPurged(kind: String, id: String) throws -> Bool { user.purged.contains(.entry(kind, id)) }

  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry] {
    Array(byVersion.filter { !$0.isAlive && $0.version <= version }.prefix(limit))
  }

  func contact(device: String) throws -> HubContact? { user.contacts[device] }

  func contacts() throws -> [HubContact] { user.contacts.values.sorted { $0.device < $1.device } }

  func companions() throws -> [CompanionLink] { user.companions.values.sorted { $0.id < $1.id } }
  func companion(id: String) throws -> CompanionLink? { user.companions[id] }

  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    Array(
      (user.notices[companion] ?? [:]).values.filter { $0.sequence > sequence }
        .sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  func webhookStanding(of webhook: String) throws -> WebhookDeliveryState? { user.webhookStandings[webhook] }
  func imports() throws -> [HubImport] {
    user.imports.values.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  func setState(_ state: HubState) throws { user.state = state }
  func put(_ entry: HubEntry) throws { user.entries[.init(kind: entry.kind, id: entry.id)] = entry }
  func setMark(device: String, _ sequence: Int64) throws { user.marks[device] = sequence }

  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws {
    user.outcomes[device, default: [:]][sequence] = outcome
  }

  func forgetOutcomes(device: String, through sequence: Int64) throws {
    user.outcomes[device]?.keys.filter { $0 <= sequence }.forEach { user.outcomes[device]?[$0] = nil }
  }

  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws { user.keyedWrites[hash] = write }

  func purge(kind: String, id: String) throws {
    user.entries[.init(kind: kind, id: id)] = nil
    user.purged.insert(.entry(kind, id))
  }

  func putPurged(_ hash: HubNameHash) throws { user.purged.insert(hash) }
  func clear() throws { user = MemoryPerson() }

  func forEachRecord(_ body: (HubRecord) throws -> Void) throws {
    if user.state != HubState() { try body(.state(user.state)) }
    for entry in byVersion { try body(.entry(entry)) }
    for hash in user.purged { try body(.purged(hash)) }
    for (device, sequence) in user.marks { try body(.mark(device: device, sequence: sequence)) }
    for (device, outcomes) in user.outcomes {
      for (sequence, outcome) in outcomes { try body(.outcome(device: device, sequence: sequence, outcome)) }
    }
    for (hash, write) in user.keyedWrites { try body(.keyedWrite(hash, write)) }
    for contact in user.contacts.values { try body(.contact(contact)) }
    for companion in user.companions.values { try body(.companion(companion)) }
    for (companion, notices) in user.notices {
      for notice in notices.values { try body(.notice(notice, companion: companion)) }
    }
    for standing in user.webhookStandings.values { try body(.webhookStanding(standing)) }
    for entry in user.imports.values { try body(.import(entry)) }
  }

  func putContact(_ contact: HubContact) throws { user.contacts[contact.device] = contact }
  func forgetContact(device: String) throws { user.contacts[device] = nil }
  func put(_ companion: CompanionLink) throws { user.companions[companion.id] = companion }

  func put(_ notice: CompanionNotice, companion: String) throws {
    user.notices[companion, default: [:]][notice.sequence] = notice
  }

  func forgetNotices(companion: String, through sequence: Int64) throws {
    user.notices[companion]?.keys.filter { $0 <= sequence }.forEach { user.notices[companion]?[$0] = nil }
  }

  func put(_ standing: WebhookDeliveryState) throws { user.webhookStandings[standing.webhook] = standing }
  func forgetWebhookStanding(of webhook: String) throws { user.webhookStandings[webhook] = nil }
  func put(_ entry: HubImport) throws { user.imports[entry.id] = entry }
}
