public import Foundation
public import TrendyInterchange
public import TrendyModels
import TrendyProtocols

/// One import's way into a person's record at a hub: all that it writes has its name as the author.
///
/// It is used on one thread.
public final class HubImportDesk {
  /// What became of an entity that was to be made.
  public enum Outcome: Hashable, Sendable {
    case made
    /// It lives already, or was deleted.
    case known
    /// Why the hub does not take it, in words.
    case refused(String)
  }

  /// How an id stands in the record.
  public enum Standing: Hashable, Sendable {
    case unknown
    case living
    case deleted
    /// Made by an import and deleted when that was taken back: it may come again.
    case takenBack
  }

  /// An entity to be made: its kind, and its members as a create has them.
  public typealias Entity = (kind: SyncedKind, id: String, members: [String: JSONValue])

  /// For what is found in the fixes of the file.
  public let desk: HubDesk
  private let records: HubRecords
  private var entry: HubImport
  private(set) public var isBegun = false

  init(records: HubRecords, person: String, id: String, source: String) {
    self.records = records
    entry = HubImport(id: id, format: "", source: source, startedAt: records.clock.now, before: 0)
    desk = HubDesk(records: records, person: person, device: entry.deviceName, isLimited: true)
  }

  public var now: Date { records.clock.now }
  public var id: String { entry.id }

  /// The word of the file's format, noted before anything is made.
  public func setFormat(_ word: String) { entry.format = word }

  /// How the files of earlier imports were read that were not undone, the oldest first.
  public func earlierReadings() throws -> [ImportReading] {
    try records.storage.read(person: desk.person) { try $0.imports() }
      .filter { $0.undoneAt == nil && $0.id != entry.id }.compactMap(\.reading)
  }

  /// Notes how the file is read, before anything is made.
  public func note(_ reading: ImportReading) { entry.reading = reading }

  public func makeID() -> String { records.accounts.chance.identifier(at: now) }

  public func standing(of kind: String, id: String) throws -> Standing {
    try records.storage.read(person: desk.person) { reading in
      guard let found = try reading.entry(kind: kind, id: id) else {
        return try reading.isPurged(kind: kind, id: id) ? .deleted : .unknown
      }
      return found.isAlive ? .living : found.isImportUndone ? .takenBack : .deleted
    }
  }

  /// Makes those that are not there, all or nothing; durable on return.
  /// - Throws: `HubStorageError`; what the hub refuses by its rules is an outcome.
  public func save(_ entities: [Entity]) throws -> [Outcome] {
    var outcomes: [Outcome] = []
    try write { transaction, next in
      outcomes = []
      try transaction.prefetch(entities.map { HubEntryKey(kind: $0.kind.name, id: $0.id) }, device: "")
      for entity in entities {
        let outcome = try make(entity, in: transaction)
        if outcome == .made { next.made[entity.kind.name, default: 0] += 1 }
        outcomes.append(outcome)
      }
      return outcomes.contains(.made)
    }
    return outcomes
  }

  /// Has the import in the list before something is written through ``desk``.
  public func begin() throws {
    guard !isBegun else { return }
    try write { _, _ in true }
  }

  /// Something was made through ``desk``; it is written down with the end.
  public func noteMade(_ kind: SyncedKind) { entry.made[kind.name, default: 0] += 1 }

  /// The import is over. One that made nothing is in no list.
  public func finish() throws {
    guard isBegun else { return }
    try write { _, next in
      next.finishedAt = now
      return true
    }
  }

  /// - Parameter body: says whether anything was made.
  private func write(_ body: (any HubTransaction, inout HubImport) throws -> Bool) throws {
    var next = entry
    var isBegun = isBegun
    try records.writeHere(person: desk.person) { transaction in
      next = entry
      isBegun = self.isBegun
      if !isBegun { next.before = try transaction.state().head }
      guard try body(transaction, &next) else { return }
      isBegun = true
      next.through = try transaction.state().head
      try transaction.put(next)
    }
    entry = next
    self.isBegun = isBegun
  }

  private func make(_ entity: Entity, in transaction: any HubTransaction) throws -> Outcome {
    do {
      if let found = try transaction.entry(kind: entity.kind.name, id: entity.id) {
        guard !found.isAlive, found.isImportUndone else { return .known }
        _ = try records.core.restore(entity.kind, id: entity.id, by: entry.author, in: transaction, now: now)
        _ = try records.core.update(
          entity.kind, id: entity.id, entity.members, by: entry.author, in: transaction, now: now)
        return .made
      }
      guard try !transaction.isPurged(kind: entity.kind.name, id: entity.id) else { return .known }
      var members = entity.members
      members["id"] = .string(entity.id)
      _ = try records.core.create(entity.kind, members, by: entry.author, in: transaction, now: now)
      return .made
    } catch let problem as Problem where (400..<500).contains(problem.status) {
      return .refused("\(entity.kind.name) \"\(entity.id)\": \(problem.detail)")
    }
  }
}

extension HubEntry {
  fileprivate var isImportUndone: Bool { fields[SyncedKind.importUndone]?.value == true }
}

@available(*, unavailable)
extension HubImportDesk: Sendable {}
