public import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync

extension DeviceRecord {
  /// Returns the deleted entities of the given kinds that ``restore(_:_:)`` can restore.
  ///
  /// Deletions that the hub never received come first. Such deletions are available while they are in the undo history,
  /// and for at least 90 days. Deletions known to the hub follow, latest first. The hub lists each deletion for 90
  /// days.
  public func deleted(_ kinds: [MutationEntityType]) throws -> [DeletedEntity] {
    let known = try kinds.flatMap { try recorder.deleted($0) }
    return try deletedLocally(Set(kinds), except: known) + known
  }

  private func deletedLocally(
    _ kinds: Set<MutationEntityType>, except known: [DeletedEntity]
  ) throws -> [DeletedEntity] {
    let store = dataStoreFactory.makeLocalStore()
    let log = try UndoLog(store)
    var found: [DeletedEntity] = []
    var seen: [MutationEntityType: Set<String>] = [:]
    for entity in known { seen[entity.kind, default: []].insert(entity.id) }
    for number in log.deletions {
      for change in try log.changes(number)
      where kinds.contains(change.kind) && seen[change.kind, default: []].insert(change.id).inserted {
        guard case .bringBack(let value) = change.turn, let fields = value.objectValue,
          try AnyEntity.held(change.kind, id: change.id, in: store) == nil
        else { continue }
        let event: Event? =
          if case .event(let event) = try AnyEntity(change.kind, id: change.id, value) { event } else { nil }
        found.append(DeletedEntity(id: change.id, kind: change.kind, deletedAt: nil, fields: fields, event: event))
      }
    }
    return found
  }

  /// Restores entities from ``deleted(_:)`` in one save, types before their events. `label` is the text of the undo
  /// step, as in the command.
  /// - Throws: `RecorderError` for an entity whose type is also deleted. In this case, nothing is changed.
  public func restore(_ label: String, _ entities: [DeletedEntity]) throws {
    let ordered = entities.filter { $0.kind == .eventType } + entities.filter { $0.kind != .eventType }
    try perform(label, isDivisible: true) { save in
      for entity in ordered {
        do {
          try save.restore(entity.kind, id: entity.id)
        } catch RecorderError.notHeld {
          // The hub never received the entity, so create it again.
          if let type = entity.event?.eventTypeId, try save.store.findEventType(id: type) == nil {
            throw RecorderError.parentDeleted(entity.kind, id: entity.id, eventTypeId: type)
          }
          try save.record(AnyEntity(entity.kind, id: entity.id, .object(entity.fields)))
        }
      }
    }
  }
}
