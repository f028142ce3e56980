import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension LocalStore {
  /// Verifies the content of all rows: keys must match the content, references must exist, and the mutation queue must
  /// match the visible entities. Returns the problems found.
  ///
  /// To verify the files, use ``StorageEngine/verify(directory:fileSystem:options:)``.
  public func verify() throws(StorageError) -> [StoreIssue] {
    try refresh()
    var check = RowCheck()
    try forEachRow(Tombstone.self, &check) { $1.onTombstone($0) }
    try forEachRow(QueuedMutation.self, &check) { $1.onMutation($0) }
    try forEachRow(AcceptedMutation.self, &check) { $1.onAccepted($0.mutation) }
    try forEachRow(StoredSetting.self, &check) { $1.onSetting($0) }
    try forEachRow(EventType.self, &check) { $1.onEventType($0) }
    try forEachRow(PropertyDefinition.self, &check) { $1.onDefinition($0) }
    try forEachRow(Geofence.self, &check) { $1.onGeofence($0) }
    try forEachRow(Event.self, &check) { $1.onEvent($0) }
    try forEachRow(JournalledConflict.self, &check) { _, _ in }
    try forEachRow(ChangeEntry.self, &check) { _, _ in }
    try forEachRow(StoredMemory.self, &check) { _, _ in }
    try forEachRow(StoredNote.self, &check) { _, _ in }
    try forEachRow(SavedEvent.self, &check) { _, _ in }
    for kind in MutationEntityType.allCases {
      try forEachRow(HeldEntry.self, kind: RowKind.heldEntry(kind), &check) { _, _ in }
      try forEachRow(StoredRecord.self, kind: RowKind.record(kind), &check) { $1.onRecord($0.record) }
    }
    check.finish()
    return check.findings
  }

  /// Reads the rows in pages, so that a large store is never entirely in memory.
  private func forEachRow<Value: StoredRow>(
    _ type: Value.Type, kind: UInt8 = Value.kind, _ check: inout RowCheck, body: (Value, inout RowCheck) -> Void
  ) throws(StorageError) {
    try RowPages.forEach { (from, to, limit) throws(StorageError) in
      try scan(kind, from: from, to: to, limit: limit)
    } body: { record throws(StorageError) in
      let row: Value
      do throws(StorageError) {
        row = try decode(type, record)
      } catch {
        guard case .unreadableRow = error else { throw error }
        check.onUnreadable(record)
        return
      }
      check.onPlace(of: row, record)
      body(row, &check)
    }
  }
}

/// Checks the relations between the rows in a device's store. Rows must be passed in by kind, referenced kinds first.
private struct RowCheck {
  private struct Entity: Hashable {
    var type: MutationEntityType
    var id: String
  }

  private struct Waiting {
    var mutations: [QueuedMutation] = []
    var isShown = false

    var isEdited: Bool { mutations.contains { $0.mutation.operation != .delete } }
    var last: PendingMutation? {
      mutations.max { ($0.mutation.createdAt, $0.place) < ($1.mutation.createdAt, $1.place) }?.mutation
    }
  }

  private(set) var findings: [StoreIssue] = []
  private var types: Set<String> = []
  private var tombstones: Set<Entity> = []
  private var waiting: [Entity: Waiting] = [:]
  /// Entities with accepted mutations that the feed has not returned yet.
  private var accepted: Set<Entity> = []
  private var sequences: [String: Set<Int64>] = [:]
  private var identity: StoredSetting?

  mutating func onUnreadable(_ record: Row) {
    note(
      .row, "\(Self.name(record.kind)) \(Self.text(record.key)) cannot be read by this version",
      "Install the newest version. Until then the row is kept unchanged.")
  }

  /// Checks that the row's kind, key, sort value and group match its content.
  mutating func onPlace<Value: StoredRow>(of row: Value, _ record: Row) {
    let isNamed: Bool
    if let key = RowKey(canonicalUUID: row.rowIdentifier) {
      isNamed = record.key == key
    } else {
      let key = RowKey(hashing: row.rowIdentifier)
      isNamed = record.key.high == key.high && record.key.low | 7 == key.low | 7
    }
    if !isNamed || record.kind != row.rowKind || record.sort != row.rowSort || record.group != row.rowGroup {
      note(
        .row, "\(Self.name(record.kind)) \(row.rowIdentifier) is stored under the wrong key",
        "Searches by id, time or type may miss it: export it, delete it and import it again.")
    }
  }

  mutating func onTombstone(_ tombstone: Tombstone) {
    tombstones.insert(Entity(type: tombstone.entityType, id: tombstone.entityId))
  }

  mutating func onMutation(_ row: QueuedMutation) {
    let mutation = row.mutation
    waiting[Entity(type: mutation.entityType, id: mutation.entityId), default: Waiting()].mutations.append(row)
    guard let sequence = mutation.sequence else { return }
    if !sequences[mutation.device ?? "", default: []].insert(sequence).inserted {
      note(
        .queue, "two changes were sent with sequence number \(sequence)",
        "The hub accepts one of them; 'trendy sync' sends the other again. If this persists, please report it.")
    }
  }

  mutating func onAccepted(_ mutation: PendingMutation) {
    accepted.insert(Entity(type: mutation.entityType, id: mutation.entityId))
  }

  mutating func onRecord(_ record: SyncedRecord) { onEntity(record.kind, record.id, record.syncStatus) }

  mutating func onSetting(_ setting: StoredSetting) {
    if setting.name == StoredSetting.identity { identity = setting }
  }

  mutating func onEventType(_ type: EventType) {
    types.insert(type.id)
    onEntity(.eventType, type.id, type.syncStatus)
  }

  mutating func onDefinition(_ definition: PropertyDefinition) {
    onEntity(.propertyDefinition, definition.id, definition.syncStatus)
    onParent(definition.eventTypeId, of: "property \(definition.key)")
  }

  mutating func onGeofence(_ geofence: Geofence) { onEntity(.geofence, geofence.id, geofence.syncStatus) }

  mutating func onEvent(_ event: Event) {
    onEntity(.event, event.id, event.syncStatus)
    onParent(event.eventTypeId, of: "event \(event.id)")
  }

  private mutating func onParent(_ id: String, of child: String) {
    guard !types.contains(id) else { return }
    note(
      .reference, "\(child) belongs to the missing event type \(id)",
      "Sync to receive the type from the hub. If the hub does not have it, choose another type, or delete the entry.")
  }

  private mutating func onEntity(_ type: MutationEntityType, _ id: String, _ status: SyncStatus) {
    let entity = Entity(type: type, id: id)
    let what = "\(Self.name(type)) \(id)"
    if tombstones.contains(entity) {
      note(.queue, "\(what) is visible, but recorded as deleted", "Sync. If this persists, delete it again.")
    }
    guard var waits = waiting[entity] else {
      if status == .pending, !accepted.contains(entity) {
        note(
          .queue, "\(what) is marked as pending, but has no pending change",
          "Edit it, for example its note, to queue a change for the hub.")
      }
      return
    }
    waits.isShown = true
    waiting[entity] = waits
    if waits.last?.operation == .delete {
      note(.queue, "\(what) is visible, but its deletion is pending", "Delete it again.")
    } else if status == .synced, waits.mutations.contains(where: { $0.mutation.sequence == nil }) {
      note(.queue, "\(what) is marked as synced, but has a pending change", "Sync to send the change.")
    }
  }

  /// Reports problems that show only after all rows have been read.
  mutating func finish() {
    for (entity, waits) in waiting.sorted(by: { ($0.key.type.rawValue, $0.key.id) < ($1.key.type.rawValue, $1.key.id) })
    where !waits.isShown && waits.isEdited {
      guard let create = waits.last, create.operation == .create, !tombstones.contains(entity) else { continue }
      // A child is not visible without its parent. A malformed payload names no parent.
      let payload = try? WireJSON.decode(JSONValue.self, from: create.payload)
      if let parent = payload?.objectValue?["event_type_id"]?.stringValue, !types.contains(parent) { continue }
      note(
        .queue, "new \(Self.name(entity.type)) \(entity.id) is pending, but not visible on this device",
        "Sync to receive it from the hub.")
    }
    for (device, numbers) in sequences.sorted(by: { $0.key < $1.key }) {
      guard let identity, identity.text == device, let highest = numbers.max(), highest > identity.number else {
        continue
      }
      note(
        .queue, "change \(highest) was sent, but the last assigned sequence number is \(identity.number)",
        "Sync: the hub detects this, and the device continues with a new identity.")
    }
  }

  private mutating func note(_ kind: StoreIssue.Kind, _ what: String, _ advice: String) {
    findings.append(StoreIssue(kind: kind, what: what, advice: advice))
  }

  private static func text(_ key: RowKey) -> String { key.isHash ? key.description : key.uuidText }

  private static func name(_ type: MutationEntityType) -> String {
    type.rawValue.replacing("_", with: " ")
  }

  private static func name(_ kind: UInt8) -> String { RowKind.name(kind) }
}

extension LostRow: CustomStringConvertible {
  /// Description for users, such as `event 0190…, 2026-11-20T08:30:00Z`.
  public var description: String {
    var text = RowKind.name(kind)
    if let key { text += " " + (key.isHash ? "\(key)" : key.uuidText) }
    if let sort, [RowKind.event, RowKind.mutation, RowKind.conflict].contains(kind) {
      text += ", " + RFC3339.string(from: Date(timeIntervalSinceReferenceDate: Double(sort) / 1_000_000))
    }
    return text
  }

  /// Whether the row is a local value, such as an undo step, rather than user data.
  public var isNote: Bool { kind == RowKind.note }

  /// Whether the row is sync state that the hub will send again, rather than user data.
  public var isLearnedAgain: Bool {
    [RowKind.acceptedMutation, RowKind.parkedChange, RowKind.syncMemory].contains(kind) || RowKind.isHeldEntry(kind)
  }
}
