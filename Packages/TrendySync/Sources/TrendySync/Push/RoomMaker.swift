import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Brings deletions to the front of a queue of which a full record takes nothing. It does not save.
///
/// Only those whose order against everything else in the queue makes no difference: of events that the hub has, to which nothing
/// refers, and with which nothing else in the queue deals.
struct RoomMaker {
  let store: any DataStoreProtocol
  let chance: RandomSource
  let now: Date

  /// - Parameter tried: so many of the queue, from its front, the hub refused as a whole.
  /// - Returns: whether any was brought forward.
  func bringDeletionsForward(past tried: Int) throws -> Bool {
    let queue = try store.fetchPendingMutations().inSendingOrder
    let counts = queue.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
    let deletions = try queue.dropFirst(tried).filter { mutation in
      guard mutation.operation == .delete, mutation.entityType == .event, counts[mutation.key] == 1,
        let held = try store.heldEntry(kind: .event, id: mutation.entityId)
      else { return false }
      return !held.isDelete
    }
    guard !deletions.isEmpty, let first = queue.map(\.createdAt).min() else { return false }
    // What was sent before them has its place in this device's row: the row begins anew, as after a fork.
    try NewIdentity(store: store, chance: chance, now: now).take()
    for var mutation in deletions {
      // The queue lies by time.
      mutation.createdAt = first.addingTimeInterval(-0.001)
      try store.insertPendingMutation(mutation)
    }
    return true
  }
}
