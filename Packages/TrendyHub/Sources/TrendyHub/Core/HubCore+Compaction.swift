public import Foundation
import TrendyModels

extension HubCore {
  /// Time after which an absent device no longer holds back compaction: 90 days.
  public static let patience: Duration = .seconds(90 * 86_400)

  /// Maximum number of epochs in a contact beyond those of the seen version and the current head.
  static let maximumEpochs = 16

  /// Returns the contact to store for a device, or `nil` if the stored one still suffices.
  ///
  /// A contact is renewed only once a day or when the device moves to another epoch, so idle polling writes nothing.
  /// The stored cursor is never above the device's actual one, so the horizon never passes an active device. `cursor`
  /// is `nil` in a push, which leaves the stored cursor unchanged. `seen` is the highest head that the device has
  /// received.
  public func contact(
    device: String, cursor: Int64?, seen: Int64?, after last: HubContact?, in state: HubState, now: Date
  ) -> HubContact? {
    let stands = (seen ?? cursor).flatMap { state.epochs.epoch(of: $0)?.id }
    var epochs: [String] = []
    for epoch in [stands, state.epochs.epoch(of: state.head)?.id, state.epochs.last?.id] {
      if let epoch, !epochs.contains(epoch) { epochs.append(epoch) }
    }
    // Keep later epochs from the stored contact, because this request may have been delayed and the device may already
    // know those epochs.
    let later = state.epochs.reversed().prefix { $0.id != stands }.map(\.id).filter { !epochs.contains($0) }
    epochs += later.filter { last?.epochs.contains($0) ?? false }.prefix(Self.maximumEpochs)
    // A device without a cursor has no entries yet and starts with a snapshot, so it does not hold back compaction.
    let cursor = cursor ?? last?.cursor ?? SyncRange.counter.upperBound
    if let last, cursor >= last.cursor, abs(now.timeIntervalSince(last.at)) < 86_400,
      epochs.allSatisfy(last.epochs.contains)
    {
      return nil
    }
    return HubContact(device: device, cursor: cursor, at: now, epochs: epochs)
  }

  /// Reduces old tombstones to ids, which stay reserved.
  ///
  /// A tombstone is compacted if it is older than ``patience`` and every device in contact during that time has
  /// received it.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of tombstones, to bound the time for which the user's other transactions wait.
  ///   - transaction: A write transaction for the user.
  ///   - now: The hub's time.
  /// - Returns: The number of compacted tombstones. If this number equals `limit`, there may be more tombstones to
  ///   compact.
  public func compact(limit: Int, in transaction: any HubTransaction, now: Date) throws -> Int {
    let past = now.addingTimeInterval(-Double(Self.patience.components.seconds))
    let writer = try HubWriter(transaction, now: now, quota: quota)
    var lowest = writer.state.head
    for (place, contact) in try transaction.contacts().sorted(by: { $0.at > $1.at }).enumerated() {
      // The stored contact time may be up to a day old.
      if contact.at.addingTimeInterval(86_400) >= past {
        lowest = min(lowest, contact.cursor)
      } else if place >= HubState.maxActiveContacts {
        try transaction.forgetContact(device: contact.device)
      }
    }
    var count = 0
    for tombstone in try transaction.tombstones(through: lowest, limit: limit) {
      guard let deletedAt = tombstone.deletedAt, deletedAt < past else { break }
      try transaction.purge(kind: tombstone.kind, id: tombstone.id)
      writer.setHorizon(max(writer.state.horizon, tombstone.version))
      count += 1
    }
    try writer.finish()
    return count
  }
}
