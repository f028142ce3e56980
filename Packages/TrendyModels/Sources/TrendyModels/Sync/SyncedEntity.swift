/// A kind of value that a person records on one device and finds on all of them.
///
/// One conformance says everything that sync needs to know of a kind: its name, its wire forms, what an edit changes.
public protocol SyncedEntity: Hashable, Sendable, Identifiable where ID == String {
  /// The whole entity as the hub gives it.
  associatedtype Wire: Codable & Hashable & Sendable
  associatedtype CreateRequest: Codable & Hashable & Sendable
  associatedtype UpdateRequest: Codable & Hashable & Sendable

  static var entityType: MutationEntityType { get }

  var syncStatus: SyncStatus { get set }

  /// As the hub gives it, hence synced.
  init(_ wire: Wire)
  /// As a person made it, hence pending.
  init(_ request: CreateRequest)

  /// What makes it at the hub.
  var createRequest: CreateRequest { get }
  /// What turns `old` into this: the fields that differ and no other; `nil` where none does.
  func updateRequest(from old: Self) -> UpdateRequest?
  /// Carries an edit out: absent fields stay, null ones are cleared.
  mutating func apply(_ request: UpdateRequest)
}

extension Optional where Wrapped: Equatable {
  /// The new value if it is another one, else absent.
  static func changed(_ old: Wrapped, _ new: Wrapped) -> Wrapped? { old == new ? nil : new }
}
