import TrendyModels

/// What a person sees of an entity: what the hub gave, with their own unsettled changes on top.
enum Overlay {
  /// - Parameters:
  ///   - held: as the hub gave it; `nil` where it has none.
  ///   - waiting: the entity's mutations in the order of the queue.
  /// - Returns: `nil` where nothing is to be shown.
  static func shown<Entity: StoredEntity>(_ held: Entity?, under waiting: [PendingMutation]) -> Entity? {
    var shown = held
    for mutation in waiting {
      switch mutation.operation {
      case .create, .restore:
        if shown != nil, (try? Coalescing.hasNaturalKey(mutation)) == true { continue }
        // What cannot be read changes nothing here; the hub refuses it by name, and the journal keeps its bytes.
        if let request = try? WireJSON.decode(Entity.CreateRequest.self, from: mutation.payload) {
          shown = Entity(request)
        }
      case .update:
        // Likewise.
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

  /// As above, of what a Trendy hub gave: which life of the entity a mutation means decides with it.
  /// - Parameters:
  ///   - living: what is held, if it lives.
  ///   - record: what is held of it, living or dead; `nil` where the hub has given nothing.
  static func shown<Entity: StoredEntity>(
    _ living: Entity?, of record: ChangeEntry?, under overlay: [PendingMutation]
  ) -> Entity? {
    var shown = living
    for mutation in overlay {
      switch mutation.operation {
      case .create:
        if record?.isDelete == true || (living != nil && NaturalIdentifier.isNatural(mutation.entityId)) { continue }
        // What cannot be read changes nothing here; the hub refuses it by name, and the journal keeps its bytes.
        if let request = try? WireJSON.decode(Entity.CreateRequest.self, from: mutation.payload) {
          shown = Entity(request)
        }
      case .update:
        // Likewise.
        if let request = try? WireJSON.decode(Entity.UpdateRequest.self, from: mutation.payload) {
          shown?.apply(request)
        }
      case .delete:
        if living != nil, let record, record.incarnation > mutation.incarnation { continue }
        shown = nil
      case .restore:
        if let record, record.isDelete, record.incarnation >= mutation.incarnation { continue }
        shown = shown ?? living ?? record?.entity(as: Entity.self)
        // Likewise.
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

  /// Of the mutations of an entity that the hub says is deleted, those that are younger than its death for certain: the hub
  /// never had the create that they begin with.
  static func outlivingDeletion(_ waiting: [PendingMutation]) -> [PendingMutation] {
    guard let rebirth = waiting.firstIndex(where: { $0.operation == .create && $0.sequence == nil }) else { return [] }
    return Array(waiting[rebirth...])
  }
}
