/// Entity with a dedicated Swift type that is synced between devices.
///
/// The conformance provides everything that sync needs: the name of the kind, its wire documents and the difference
/// between two states.
public protocol SyncedEntity: Hashable, Sendable, Identifiable where ID == String {
  /// Document of the whole entity as the hub sends it.
  associatedtype Wire: Codable & Hashable & Sendable
  /// Request document that creates the entity.
  associatedtype CreateRequest: Codable & Hashable & Sendable
  /// Request document that changes fields of the entity.
  associatedtype UpdateRequest: Codable & Hashable & Sendable

  /// Kind of the entity.
  static var entityType: MutationEntityType { get }

  /// Sync state of the entity on this device.
  var syncStatus: SyncStatus { get set }

  /// Creates an entity sent by the hub, with status `.synced`.
  init(_ wire: Wire)
  /// Creates an entity recorded by the user, with status `.pending`.
  init(_ request: CreateRequest)

  /// Request that creates the entity at the hub.
  var createRequest: CreateRequest { get }
  /// Returns the request that changes `old` to this state, with only the fields that differ, or `nil` if no field
  /// differs.
  func updateRequest(from old: Self) -> UpdateRequest?
  /// Applies an update: absent members leave their fields unchanged, null members clear them.
  mutating func apply(_ request: UpdateRequest)
}

extension Optional where Wrapped: Equatable {
  static func changed(_ old: Wrapped, _ new: Wrapped) -> Wrapped? { old == new ? nil : new }
}
