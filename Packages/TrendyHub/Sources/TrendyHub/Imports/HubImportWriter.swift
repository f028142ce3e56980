public import Foundation
public import TrendyInterchange
public import TrendyModels
import TrendyProtocols

/// Writes the entities of one import into a user's record, with the import as their author.
///
/// Not thread-safe.
public final class HubImportWriter {
  /// Result of creating one entity.
  public enum Outcome: Hashable, Sendable {
    case made
    /// The entity already exists or was deleted.
    case known
    /// The hub rejected the entity for the given reason.
    case refused(String)
  }

  /// State of an id in the record.
  public enum Standing: Hashable, Sendable {
    case unknown
    case living
    case deleted
    /// The entity was created by an import and deleted when that import was undone. The entity may be created again.
    case takenBack
  }

  /// An entity to create: kind, id, and members of the create request.
  public typealias Entity = (kind: SyncedKind, id: String, members: [String: JSONValue])

  /// Service that writes the events detected in the file's fixes.
  public let desk: UserRecordService
  private let records: HubRecords
  private var entry: HubImport
  /// Whether the import has been added to the list of imports.
  private(set) public var isBegun = false

  init(records: HubRecords, user: String, id: String, source: String) {
    self.records = records
    entry = HubImport(id: id, format: "", source: source, startedAt: records.clock.now, before: 0)
    desk = UserRecordService(records: records, user: user, device: entry.deviceName, isLimited: true)
  }

  /// The hub's time.
  public var now: Date { records.clock.now }
  /// Id of the import.
  public var id: String { entry.id }

  /// Sets the identifier of the file format. Must be called before the first write.
  public func setFormat(_ word: String) { entry.format = word }

  /// Returns the time zones and digests of earlier imports that have not been undone, oldest first.
  public func earlierReadings() throws -> [ImportReading] {
    try records.storage.read(user: desk.user) { try $0.imports() }
      .filter { $0.undoneAt == nil && $0.id != entry.id }.compactMap(\.reading)
  }

  /// Records how the file was read. Must be called before the first write.
  public func note(_ reading: ImportReading) { entry.reading = reading }

  /// Returns a new id.
  public func makeID() -> String { records.accounts.random.identifier(at: now) }

  /// Returns the state of an id in the record.
  public func standing(of kind: String, id: String) throws -> Standing {
    try records.storage.read(user: desk.user) { reading in
      guard let found = try reading.entry(kind: kind, id: id) else {
        return try reading.isPurged(kind: kind, id: id) ? .deleted : .unknown
      }
      return found.isAlive ? .living : found.isImportUndone ? .takenBack : .deleted
    }
  }

  /// Creates the entities that do not exist yet, atomically and durably.
  ///
  /// - Returns: One outcome for each entity. A rejection by the hub is an outcome, not an error.
  /// - Throws: `HubStorageError`.
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

  /// Adds the import to the list of imports. Must be called before events are written through ``desk``.
  public func begin() throws {
    guard !isBegun else { return }
    try write { _, _ in true }
  }

  /// Counts an entity that was created through ``desk``. ``finish()`` saves the count.
  public func noteMade(_ kind: SyncedKind) { entry.made[kind.name, default: 0] += 1 }

  /// Ends the import. An import that created nothing is not listed.
  public func finish() throws {
    guard isBegun else { return }
    try write { _, next in
      next.finishedAt = now
      return true
    }
  }

  /// Runs `body`, which returns whether it created anything, in a write transaction.
  private func write(_ body: (any HubTransaction, inout HubImport) throws -> Bool) throws {
    var next = entry
    var isBegun = isBegun
    try records.writeHere(user: desk.user) { transaction in
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
extension HubImportWriter: Sendable {}
