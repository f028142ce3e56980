public import TrendyFoundation

/// One change that waits for the hub.
public struct PendingMutation: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var entityType: MutationEntityType
  public var entityId: String
  public var operation: MutationOperation
  /// The JSON of the `Create…Request` or `Update…Request`; empty for a delete.
  public var payload: Data
  public var createdAt: Date
  /// Never shared by two mutations, the same at every try.
  public var idempotencyKey: String
  /// How often the hub was asked and did not settle it.
  public var attempts: Int
  public var lastError: String?
  /// Its place in this device's row of sent mutations, from 1; `nil` while it was never sent and may still take up
  /// later edits. Saved before the bytes leave; from then on nothing of the mutation changes.
  public var sequence: Int64?
  /// The ``SyncIdentity/device`` under which it was sent last; `nil` while it was never sent under any. One that has a device and
  /// no sequence is sent anew, and is left as it is until then: the hub may hold it.
  public var device: String?
  /// By field, what its author knew of it and when they wrote: a mark's version is the version that the write is based on.
  /// `"*"` stands for every field that is not named. Empty where a hub judges by arrival.
  public var marks: [String: FieldMark]
  /// Of a delete, the version up to which its author knew what they deleted.
  public var base: Int64?
  /// The life of the entity that is meant; of a restore the one that it begins.
  public var incarnation: Int64
  /// The version under which the hub accepted it, of one that is shown until its entity has come back.
  public var acceptedVersion: Int64?

  public init(
    id: String, entityType: MutationEntityType, entityId: String, operation: MutationOperation, payload: Data,
    createdAt: Date, idempotencyKey: String? = nil, attempts: Int = 0, lastError: String? = nil,
    sequence: Int64? = nil, device: String? = nil, marks: [String: FieldMark] = [:], base: Int64? = nil,
    incarnation: Int64 = 0, acceptedVersion: Int64? = nil
  ) {
    self.id = id
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.createdAt = createdAt
    self.idempotencyKey = idempotencyKey ?? id
    self.attempts = attempts
    self.lastError = lastError
    self.sequence = sequence
    self.device = device
    self.marks = marks
    self.base = base?.clamped(to: SyncRange.counter)
    self.incarnation = incarnation.clamped(to: SyncRange.counter)
    self.acceptedVersion = acceptedVersion?.clamped(to: SyncRange.counter)
  }
}

/// A change of this device that did not take effect, kept with the person's data until they decide.
public struct Conflict: Hashable, Sendable, Identifiable {
  /// That of the mutation it was.
  public let id: String
  public var entityType: MutationEntityType
  public var entityId: String
  public var operation: MutationOperation
  /// The mutation's payload.
  public var payload: Data
  /// In the hub's words.
  public var reason: String
  public var recordedAt: Date

  public init(
    id: String, entityType: MutationEntityType, entityId: String, operation: MutationOperation, payload: Data,
    reason: String, recordedAt: Date
  ) {
    self.id = id
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.reason = reason
    self.recordedAt = recordedAt
  }
}

/// That an entity was deleted here, so that the feed does not bring it back.
public struct Tombstone: Hashable, Sendable {
  public var entityType: MutationEntityType
  public var entityId: String
  /// The version under which the hub deleted it; `nil` while the hub has not said.
  public var version: Int64?

  public init(entityType: MutationEntityType, entityId: String, version: Int64? = nil) {
    self.entityType = entityType
    self.entityId = entityId
    self.version = version
  }
}

/// Who this store is to the hub: made by the store, not by the token, so that a copied store can be told from the first.
public struct SyncIdentity: Hashable, Sendable, Codable {
  /// The device's id in every push.
  public var device: String
  /// The highest sequence given to a mutation so far; 0 before the first.
  public var lastSequence: Int64

  public init(device: String, lastSequence: Int64 = 0) {
    self.device = device
    self.lastSequence = lastSequence
  }
}

/// What a store knows of its hub, beside the cursor and its identity.
///
/// Every number lies in its ``SyncRange``: one beyond it is brought to the nearest.
public struct SyncMemory: Hashable, Sendable {
  /// The lives of the hub, oldest first; empty for a hub that has none to tell, and before the first answer.
  public var epochs: [HubEpoch]
  /// The highest head in any answer, acknowledgements counted.
  public var seen: Int64 { didSet { seen = seen.clamped(to: SyncRange.counter) } }
  /// Where the last complete pull or the snapshot ended: what is deleted here is deleted with everything up to there known.
  public var complete: Int64 { didSet { complete = complete.clamped(to: SyncRange.counter) } }
  /// Rises with every snapshot; an answer to what was asked before counts no more.
  public var generation: Int64 { didSet { generation = generation.clamped(to: SyncRange.counter) } }
  /// The last stamp given or applied: hub time in milliseconds since 1970.
  public var lastStamp: Int64 { didSet { lastStamp = lastStamp.clamped(to: SyncRange.stamp) } }
  /// Milliseconds that hub time is ahead of this device's clock.
  public var clockOffset: Int64 { didSet { clockOffset = clockOffset.clamped(to: SyncRange.clockOffset) } }
  /// When that was learned, by a clock that does not jump.
  public var clockAnchor: ClockAnchor?
  /// The snapshot that is half laid, of which the next round takes the rest; `nil` where there is none.
  public var snapshot: SnapshotProgress?

  public init(
    epochs: [HubEpoch] = [], seen: Int64 = 0, complete: Int64 = 0, generation: Int64 = 0, lastStamp: Int64 = 0,
    clockOffset: Int64 = 0, clockAnchor: ClockAnchor? = nil, snapshot: SnapshotProgress? = nil
  ) {
    self.epochs = epochs
    self.seen = seen.clamped(to: SyncRange.counter)
    self.complete = complete.clamped(to: SyncRange.counter)
    self.generation = generation.clamped(to: SyncRange.counter)
    self.lastStamp = lastStamp.clamped(to: SyncRange.stamp)
    self.clockOffset = clockOffset.clamped(to: SyncRange.clockOffset)
    self.clockAnchor = clockAnchor
    self.snapshot = snapshot
  }

  /// How far a snapshot is laid that comes in parts.
  public struct SnapshotProgress: Hashable, Sendable {
    /// Where the hub stood when it gave the first part: the feed goes on from here.
    public var cursor: Int64
    /// The lives of the hub that the parts are of: in another they are none of one snapshot.
    public var epochs: [HubEpoch]
    /// Asks for the next part.
    public var next: String
    /// Whether the store had nothing when it began: then nothing can be left over from before.
    public var isFirst: Bool
    /// Held entities of which the hub no longer has what is held, by kind: what no later part names is gone there.
    public var unnamed: [String: Set<String>]

    public init(
      cursor: Int64, epochs: [HubEpoch], next: String, isFirst: Bool = false, unnamed: [String: Set<String>] = [:]
    ) {
      self.cursor = cursor.clamped(to: SyncRange.counter)
      self.epochs = epochs
      self.next = next
      self.isFirst = isFirst
      self.unnamed = unnamed
    }
  }

  /// One moment by two clocks: the time since a boot of the machine, and hub time.
  public struct ClockAnchor: Hashable, Sendable {
    /// Which boot.
    public var boot: String
    /// Milliseconds since it.
    public var elapsed: Int64
    /// Hub time at that moment, in milliseconds since 1970.
    public var hub: Int64 { didSet { hub = hub.clamped(to: SyncRange.stamp) } }

    public init(boot: String, elapsed: Int64, hub: Int64) {
      self.boot = boot
      self.elapsed = elapsed
      self.hub = hub.clamped(to: SyncRange.stamp)
    }
  }
}

/// An entity of a kind without a Swift type of its own, such as a vehicle: its members by their names on the wire.
///
/// What a kind is made of stands in ``SyncedKind``; members that it does not name are kept as well.
public struct SyncedRecord: Hashable, Sendable, Identifiable {
  public let id: String
  public let kind: MutationEntityType
  /// Without `id`. A member that is cleared is absent.
  public var fields: [String: JSONValue]
  public var syncStatus: SyncStatus

  public init(
    id: String, kind: MutationEntityType, fields: [String: JSONValue] = [:], syncStatus: SyncStatus = .pending
  ) {
    self.id = id
    self.kind = kind
    self.fields = fields
    self.syncStatus = syncStatus
  }
}

/// How much lies in what a store keeps for sync.
public struct SyncCounts: Hashable, Sendable {
  /// Mutations that the hub has not settled.
  public var pending: Int
  /// Mutations that it accepted, and whose entities have not come back yet.
  public var accepted: Int
  /// Entries of the feed that cannot be applied yet.
  public var parked: Int
  /// The journal.
  public var conflicts: Int

  public init(pending: Int = 0, accepted: Int = 0, parked: Int = 0, conflicts: Int = 0) {
    self.pending = pending
    self.accepted = accepted
    self.parked = parked
    self.conflicts = conflicts
  }
}
