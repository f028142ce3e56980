import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTrips

/// Destination of an import on a device: the store, and the import history that makes the import undoable.
final class DeviceImportStore: ImportStore {
  private let record: DeviceRecord
  /// Path of the file as the user entered it.
  private let source: String
  private let format: String
  private let fingerprint: String
  /// Fingerprints of entities that were deleted by undoing an import and may be imported again.
  private let takenBack: FingerprintSet
  private var isBegun = false
  /// Whether the import has created an entity and is therefore an undo step.
  private var isUndoable = false
  private(set) var importID: String?
  private(set) var isContinued = false
  private var reading: ImportReading?

  init(record: DeviceRecord, format: InterchangeFormat, request: ImportRequest) throws {
    self.record = record
    source = request.source
    self.format = format.word
    fingerprint = request.fingerprint
    takenBack = try record.takenBack()
    guard !request.isDryRun else { return }
    let interrupted = try record.imports().last {
      $0.undone == nil && $0.finished == nil && $0.fingerprint == fingerprint
    }
    guard let interrupted else { return }
    importID = interrupted.id
    isContinued = true
    isBegun = true
    isUndoable = true
  }

  var now: Date { record.clock.now }

  func earlierReadings() throws -> [ImportReading] {
    try record.imports().filter { $0.undone == nil && $0.id != importID }.compactMap(\.reading)
  }
  func note(_ reading: ImportReading) { self.reading = reading }
  func makeID() -> String { record.makeID() }
  func eventTypes() throws -> [EventType] { try record.makeStore().fetchAllEventTypes() }
  func propertyDefinitions() throws -> [PropertyDefinition] { try record.makeStore().fetchAllPropertyDefinitions() }
  func event(id: String) throws -> Event? { try record.makeStore().findEvent(id: id) }
  func type(_ kind: BuiltInType) throws -> EventType { try record.type(kind) }
  func makeJournal() throws -> any DetectedEventStore { record.journal(of: self) }
  func openTrackLog() throws -> TrackLog { try record.openTrackLog() }
  func presentTrackLog() throws -> TrackLog? { record.hasTracks ? try record.openTrackLog() : nil }
  func makeTrackIntake() throws -> TrackIntake { try record.makeTrackIntake(of: self) }

  func events(in range: Range<Date>, ofType type: String?) throws -> [Event] {
    try record.makeStore().events(in: range, ofType: type, limit: nil)
  }

  func isDeleted(_ kind: MutationEntityType, id: String) throws -> Bool {
    try record.makeStore().findTombstone(kind, id)
  }

  func knows(_ kind: MutationEntityType, id: String) throws -> Bool { try record.makeStore().knows(kind, id) }
  func isTakenBack(_ kind: MutationEntityType, id: String) throws -> Bool {
    try isTakenBack(kind, id, in: record.makeStore())
  }

  /// Whether an entity was deleted by undoing an import and may therefore be restored.
  ///
  /// The hub's tombstone, if there is one, covers undos on all devices. Otherwise, the import history of this store is
  /// used.
  private func isTakenBack(_ kind: MutationEntityType, _ id: String, in store: any DataStoreProtocol) throws -> Bool {
    if let held = try store.heldEntry(kind: kind, id: id), held.isDelete {
      return held.data?.rawData[SyncedKind.importUndone] == true
    }
    return takenBack.count > 0 && takenBack.contains(CompactIdentifier(id).fingerprint)
  }

  var batchSize: Int { Self.maxInBatch }
  var savesBesideReading: Bool { true }

  /// Batch size at which the store writes directly to a segment instead of the log.
  static let maxInBatch = 65_536

  func save(_ batch: [AnyEntity]) throws -> [Bool] {
    try record.recorder.inOneSave { save in
      try save.beginWriting()
      let areNew = try Self.areNew(batch, in: save.store)
      var made: [MadeEntity] = []
      made.reserveCapacity(batch.count)
      let wereMade = try zip(batch, areNew).map { entity, isNew in
        let id = entity.id
        let digest =
          if isNew, case .event(let event) = entity {
            AnyEntity.digest(ofPayload: try save.recordNew(event))
          } else {
            try make(entity, id: id, in: save)
          }
        guard let digest else { return false }
        made.append(MadeEntity(kind: entity.kind, id: id, digest: digest))
        return true
      }
      if !made.isEmpty {
        let journal = ImportHistory(save.localStore)
        try journal.append(made, to: begin(journal, save.localStore))
      }
      return wereMade
    }
  }

  func finish() throws {
    guard let importID else { return }
    try record.recorder.inOneSave { save in
      try save.beginWriting()
      try ImportHistory(save.localStore).finish(importID, at: record.clock.now)
    }
  }

  /// Records a trip or visit detected in this import's fixes. Returns whether it is new.
  func create(_ event: Event, in save: RecorderChanges) throws -> Bool {
    try save.beginWriting()
    guard let digest = try make(.event(event), id: event.id, in: save) else { return false }
    let journal = ImportHistory(save.localStore)
    try journal.append(
      [MadeEntity(kind: .event, id: event.id, digest: digest)], to: begin(journal, save.localStore))
    return true
  }

  /// Returns, for each entity, whether it is an event that the store does not have even as a tombstone.
  private static func areNew(_ batch: [AnyEntity], in store: any DataStoreProtocol) throws -> [Bool] {
    let events = batch.map { entity -> CompactIdentifier? in
      if case .event(let event) = entity { event.identifier } else { nil }
    }
    var areNew = try store.areNew(events: events.compactMap(\.self))[...]
    return events.map { $0 != nil && areNew.popFirst() == true }
  }

  /// Creates an entity, or restores it if the import that created it has been undone. Returns the entity's digest, or
  /// `nil` if the entity already exists or the user has deleted it.
  private func make(_ entity: AnyEntity, id: String, in save: RecorderChanges) throws -> String? {
    func heldDigest() throws -> String {
      try (AnyEntity.held(entity.kind, id: id, in: save.store) ?? entity).digest
    }
    guard try AnyEntity.held(entity.kind, id: id, in: save.store) == nil else { return nil }
    if try isTakenBack(entity.kind, id, in: save.store) {
      do {
        // A restored event takes its values from this file and the current options, because the user may have undone
        // the first import for a wrong type.
        let isRestored =
          if case .event(let event) = entity { try save.restore(as: event) } else {
            try save.restore(entity.kind, id: id)
          }
        if isRestored { return try heldDigest() }
      } catch RecorderError.notHeld, RecorderError.deletionUnderWay {
        // If the hub does not know the entity or has not received the deletion yet, add a new mutation, which recreates
        // the entity after the deletion.
        return try save.again.record(entity) ? heldDigest() : nil
      } catch is RecorderError {
        return nil
      }
    }
    // For a natural id, `record` performs this check.
    if !NaturalIdentifier.isNatural(id), try save.store.knows(entity.kind, id) { return nil }
    if case .event(let event) = entity {
      return try save.recordedPayload(of: event).map { AnyEntity.digest(ofPayload: $0) }
    }
    return try save.record(entity) ? heldDigest() : nil
  }

  func noteReadings() throws {
    guard importID == nil else { return }
    try record.recorder.inOneSave { save in
      try save.beginWriting()
      _ = try list(ImportHistory(save.localStore))
    }
  }

  private func list(_ journal: ImportHistory) throws -> String {
    let id = importID ?? record.makeID()
    importID = id
    guard !isBegun else { return id }
    // Set before the save, because the import ends if the save fails.
    isBegun = true
    try journal.begin(
      ImportEntry(
        id: id, format: format, source: source, started: record.clock.now, fingerprint: fingerprint, reading: reading))
    return id
  }

  private func begin(_ journal: ImportHistory, _ store: LocalStore) throws -> String {
    let id = try list(journal)
    guard !isUndoable else { return id }
    isUndoable = true
    let now = record.clock.now
    // Add an undo step, without which undo would revert an action before the import.
    var log = try UndoLog(store)
    let name = URL(filePath: source).lastPathComponent
    _ = try log.append(UndoStep(label: "import \(name)", date: now, importID: id), isDivisible: true, [])
    return id
  }
}

extension DataStoreProtocol {
  fileprivate func findTombstone(_ kind: MutationEntityType, _ id: String) throws -> Bool {
    try heldEntry(kind: kind, id: id) != nil || findTombstone(entityType: kind, entityId: id) != nil
  }

  /// Returns whether an entity exists, is pending, or was deleted on any device.
  func knows(_ kind: MutationEntityType, _ id: String) throws -> Bool {
    try AnyEntity.held(kind, id: id, in: self) != nil || findTombstone(kind, id)
      || !pendingMutations(ofEntity: id).isEmpty || !acceptedMutations(ofEntity: id).isEmpty
  }
}
