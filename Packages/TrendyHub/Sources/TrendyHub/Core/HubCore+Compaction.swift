public import Foundation
import TrendyModels

extension HubCore {
  /// How long the hub waits for a device, and keeps whole what was deleted.
  public static let patience: Duration = .seconds(90 * 86_400)

  /// So many lives of the hub, beside that of what it has seen, are kept in which a device may have had an answer.
  static let mostLives = 16

  /// Notes where a device stands, now and then: often enough to know for 90 days that it is there, and in which life it stands,
  /// seldom enough that asking for nothing new writes nothing.
  ///
  /// The cursor that is kept is never above the device's own, so that the horizon never passes it; in a push, which says only what
  /// it has seen, there is none. `state` is the person's, as it is answered.
  /// - Returns: what is to be kept; `nil` where what is kept does.
  public func contact(
    device: String, cursor: Int64?, seen: Int64?, after last: HubContact?, in state: HubState, now: Date
  ) -> HubContact? {
    let stands = (seen ?? cursor).flatMap { state.epochs.epoch(of: $0)?.id }
    var lives: [String] = []
    for life in [stands, state.epochs.epoch(of: state.head)?.id, state.epochs.last?.id] {
      if let life, !lives.contains(life) { lives.append(life) }
    }
    // A request may come late, or its answer be lost: in a life after the one that it tells of, an answer may have reached it.
    let later = state.epochs.reversed().prefix { $0.id != stands }.map(\.id).filter { !lives.contains($0) }
    lives += later.filter { last?.lives.contains($0) ?? false }.prefix(Self.mostLives)
    // Nothing is kept whole for one that has taken nothing in yet: it begins with a snapshot.
    let cursor = cursor ?? last?.cursor ?? SyncRange.counter.upperBound
    if let last, cursor >= last.cursor, abs(now.timeIntervalSince(last.at)) < 86_400,
      lives.allSatisfy(last.lives.contains)
    {
      return nil
    }
    return HubContact(device: device, cursor: cursor, at: now, lives: lives)
  }

  /// Shrinks tombstones to bare ids, which are kept for ever: those deleted more than 90 days ago that every device seen in
  /// 90 days has passed.
  ///
  /// At most `limit` at once, so that others are not kept waiting.
  /// - Returns: how many there were; as many as the limit means that there may be more.
  public func compact(limit: Int, in transaction: any HubTransaction, now: Date) throws -> Int {
    let past = now.addingTimeInterval(-Double(Self.patience.components.seconds))
    let writer = try HubWriter(transaction, now: now, quota: quota)
    var lowest = writer.state.head
    for (place, contact) in try transaction.contacts().sorted(by: { $0.at > $1.at }).enumerated() {
      // What is noted lags by up to a day.
      if contact.at.addingTimeInterval(86_400) >= past {
        lowest = min(lowest, contact.cursor)
      } else if place >= HubState.mostStanding {
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
