import Foundation
public import TrendyHub
import TrendyModels

/// The users' records in memory. A value: a copy does not change with the original.
public struct MemoryHubPeople: Sendable {
  private var people: [String: MemoryPerson] = [:]
  private var erased: Set<String> = []

  public init() {}

  /// Reads a record in an epoch of the storage; `nil` if each hub start begins an epoch.
  public func read<Result>(
    _ person: String, life: String?, _ body: (any HubReading) throws -> Result
  ) throws -> Result {
    try checkKept(person)
    return try body(MemoryTransaction(people[person] ?? MemoryPerson(), of: person, life: life))
  }

  /// Writes a record atomically in an epoch of the storage.
  ///
  /// - Parameters:
  ///   - person: Id of the user.
  ///   - life: Epoch of the storage; `nil` if each hub start begins an epoch.
  ///   - renew: Renews the lease of a process that runs trip detection, or throws; by default it succeeds.
  ///   - body: Writes the record.
  public mutating func write<Result>(
    _ person: String, life: String?, renewing renew: @escaping (String) throws -> Void = { _ in },
    _ body: (any HubTransaction) throws -> Result
  ) throws -> Result {
    try checkKept(person)
    let transaction = MemoryTransaction(people[person] ?? MemoryPerson(), of: person, life: life, renewing: renew)
    let result = try body(transaction)
    people[person] = transaction.person
    return result
  }

  /// Deletes a user's record; later reads and writes throw `HubStorageError.erased`.
  public mutating func erase(_ person: String) {
    people[person] = nil
    erased.insert(person)
  }

  func checkKept(_ person: String) throws {
    if erased.contains(person) { throw HubStorageError.erased(person: person) }
  }

  func size(of person: String) -> Int64 {
    let lines = people[person]?.entries.values.map { $0.line(person: person).text.count } ?? []
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
  var companions: [String: HubCompanion] = [:]
  var notices: [String: [Int64: CompanionNotice]] = [:]
  var webhookStandings: [String: HubWebhookStanding] = [:]
  var imports: [String: HubImport] = [:]
}

private final class MemoryTransaction: HubTransaction {
  private(set) var person: MemoryPerson
  private let name: String
  private let life: String?

  private let renew: (String) throws -> Void

  init(
    _ person: MemoryPerson, of name: String, life: String?, renewing renew: @escaping (String) throws -> Void = { _ in }
  ) {
    self.person = person
    self.name = name
    self.life = life
    self.renew = renew
  }

  func renewTrackReader(_ reader: String) throws { try renew(reader) }

  func epoch() throws -> String? { life }

  private var byVersion: [HubEntry] { person.entries.values.sorted { $0.version < $1.version } }

  func state() throws -> HubState { person.state }
  func entry(kind: String, id: String) throws -> HubEntry? { person.entries[.init(kind: kind, id: id)] }

  func entries(after version: Int64, limit: Int) throws -> [HubEntry] {
    Array(byVersion.filter { $0.version > version }.prefix(limit))
  }

  func lines(after version: Int64, limit: Int) throws -> [HubLine] {
    try entries(after: version, limit: limit).map { $0.line(person: name) }
  }

  func lines(ofKind kind: String?, after version: Int64, bytes: Int) throws -> [HubLine] {
    func isOfKind(_ entry: HubEntry) -> Bool {
      kind.map { $0 == entry.kind } ?? (SyncedKind.named(entry.kind) == nil)
    }
    var lines: [HubLine] = []
    var left = bytes
    for entry in byVersion where isOfKind(entry) && entry.version > version && (left > 0 || lines.isEmpty) {
      lines.append(entry.line(person: name))
      left -= lines.last?.text.count ?? 0
    }
    return lines
  }

  func allLines() throws -> HubLineList {
    func rank(_ entry: HubEntry) -> Int { SyncedKind.named(entry.kind)?.rank ?? .max }
    let all = byVersion.sorted { (rank($0), $0.version) < (rank($1), $1.version) }
    return HubLineList(count: all.count) { [name] in all[$0].line(person: name) }
  }

  func living(kind: String, offset: Int, limit: Int) throws -> [HubEntry] {
    let all = person.entries.values.filter { $0.kind == kind && $0.isAlive }
      .sorted { ($1.listMoment, $1.id) < ($0.listMoment, $0.id) }
    return Array(all.dropFirst(offset).prefix(limit))
  }

  func referring(toKind kind: String, id: String) throws -> [HubEntry] {
    byVersion.filter { entry in
      entry.isAlive && entry.references.contains { $0.kind == kind && $0.id == id }
    }
  }

  func mark(device: String) throws -> Int64 { person.marks[device] ?? 0 }

  func outcome(device: String, sequence: Int64) throws -> StoredOutcome? { person.outcomes[device]?[sequence] }

  func keyedWrite(_ hash: HubNameHash) throws -> KeyedWrite? { person.keyedWrites[hash] }

  func isPurged(kind: String, id: String) throws -> Bool { person.purged.contains(.entry(kind, id)) }

  func tombstones(through version: Int64, limit: Int) throws -> [HubEntry] {
    Array(byVersion.filter { !$0.isAlive && $0.version <= version }.prefix(limit))
  }

  func contact(device: String) throws -> HubContact? { person.contacts[device] }

  func contacts() throws -> [HubContact] { person.contacts.values.sorted { $0.device < $1.device } }

  func companions() throws -> [HubCompanion] { person.companions.values.sorted { $0.id < $1.id } }
  func companion(id: String) throws -> HubCompanion? { person.companions[id] }

  func notices(companion: String, after sequence: Int64, limit: Int) throws -> [CompanionNotice] {
    Array(
      (person.notices[companion] ?? [:]).values.filter { $0.sequence > sequence }
        .sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  func webhookStanding(of webhook: String) throws -> HubWebhookStanding? { person.webhookStandings[webhook] }
  func imports() throws -> [HubImport] {
    person.imports.values.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  func setState(_ state: HubState) throws { person.state = state }
  func put(_ entry: HubEntry) throws { person.entries[.init(kind: entry.kind, id: entry.id)] = entry }
  func setMark(device: String, _ sequence: Int64) throws { person.marks[device] = sequence }

  func putOutcome(device: String, sequence: Int64, _ outcome: StoredOutcome) throws {
    person.outcomes[device, default: [:]][sequence] = outcome
  }

  func forgetOutcomes(device: String, through sequence: Int64) throws {
    person.outcomes[device]?.keys.filter { $0 <= sequence }.forEach { person.outcomes[device]?[$0] = nil }
  }

  func putKeyedWrite(_ hash: HubNameHash, _ write: KeyedWrite) throws { person.keyedWrites[hash] = write }

  func purge(kind: String, id: String) throws {
    person.entries[.init(kind: kind, id: id)] = nil
    person.purged.insert(.entry(kind, id))
  }

  func putPurged(_ hash: HubNameHash) throws { person.purged.insert(hash) }
  func clear() throws { person = MemoryPerson() }

  func forEachRecord(_ body: (HubRecord) throws -> Void) throws {
    if person.state != HubState() { try body(.state(person.state)) }
    for entry in byVersion { try body(.entry(entry)) }
    for hash in person.purged { try body(.purged(hash)) }
    for (device, sequence) in person.marks { try body(.mark(device: device, sequence: sequence)) }
    for (device, outcomes) in person.outcomes {
      for (sequence, outcome) in outcomes { try body(.outcome(device: device, sequence: sequence, outcome)) }
    }
    for (hash, write) in person.keyedWrites { try body(.keyedWrite(hash, write)) }
    for contact in person.contacts.values { try body(.contact(contact)) }
    for companion in person.companions.values { try body(.companion(companion)) }
    for (companion, notices) in person.notices {
      for notice in notices.values { try body(.notice(notice, companion: companion)) }
    }
    for standing in person.webhookStandings.values { try body(.webhookStanding(standing)) }
    for entry in person.imports.values { try body(.import(entry)) }
  }

  func putContact(_ contact: HubContact) throws { person.contacts[contact.device] = contact }
  func forgetContact(device: String) throws { person.contacts[device] = nil }
  func put(_ companion: HubCompanion) throws { person.companions[companion.id] = companion }

  func put(_ notice: CompanionNotice, companion: String) throws {
    person.notices[companion, default: [:]][notice.sequence] = notice
  }

  func forgetNotices(companion: String, through sequence: Int64) throws {
    person.notices[companion]?.keys.filter { $0 <= sequence }.forEach { person.notices[companion]?[$0] = nil }
  }

  func put(_ standing: HubWebhookStanding) throws { person.webhookStandings[standing.webhook] = standing }
  func forgetWebhookStanding(of webhook: String) throws { person.webhookStandings[webhook] = nil }
  func put(_ entry: HubImport) throws { person.imports[entry.id] = entry }
}
