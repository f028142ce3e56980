public import TrendyModels

/// Pending mutations of this device, and accepted mutations that the feed has not yet returned.
public protocol MutationQueue: AnyObject {
  /// Returns all pending mutations, ordered by time; those with equal times are in the order of insertion.
  func fetchPendingMutations() throws -> [PendingMutation]
  /// Returns whether a mutation of this entity with this operation is pending.
  func hasPendingMutation(entityId: String, entityType: MutationEntityType, operation: MutationOperation) throws -> Bool
  /// Inserts a mutation. It replaces a mutation with the same id and takes its position in the queue.
  func insertPendingMutation(_ mutation: PendingMutation) throws
  /// Inserts a mutation whose newly generated id has never been in the queue. The default implementation calls
  /// ``insertPendingMutation(_:)``.
  func appendPendingMutation(_ mutation: PendingMutation) throws
  /// Removes the mutation with this id from the queue if it exists.
  func deletePendingMutation(_ mutation: PendingMutation) throws
  /// Returns the first `count` mutations in queue order, without reading the others.
  func firstPendingMutations(_ count: Int) throws -> [PendingMutation]
  /// Returns the last mutation in the queue without reading the others, or `nil` if the queue is empty.
  func lastPendingMutation() throws -> PendingMutation?
  /// Returns the pending mutations of all entities with this id, of any kind, in queue order, without reading the
  /// others.
  func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation]

  /// Returns the accepted mutations whose entities the feed has not yet returned, ordered by version.
  func fetchAcceptedMutations() throws -> [PendingMutation]
  /// Returns the accepted mutations up to a version, ordered by version.
  func acceptedMutations(through version: Int64) throws -> [PendingMutation]
  /// Returns the accepted mutations of all entities with this id, of any kind, ordered by version.
  func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation]
  /// Inserts an accepted mutation, replacing one with the same id.
  func insertAcceptedMutation(_ mutation: PendingMutation) throws
  /// Removes the accepted mutation with this id if it exists.
  func deleteAcceptedMutation(_ mutation: PendingMutation) throws
}

extension MutationQueue {
  public func appendPendingMutation(_ mutation: PendingMutation) throws { try insertPendingMutation(mutation) }
}
