public import TrendyModels
import TrendyProtocols

/// Records of kinds without a Swift type, the mutation queue, accepted mutations, and the replica.
extension LocalStore {
  // MARK: Records

  public func findRecord(kind: MutationEntityType, id: String) throws -> SyncedRecord? {
    try find(StoredRecord.self, id, kind: RowKind.record(kind))?.record
  }

  public func fetchRecords(kind: MutationEntityType) throws -> [SyncedRecord] {
    try fetchAll(StoredRecord.self, kind: RowKind.record(kind)).map(\.record).sorted { $0.id < $1.id }
  }

  public func upsertRecord(_ record: SyncedRecord) throws {
    guard (1...128).contains(record.id.utf8.count) else { throw StorageError.invalidIdentifier(record.id) }
    try put(StoredRecord(record))
  }

  public func deleteRecord(kind: MutationEntityType, id: String) throws { try remove(RowKind.record(kind), id) }

  // MARK: Queue

  public func firstPendingMutations(_ count: Int) throws -> [PendingMutation] {
    guard count > 0 else { return [] }
    try refresh()
    var records = Array(try scan(RowKind.mutation, limit: count))
    if records.count == count, let last = records.last?.sort {
      // Mutations with equal times are ordered by insertion, so read all mutations with the last time.
      while records.last?.sort == last { records.removeLast() }
      records += try scan(RowKind.mutation, from: last, to: last + 1)
    }
    var queue: [QueuedMutation] = []
    for record in records { queue.append(try decode(QueuedMutation.self, record)) }
    return queue.inQueueOrder.prefix(count).map(\.mutation)
  }

  public func lastPendingMutation() throws -> PendingMutation? {
    try refresh()
    guard let last = try scan(RowKind.mutation, descending: true, limit: 1).first?.sort else { return nil }
    return try rows(QueuedMutation.self, scan(RowKind.mutation, from: last, to: last + 1)).inQueueOrder.last?.mutation
  }

  public func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try refresh()
    return try rows(QueuedMutation.self, scan(RowKind.mutation, group: RowOrder.group(entityId)))
      .inQueueOrder.map(\.mutation).filter { $0.entityId == entityId }
  }

  public func fetchAcceptedMutations() throws -> [PendingMutation] { try acceptedMutations(through: .max - 1) }

  public func acceptedMutations(through version: Int64) throws -> [PendingMutation] {
    try refresh()
    return try rows(AcceptedMutation.self, scan(RowKind.acceptedMutation, to: min(version, .max - 1) + 1))
      .inVersionOrder
  }

  public func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation] {
    try refresh()
    return try rows(AcceptedMutation.self, scan(RowKind.acceptedMutation, group: RowOrder.group(entityId)))
      .inVersionOrder.filter { $0.entityId == entityId }
  }

  public func insertAcceptedMutation(_ mutation: PendingMutation) throws { try put(AcceptedMutation(mutation)) }

  public func deleteAcceptedMutation(_ mutation: PendingMutation) throws {
    try remove(RowKind.acceptedMutation, mutation.id)
  }

  // MARK: Sync state

  public func syncCounts() throws -> SyncCounts {
    try refresh()
    func count(_ kind: UInt8) throws(StorageError) -> Int {
      try counts(kind, group: nil, boundaries: SortBoundaries([.min, .max])).first ?? 0
    }
    return try SyncCounts(
      pending: count(RowKind.mutation), accepted: count(RowKind.acceptedMutation),
      parked: count(RowKind.parkedChange), conflicts: count(RowKind.conflict))
  }

  public func heldEntry(kind: MutationEntityType, id: String) throws -> ChangeEntry? {
    try find(HeldEntry.self, id, kind: RowKind.heldEntry(kind))?.entry
  }

  public func fetchHeldEntries(kind: MutationEntityType) throws -> [ChangeEntry] {
    try fetchAll(HeldEntry.self, kind: RowKind.heldEntry(kind)).map(\.entry)
  }

  public func heldEntries(
    kind: MutationEntityType, after version: Int64, through last: Int64
  ) throws -> [ChangeEntry] {
    guard version < last else { return [] }
    try refresh()
    let records = try scan(RowKind.heldEntry(kind), from: version + 1, to: min(last, .max - 1) + 1)
    return try rows(HeldEntry.self, records).map(\.entry)
  }

  public func heldEntries(under parentId: String) throws -> [ChangeEntry] {
    try refresh()
    let group = RowOrder.group(parentId)
    var entries: [ChangeEntry] = []
    for kind in MutationEntityType.allCases where SyncedKind.named(kind.rawValue)?.parent != nil {
      entries += try rows(HeldEntry.self, scan(RowKind.heldEntry(kind), group: group)).map(\.entry)
    }
    return entries.filter { $0.parentId == parentId }
  }

  public func insertHeldEntry(_ entry: ChangeEntry) throws {
    guard let held = HeldEntry(entry) else { return }
    try put(held)
  }

  public func deleteHeldEntry(kind: MutationEntityType, id: String) throws { try remove(RowKind.heldEntry(kind), id) }

  public func parkedChange(entityType: String, entityId: String) throws -> ChangeEntry? {
    let name = ChangeEntry(id: 0, entityType: entityType, operation: "", entityId: entityId).rowIdentifier
    return try find(ChangeEntry.self, name)
  }

  public func parkedChanges(about entityId: String) throws -> [ChangeEntry] {
    try refresh()
    return try rows(ChangeEntry.self, scan(RowKind.parkedChange, group: RowOrder.group(entityId)))
      .filter { $0.isDelete ? $0.entityId == entityId : $0.parentId == entityId }
      .sorted { ($0.id, $0.rowIdentifier) < ($1.id, $1.rowIdentifier) }
  }

  public func syncMemory() throws -> SyncMetadata? { try find(StoredMemory.self, StoredMemory.name)?.memory }

  public func setSyncMemory(_ memory: SyncMetadata?) throws {
    guard let memory else { return try remove(RowKind.syncMemory, StoredMemory.name) }
    try put(StoredMemory(memory))
  }
}

extension [QueuedMutation] {
  var inQueueOrder: [QueuedMutation] {
    sorted { ($0.mutation.createdAt, $0.place) < ($1.mutation.createdAt, $1.place) }
  }
}

extension [AcceptedMutation] {
  /// Mutations in order of version. Several mutations can have the same version if only the first of them changed the
  /// entity. Such mutations are ordered by creation time and sequence number.
  fileprivate var inVersionOrder: [PendingMutation] {
    map(\.mutation).sorted {
      ($0.acceptedVersion ?? 0, $0.createdAt, $0.sequence ?? 0) < (
        $1.acceptedVersion ?? 0, $1.createdAt, $1.sequence ?? 0
      )
    }
  }
}
