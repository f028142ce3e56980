import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Moves deletions to the front of the queue when the record exceeds the hub's quota. Does not save.
///
/// Only deletions whose order does not matter are moved. These are the deletions of events that exist at the hub and
/// have no other mutations in the queue, because no entity refers to an event.
struct QuotaRecovery {
  let store: any DataStoreProtocol
  let random: RandomSource
  let now: Date

  /// Moves the eligible deletions after the first `tried` mutations, which the hub refused as a whole, to the front of
  /// the queue.
  /// - Returns: Whether any deletion was moved.
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
    // Sent mutations already have sequence numbers, so numbering restarts under a new identity, as after a fork.
    try NewIdentity(store: store, random: random, now: now).take()
    for var mutation in deletions {
      // Move the mutation to the front of the queue, which is ordered by time.
      mutation.createdAt = first.addingTimeInterval(-0.001)
      try store.insertPendingMutation(mutation)
    }
    return true
  }
}
