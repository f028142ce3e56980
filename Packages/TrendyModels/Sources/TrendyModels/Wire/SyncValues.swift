/// Outcome of one pushed mutation.
public enum MutationOutcome: Hashable, Sendable {
  /// The mutation took effect. The version is the entity's new version, if known.
  case accepted(version: Int64?)
  /// The mutation was merged with other changes. Some of its fields may have lost to later values.
  case merged(version: Int64?)
  /// The hub rejected the mutation permanently, for the given reason.
  case refused(ProblemDetails)
  /// The mutation has no outcome yet. Retry it after `retryAfter` at the earliest.
  case tryLater(retryAfter: Duration?)
}

/// All live entities on a hub, as of one cursor.
public struct Snapshot: Hashable, Sendable {
  /// Cursor from which the feed continues.
  public var cursor: Int64
  public var eventTypes: [APIEventType]
  public var events: [APIEvent]
  public var geofences: [APIGeofence]
  public var propertyDefinitions: [APIPropertyDefinition]

  public init(
    cursor: Int64, eventTypes: [APIEventType] = [], events: [APIEvent] = [], geofences: [APIGeofence] = [],
    propertyDefinitions: [APIPropertyDefinition] = []
  ) {
    self.cursor = cursor
    self.eventTypes = eventTypes
    self.events = events
    self.geofences = geofences
    self.propertyDefinitions = propertyDefinitions
  }
}

/// Mutations to push, with the position of the device.
public struct PushBatch: Hashable, Sendable {
  public var position: DevicePosition
  /// Mutations in the order of their sequence numbers.
  public var mutations: [PendingMutation]

  public init(position: DevicePosition, mutations: [PendingMutation]) {
    self.position = position
    self.mutations = mutations
  }
}

/// Result of a ``PushBatch``.
public struct PushBatchResult: Hashable, Sendable {
  /// One outcome for each mutation, in the same order.
  public var outcomes: [MutationOutcome]
  /// Fields that lost a merge, by the index of the mutation in the batch.
  public var lost: [Int: [String]]
  /// Position of the hub, or `nil` if the hub sends none.
  public var position: HubPosition?
  /// Whether the hub has different mutations under this device's sequence numbers, because the device's store was
  /// copied or restored. Outcomes that precede the detection of the fork remain valid.
  public var isForked: Bool

  public init(
    outcomes: [MutationOutcome], lost: [Int: [String]] = [:], position: HubPosition? = nil, isForked: Bool = false
  ) {
    self.outcomes = outcomes
    self.lost = lost
    self.position = position
    self.isForked = isForked
  }
}

/// Request for a feed page.
public struct FeedRequest: Hashable, Sendable {
  /// Version after which the page begins.
  public var cursor: Int64
  /// Maximum number of entries, 1 to 500.
  public var limit: Int
  /// Position of the device, or `nil` if the store has no identity yet.
  public var position: DevicePosition?

  public init(cursor: Int64, limit: Int, position: DevicePosition? = nil) {
    self.cursor = cursor
    self.limit = limit
    self.position = position
  }
}

/// Snapshot in the form that the hub provides.
public enum SnapshotAnswer: Sendable {
  /// Live entities without versions, from an unversioned hub.
  case lists(Snapshot)
  /// Live entities and tombstones, with versions and field versions.
  case entries(HubSnapshot)

  /// Cursor from which the feed continues.
  public var cursor: Int64 {
    switch self {
    case .lists(let snapshot): snapshot.cursor
    case .entries(let snapshot): snapshot.position.head
    }
  }
}

/// All entries on a hub in one consistent state, tombstones included.
public struct HubSnapshot: Hashable, Sendable {
  /// Position of the hub. The feed continues from its head.
  public var position: HubPosition
  /// Entries, parents before their children.
  public var entries: [ChangeEntry]

  public init(position: HubPosition, entries: [ChangeEntry]) {
    self.position = position
    self.entries = entries
  }
}

/// Request for a snapshot part.
public struct SnapshotRequest: Hashable, Sendable {
  /// Name of the part, from ``SnapshotPart/next`` of the previous part, or `nil` for the first part.
  public var part: String?
  /// Position of the device, or `nil` if the store has no identity yet.
  public var position: DevicePosition?

  /// Name of the first part on the wire.
  public static let firstPart = "first"

  public init(part: String? = nil, position: DevicePosition? = nil) {
    self.part = part
    self.position = position
  }
}

/// Snapshot part. A device applies each part before it requests the next part.
///
/// Each part is consistent, but the parts are read at different times. Together they contain every entity that existed
/// when the first part was read and still exists. Later writes are in a later part, or in the feed after the head of
/// the first part.
public struct SnapshotPart: Sendable {
  /// Entries or lists of this part.
  public var answer: SnapshotAnswer
  /// Version ranges that the part covers completely, or `nil` if it is a complete snapshot.
  public var spans: [SnapshotSpan]?
  /// Name of the next part, or `nil` for the last part.
  public var next: String?

  public init(answer: SnapshotAnswer, spans: [SnapshotSpan]? = nil, next: String? = nil) {
    self.answer = answer
    self.spans = spans
    self.next = next
  }
}

/// Range of versions of one kind whose entries are all in one snapshot part.
public struct SnapshotSpan: Hashable, Sendable {
  public var kind: String
  /// Exclusive lower bound.
  public var after: Int64
  /// Inclusive upper bound.
  public var through: Int64

  public init(kind: String, after: Int64, through: Int64) {
    self.kind = kind
    self.after = after
    self.through = through
  }

  /// Returns whether the span includes a version.
  public func contains(_ version: Int64) -> Bool { version > after && version <= through }
}

extension SnapshotSpan: WireDocument {
  public init(from fields: inout WireReader) throws {
    kind = try fields.required("kind")
    after = try fields.required("after", in: SyncRange.counter)
    through = try fields.required("through", in: SyncRange.counter)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("after", after)
    try fields.write("kind", kind)
    try fields.write("through", through)
  }
}

extension ProblemDetails {
  /// Problem type (status 409): the hub was restored from a backup and has no record of the device's position.
  public static let logReset = "urn:trendy:error:log_reset"
  /// Problem type: the mutation refers to a deleted entity.
  public static let entityDeleted = "urn:trendy:error:entity_deleted"
  /// Problem type (status 409): the device is forked; see ``PushBatchResult/isForked``.
  public static let deviceForked = "urn:trendy:error:device_forked"
  /// Problem type (status 409): the device contains another user's record. The pairing code remains valid.
  public static let otherPerson = "urn:trendy:error:other_person"
}
