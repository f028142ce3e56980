import TrendyModels
import TrendyProtocols

/// State of a store on which a request is based. The response is applied only if the state has not changed.
///
/// The sync lock normally ensures that only one engine syncs a store. These checks are a second line of defence.
struct RequestState: Hashable, Sendable {
  /// Position sent with the request, or `nil` if the store has no identity yet.
  let position: DevicePosition?
  /// Replica generation of ``SyncMetadata``.
  let generation: Int64

  init(of store: any DataStoreProtocol) throws {
    let memory = try store.syncMemory() ?? SyncMetadata()
    generation = memory.generation
    position = try store.syncIdentity().map { identity in
      // Sent mutations are at the front of the queue, ordered by sequence number.
      let oldest = try store.firstPendingMutations(1).first?.sequence ?? identity.lastSequence + 1
      return DevicePosition(
        device: identity.device, seen: memory.seen, epoch: memory.epochs.epoch(of: memory.seen)?.id,
        lastSequence: identity.lastSequence, acknowledgedThrough: oldest - 1)
    }
  }

  /// Checks that the store has the same identity and replica generation as when the request was sent.
  /// - Throws: ``SyncFailure/elsewhere`` if another process has applied a response in the meantime.
  func checkStands(in store: any DataStoreProtocol) throws { try check(RequestState(of: store)) }

  /// Checks, in addition, that no outcome has been acknowledged since the request was sent.
  ///
  /// An acknowledgement in between would contradict a push response or a reported fork.
  /// - Throws: ``SyncFailure/elsewhere`` if the state has changed.
  func checkNothingWasAcknowledged(in store: any DataStoreProtocol) throws {
    let now = try RequestState(of: store)
    try check(now)
    guard now.position?.acknowledgedThrough == position?.acknowledgedThrough else { throw SyncFailure.elsewhere }
  }

  private func check(_ now: RequestState) throws {
    guard now.generation == generation, now.position?.device == position?.device else { throw SyncFailure.elsewhere }
  }
}
