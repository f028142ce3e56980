/// What became of one pushed mutation.
public enum MutationOutcome: Hashable, Sendable {
  /// It took effect; the entity now has this version, where the client can say one.
  case accepted(version: Int64?)
  /// It took effect beside what others had written, and some of its fields lost to later ones.
  case merged(version: Int64?)
  /// It will never take effect, for the reason given.
  case refused(ProblemDetails)
  /// It was not judged; ask again, not before `retryAfter`.
  case tryLater(retryAfter: Duration?)
}

/// Everything that lives at the hub, as of one moment of the feed.
public struct Snapshot: Hashable, Sendable {
  /// The feed goes on from here.
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

/// Mutations on their way, and who sends them.
public struct PushBatch: Hashable, Sendable {
  public var position: DevicePosition
  /// In the order of their sequences.
  public var mutations: [PendingMutation]

  public init(position: DevicePosition, mutations: [PendingMutation]) {
    self.position = position
    self.mutations = mutations
  }
}

/// What came back of a ``PushBatch``.
public struct PushAnswer: Hashable, Sendable {
  /// As many as there were mutations, in their order.
  public var outcomes: [MutationOutcome]
  /// By the mutation's place in the batch, the fields that lost.
  public var lost: [Int: [String]]
  /// Where the hub stands; `nil` for one that does not say.
  public var position: HubPosition?
  /// Whether the hub knows this device's row of sequences otherwise: its store is a copy, or older than itself. What was judged
  /// before it found out stands.
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

/// A page of the feed that is asked for.
public struct FeedRequest: Hashable, Sendable {
  public var cursor: Int64
  /// 1 to 500.
  public var limit: Int
  /// Who asks; `nil` for a store that has no identity yet.
  public var position: DevicePosition?

  public init(cursor: Int64, limit: Int, position: DevicePosition? = nil) {
    self.cursor = cursor
    self.limit = limit
    self.position = position
  }
}

/// Everything a hub has, as of one moment.
public enum SnapshotAnswer: Sendable {
  /// What lives.
  case lists(Snapshot)
  /// What lives and what was deleted, with versions and marks.
  case entries(HubSnapshot)

  /// The feed goes on from here.
  public var cursor: Int64 {
    switch self {
    case .lists(let snapshot): snapshot.cursor
    case .entries(let snapshot): snapshot.position.head
    }
  }
}

/// Every entry of a hub in one state, tombstones included.
public struct HubSnapshot: Hashable, Sendable {
  /// Its head is the snapshot's own: the feed goes on from there.
  public var position: HubPosition
  /// What others refer to comes first.
  public var entries: [ChangeEntry]

  public init(position: HubPosition, entries: [ChangeEntry]) {
    self.position = position
    self.entries = entries
  }
}

/// A part of a snapshot that is asked for.
public struct SnapshotRequest: Hashable, Sendable {
  /// ``SnapshotPart/next`` of the part before; `nil` for the first.
  public var part: String?
  /// Who asks; `nil` for a store that has no identity yet.
  public var position: DevicePosition?

  /// What the first part is called on the wire.
  public static let firstPart = "first"

  public init(part: String? = nil, position: DevicePosition? = nil) {
    self.part = part
    self.position = position
  }
}

/// A piece of a snapshot that a device lays before it asks for the next.
///
/// Each part is of one moment of its own. Together they name every entity that the hub had when the first was read and has still:
/// what is written meanwhile comes in a later part, or by the feed after the head that the first part says.
public struct SnapshotPart: Sendable {
  public var answer: SnapshotAnswer
  /// What it names all entries of; `nil` where it is the whole snapshot, whatever was asked for.
  public var spans: [SnapshotSpan]?
  /// Asks for the part after it; `nil` at the last.
  public var next: String?

  public init(answer: SnapshotAnswer, spans: [SnapshotSpan]? = nil, next: String? = nil) {
    self.answer = answer
    self.spans = spans
    self.next = next
  }
}

/// Versions of one kind of which a part of a snapshot names all there are.
public struct SnapshotSpan: Hashable, Sendable {
  public var kind: String
  /// It begins above this version.
  public var after: Int64
  /// The last version in it.
  public var through: Int64

  public init(kind: String, after: Int64, through: Int64) {
    self.kind = kind
    self.after = after
    self.through = through
  }

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
  /// 409: the hub was restored from a backup and never gave the position that the device stands at.
  public static let logReset = "urn:trendy:error:log_reset"
  /// The write names an entity that was deleted.
  public static let entityDeleted = "urn:trendy:error:entity_deleted"
  /// 409: see ``PushAnswer/isForked``.
  public static let deviceForked = "urn:trendy:error:device_forked"
  /// 409 of a pairing: the device holds another person's record. The code is not used up.
  public static let otherPerson = "urn:trendy:error:other_person"
}
