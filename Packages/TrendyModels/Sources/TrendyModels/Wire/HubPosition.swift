/// Epoch of a hub: the period from one start or restore to the next.
public struct HubEpoch: Hashable, Sendable {
  /// Random identifier of the epoch.
  public var id: String
  /// Lowest version that the hub can issue in this epoch.
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
  /// Returns the epoch of a version. Returns the oldest listed epoch for earlier versions, and `nil` if the list is
  /// empty.
  public func epoch(of version: Int64) -> HubEpoch? { last { $0.first <= version } ?? first }

  /// Returns the last version that this history and another history have in common, or 0.
  ///
  /// A list contains the most recent epochs, and earlier epochs if a device last synced in them. An omitted epoch
  /// counts as part of the preceding epoch. Histories that share an epoch also share everything before that epoch.
  /// `end` and `otherEnd` are the heads of the two histories.
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

/// Hub position, part of each response to a sync request.
public struct HubPosition: Hashable, Sendable {
  /// Version of the last write.
  public var head: Int64
  /// Epochs, oldest first. Never empty.
  public var epochs: [HubEpoch]
  /// Hub time in milliseconds since 1970.
  public var now: Int64?

  public init(head: Int64, epochs: [HubEpoch], now: Int64? = nil) {
    self.head = head
    self.epochs = epochs
    self.now = now
  }

  /// Id of the current epoch.
  public var epoch: String? { epochs.last?.id }

  /// Creates a position from wire members. Returns `nil` if head or epochs are missing, as from an unversioned hub.
  init?(head: Int64?, epochs: [HubEpoch]?, now: Int64?) {
    guard let head, let epochs, !epochs.isEmpty else { return nil }
    self.init(head: head, epochs: epochs, now: now)
  }
}

extension WireReader {
  mutating func position() throws -> HubPosition? {
    HubPosition(
      head: try optional("head", in: SyncRange.counter), epochs: try optional("epochs"),
      now: try optional("now", in: SyncRange.stamp))
  }
}

/// State that a device sends in every sync request.
public struct DevicePosition: Hashable, Sendable {
  /// Identity that the device's store generated.
  public var device: String
  /// Highest head in any response that the device has received.
  public var seen: Int64
  /// Epoch of ``seen``, or `nil` before the first response.
  public var epoch: String?
  /// Highest sequence number that the device has assigned, or `nil` if the client does not send it.
  public var lastSequence: Int64?
  /// Sequence number up to which the device has stored all outcomes.
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

  /// The value of ``seen``, or `nil` if the client sent no position.
  public var said: Int64? { epoch == nil && seen == 0 ? nil : seen }

  /// Query items for a GET request.
  public var query: [(name: String, value: String)] {
    var items = [(name: "device", value: device)]
    // Without an epoch the device has received no version yet.
    if let epoch { items += [("seen", "\(seen)"), ("epoch", epoch)] }
    if let lastSequence { items.append(("last_seq", "\(lastSequence)")) }
    return items + [("acked_through", "\(acknowledgedThrough)")]
  }
}
