import TrendyModels

/// Computes the visible state of an entity: the replica with this device's mutations applied on top.
///
/// A malformed payload changes nothing here. The hub will refuse it, and the journal will then store its bytes.
enum Overlay {
  /// Returns the visible entity for a hub without versions, or `nil` if it is not visible. `waiting` contains its
  /// pending mutations in queue order.
  static func shown<Entity: StoredEntity>(_ held: Entity?, under waiting: [PendingMutation]) -> Entity? {
    var shown = held
    for mutation in waiting {
      switch mutation.operation {
      case .create, .restore:
        if shown != nil, (try? Coalescing.hasNaturalKey(mutation)) == true { continue }
        if let request = try? WireJSON.decode(Entity.CreateRequest.self, from: mutation.payload) {
          shown = Entity(request)
        }
      case .update:
        if let request = try? WireJSON.decode(Entity.UpdateRequest.self, from: mutation.payload) {
          shown?.apply(request)
        }
      case .delete:
        shown = nil
      }
    }
    shown?.syncStatus = waiting.isEmpty ? .synced : .pending
    return shown
  }

  /// Returns the visible entity for a hub with versions, or `nil` if it is not visible. Also compares incarnations.
  /// - Parameters:
  ///   - living: Entity in the replica, or `nil` if it is deleted or absent.
  ///   - record: Live entry or tombstone in the replica, or `nil` if there is none.
  ///   - overlay: Accepted and pending mutations of the entity, in order.
  static func shown<Entity: StoredEntity>(
    _ living: Entity?, of record: ChangeEntry?, under overlay: [PendingMutation]
  ) -> Entity? {
    var shown = living
    for mutation in overlay {
      switch mutation.operation {
      case .create:
        if record?.isDelete == true || (living != nil && NaturalIdentifier.isNatural(mutation.entityId)) { continue }
        if let request = try? WireJSON.decode(Entity.CreateRequest.self, from: mutation.payload) {
          shown = Entity(request)
        }
      case .update:
        if let request = try? WireJSON.decode(Entity.UpdateRequest.self, from: mutation.payload) {
          shown?.apply(request)
        }
      case .delete:
        if living != nil, let record, record.incarnation > mutation.incarnation { continue }
        shown = nil
      case .restore:
        if let record, record.isDelete, record.incarnation >= mutation.incarnation { continue }
        shown = shown ?? living ?? record?.entity(as: Entity.self)
        if shown == nil, let request = try? WireJSON.decode(Entity.CreateRequest.self, from: mutation.payload) {
          shown = Entity(request)
        } else if let request = try? WireJSON.decode(Entity.UpdateRequest.self, from: mutation.payload) {
          shown?.apply(request)
        }
      }
    }
    shown?.syncStatus = overlay.contains { $0.acceptedVersion == nil } ? .pending : .synced
    return shown
  }

  /// Returns the mutations that are certainly newer than the deletion of their entity: the first unsent create, which
  /// the hub never received, and everything after it.
  static func outlivingDeletion(_ waiting: [PendingMutation]) -> [PendingMutation] {
    guard let rebirth = waiting.firstIndex(where: { $0.operation == .create && $0.sequence == nil }) else { return [] }
    return Array(waiting[rebirth...])
  }
}
