#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One change that waits for the hub.
public struct PendingMutation: Hashable, Sendable, Identifiable {
  /// 1 to 128 bytes, opaque; a UUIDv7 when made here.
  public let id: String
  public var entityType: MutationEntityType
  public var entityId: String
  public var operation: MutationOperation
  /// The JSON of the `Create…Request` or `Update…Request`; empty for a delete.
  public var payload: Data
  public var createdAt: Date
  /// Never shared by two mutations, the same at every try.
  public var idempotencyKey: String
  /// How often the hub was asked and did not settle it.
  public var attempts: Int
  public var lastError: String?
  /// Its place in this device's row of sent mutations, from 1; `nil` while it was never sent and may still take up
  /// later edits. Saved before the bytes leave; from then on nothing of the mutation changes.
  public var sequence: Int64?
  /// The ``SyncIdentity/device`` under which its sequence was given, set together with it; `nil` while it has none.
  public var device: String?

  public init(
    id: String, entityType: MutationEntityType, entityId: String, operation: MutationOperation, payload: Data,
    createdAt: Date, idempotencyKey: String? = nil, attempts: Int = 0, lastError: String? = nil,
    sequence: Int64? = nil, device: String? = nil
  ) {
    self.id = id
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.createdAt = createdAt
    self.idempotencyKey = idempotencyKey ?? id
    self.attempts = attempts
    self.lastError = lastError
    self.sequence = sequence
    self.device = device
  }
}

/// A change of this device that did not take effect, kept with the person's data until they decide.
public struct Conflict: Hashable, Sendable, Identifiable {
  /// That of the mutation it was.
  public let id: String
  public var entityType: MutationEntityType
  public var entityId: String
  public var operation: MutationOperation
  /// The mutation's payload.
  public var payload: Data
  /// In the hub's words.
  public var reason: String
  public var recordedAt: Date

  public init(
    id: String, entityType: MutationEntityType, entityId: String, operation: MutationOperation, payload: Data,
    reason: String, recordedAt: Date
  ) {
    self.id = id
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.reason = reason
    self.recordedAt = recordedAt
  }
}

/// That an entity was deleted here, so that the feed does not bring it back.
public struct Tombstone: Hashable, Sendable {
  public var entityType: MutationEntityType
  public var entityId: String
  /// The version under which the hub deleted it; `nil` while the hub has not said.
  public var version: Int64?

  public init(entityType: MutationEntityType, entityId: String, version: Int64? = nil) {
    self.entityType = entityType
    self.entityId = entityId
    self.version = version
  }
}

/// Who this store is to the hub: made by the store, not by the token, so that a copied store can be told from the first.
public struct SyncIdentity: Hashable, Sendable, Codable {
  /// The device's id in every push.
  public var device: String
  /// The highest sequence given to a mutation so far; 0 before the first.
  public var lastSequence: Int64

  public init(device: String, lastSequence: Int64 = 0) {
    self.device = device
    self.lastSequence = lastSequence
  }
}
