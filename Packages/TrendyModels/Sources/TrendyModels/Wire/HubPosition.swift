/// One life of a hub: from its start, or from its restoring, to the next.
public struct HubEpoch: Hashable, Sendable {
  public var id: String
  /// The first version that it may give.
  public var first: Int64 { didSet { first = first.clamped(to: SyncRange.counter) } }

  public init(id: String, first: Int64) {
    self.id = id
    self.first = first.clamped(to: SyncRange.counter)
  }
}

extension HubEpoch: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.identifier("id")
    first = try fields.required("first", in: SyncRange.counter)
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("first", first)
    try fields.write("id", id)
  }
}

extension [HubEpoch] {
  /// The life that gave a version.
  public func epoch(of version: Int64) -> HubEpoch? { last { $0.first <= version } ?? first }

  /// The last version that two histories have in common, or 0; each list ends at the head that goes with it.
  ///
  /// A list tells of the last lives and of those earlier ones in which devices stand; what lies between is told of as one life. Who
  /// shares a life shares everything before it.
  public func lastCommonVersion(endingAt end: Int64, with other: [HubEpoch], endingAt otherEnd: Int64) -> Int64 {
    let shared = Set(self).intersection(other)
    guard let here = lastIndex(where: shared.contains), let there = other.firstIndex(of: self[here]) else { return 0 }
    return Swift.max(
      0,
      Swift.min(
        dropFirst(here + 1).first.map { $0.first - 1 } ?? end,
        other.dropFirst(there + 1).first.map { $0.first - 1 } ?? otherEnd))
  }
}

/// Where a hub stands, as each of its answers to sync says.
public struct HubPosition: Hashable, Sendable {
  /// The version of the last write.
  public var head: Int64
  /// Oldest first, never empty.
  public var epochs: [HubEpoch]
  /// The hub's time, in milliseconds since 1970.
  public var now: Int64?

  public init(head: Int64, epochs: [HubEpoch], now: Int64? = nil) {
    self.head = head
    self.epochs = epochs
    self.now = now
  }

  /// The life that gives versions now.
  public var epoch: String? { epochs.last?.id }

  /// `nil` for a hub that does not say.
  init?(head: Int64?, epochs: [HubEpoch]?, now: Int64?) {
    guard let head, let epochs, !epochs.isEmpty else { return nil }
    self.init(head: head, epochs: epochs, now: now)
  }
}

extension WireReader {
  /// The members in which a hub says where it stands; `nil` where it does not.
  mutating func position() throws -> HubPosition? {
    HubPosition(
      head: try optional("head", in: SyncRange.counter), epochs: try optional("epochs"),
      now: try optional("now", in: SyncRange.stamp))
  }
}

/// What a device says of itself in every request of sync.
public struct DevicePosition: Hashable, Sendable {
  /// The identity that its store made.
  public var device: String
  /// The highest head in any answer it has had.
  public var seen: Int64
  /// The life of the hub that `seen` lies in; `nil` before the first answer.
  public var epoch: String?
  /// The highest sequence that it has given; `nil` for a client that does not say.
  public var lastSequence: Int64?
  /// The highest sequence up to which it holds every outcome.
  public var acknowledgedThrough: Int64

  public init(
    device: String, seen: Int64 = 0, epoch: String? = nil, lastSequence: Int64? = nil, acknowledgedThrough: Int64 = 0
  ) {
    self.device = device
    self.seen = seen
    self.epoch = epoch
    self.lastSequence = lastSequence
    self.acknowledgedThrough = acknowledgedThrough
  }

  /// What it says that it has seen; `nil` for one that says nothing of it.
  public var said: Int64? { epoch == nil && seen == 0 ? nil : seen }

  /// As query items of a request.
  public var query: [(name: String, value: String)] {
    var items = [(name: "device", value: device)]
    // A device that knows no life of the hub yet has seen nothing.
    if let epoch { items += [("seen", "\(seen)"), ("epoch", epoch)] }
    if let lastSequence { items.append(("last_seq", "\(lastSequence)")) }
    return items + [("acked_through", "\(acknowledgedThrough)")]
  }
}
