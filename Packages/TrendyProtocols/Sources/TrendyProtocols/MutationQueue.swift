public import TrendyModels

/// Changes made on this device that wait for the hub, and those that the hub accepted and has not sent back.
public protocol MutationQueue: AnyObject {
  /// In the order of their times; equal times in the order they were inserted.
  func fetchPendingMutations() throws -> [PendingMutation]
  /// Whether a mutation of this entity and operation waits.
  func hasPendingMutation(entityId: String, entityType: MutationEntityType, operation: MutationOperation) throws -> Bool
  /// A mutation of the same id is replaced and keeps its place.
  func insertPendingMutation(_ mutation: PendingMutation) throws
  /// Inserts a mutation whose id was made just now, and is none that the queue has had. The default is the insertion above.
  func appendPendingMutation(_ mutation: PendingMutation) throws
  /// Takes the mutation of this id out of the queue, if it is there.
  func deletePendingMutation(_ mutation: PendingMutation) throws
  /// The first of the queue, in its order; reads no more than these.
  func firstPendingMutations(_ count: Int) throws -> [PendingMutation]
  /// The last of the queue, without reading the others.
  func lastPendingMutation() throws -> PendingMutation?
  /// Those of every entity with this identifier, in the order of the queue, without reading the others.
  func pendingMutations(ofEntity entityId: String) throws -> [PendingMutation]

  /// Mutations that the hub accepted and whose entities have not come back, in the order of their versions.
  func fetchAcceptedMutations() throws -> [PendingMutation]
  /// As above, those accepted up to a version.
  func acceptedMutations(through version: Int64) throws -> [PendingMutation]
  /// As above, those of every entity with this identifier.
  func acceptedMutations(ofEntity entityId: String) throws -> [PendingMutation]
  /// A mutation of the same id is replaced.
  func insertAcceptedMutation(_ mutation: PendingMutation) throws
  func deleteAcceptedMutation(_ mutation: PendingMutation) throws
}

extension MutationQueue {
  public func appendPendingMutation(_ mutation: PendingMutation) throws { try insertPendingMutation(mutation) }
}
