public import TrendyModels

/// Pending mutations of this device, and accepted mutations that the feed has not returned yet.
public protocol MutationQueue: AnyObject {
  /// Returns all pending mutations in queue order: by time, then by insertion.
  func fetchPendingMutations() throws -> [PendingMutation]
  /// Returns whether a mutation for this entity with this operation is pending.
  func hasPendingMutation(entityId: String, entityType: MutationEntityType, operation: MutationOperation) throws -> Bool
  /// Inserts a mutation. A mutation with the same id is replaced and its position in the queue is kept.
  func insertPendingMutation(_ mutation: PendingMutation) throws
  /// Inserts a mutation with a newly generated id. The default implementation calls ``insertPendingMutation(_:)``.
  func appendPendingMutation(_ mutation: PendingMutation) throws
  /// Removes the mutation with this id from the queue, if it exists.
  func deletePendingMutation(_ mutation: PendingMutation) throws
  /// Returns the first `count` mutations in queue order. Does not read the other mutations.
  func firstPendingMutations(_ count: Int) throws -> [PendingMutation]
  /// Returns the last mutation in the queue, or `nil` if the queue is empty. Does not read the other mutations.
  func lastPendingMutation() throws -> PendingMutation?
  /// Returns the pending mutations for all entities with this id, of any kind, in queue order. Does not read the other
  /// mutations.
  func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation]

  /// Returns the accepted mutations whose entities the feed has not returned yet, ordered by version.
  func fetchAcceptedMutations() throws -> [PendingMutation]
  /// Returns the accepted mutations up to a version, ordered by version.
  func acceptedMutations(through version: Int64) throws -> [PendingMutation]
  /// Returns the accepted mutations for all entities with this id, of any kind, ordered by version.
  func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation]
  /// Inserts an accepted mutation, replacing any mutation with the same id.
  func insertAcceptedMutation(_ mutation: PendingMutation) throws
  /// Removes the accepted mutation with this id, if it exists.
  func deleteAcceptedMutation(_ mutation: PendingMutation) throws
}

extension MutationQueue {
  public func appendPendingMutation(_ mutation: PendingMutation) throws { try insertPendingMutation(mutation) }
}
