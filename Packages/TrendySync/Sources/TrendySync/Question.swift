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
  func checkStands(in store: any DataStoreProtocol) throws {
    let now = try Question(of: store)
    guard now.generation == generation, now.position?.device == position?.device else { throw SyncFailure.elsewhere }
  }

  /// As above, for an answer that settles what was sent, or says that the store has a twin: an acknowledgement that came since
  /// speaks against it.
  func checkNothingWasAcknowledged(in store: any DataStoreProtocol) throws {
    try checkStands(in: store)
    guard try Question(of: store).position?.acknowledgedThrough == position?.acknowledgedThrough else {
      throw SyncFailure.elsewhere
    }
  }
}
