import TrendyModels
import TrendyProtocols

/// What a request rests on: its answer counts only while the store still stands where it did.
///
/// One engine syncs a store at a time, by a lock that the kernel frees. These guards stand behind the lock.
struct Question: Hashable, Sendable {
  /// What the store says of itself; `nil` while it has no identity.
  let position: DevicePosition?
  /// That of ``SyncMemory``.
  let generation: Int64

  init(of store: any DataStoreProtocol) throws {
    let memory = try store.syncMemory() ?? SyncMemory()
    generation = memory.generation
    position = try store.syncIdentity().map { identity in
      // What was sent lies at the front, in the order of its sequences.
      let oldest = try store.firstPendingMutations(1).first?.sequence ?? identity.lastSequence + 1
      return DevicePosition(
        device: identity.device, seen: memory.seen, epoch: memory.epochs.epoch(of: memory.seen)?.id,
        lastSequence: identity.lastSequence, acknowledgedThrough: oldest - 1)
    }
  }

  /// - Throws: ``SyncFailure/elsewhere`` where another has taken in an answer meanwhile.
  func checkStands(in store: any DataStoreProtocol) throws { try check(Question(of: store)) }

  /// Checks also, for an answer that settles what was sent or says that the store has a twin, that no acknowledgement came since:
  /// that would speak against it.
  /// - Throws: ``SyncFailure/elsewhere``.
  func checkNothingWasAcknowledged(in store: any DataStoreProtocol) throws {
    let now = try Question(of: store)
    try check(now)
    guard now.position?.acknowledgedThrough == position?.acknowledgedThrough else { throw SyncFailure.elsewhere }
  }

  private func check(_ now: Question) throws {
    guard now.generation == generation, now.position?.device == position?.device else { throw SyncFailure.elsewhere }
  }
}
