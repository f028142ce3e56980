public import TrendyModels
import TrendyPersistence
import TrendyProtocols
public import TrendySync

extension DeviceRecord {
  /// Deleted entities that ``restore(_:_:)`` can bring back. First those that were deleted before any hub heard of them, for 90 days
  /// and as long as the deletion can be taken back; then those of the hub, which tells of a deletion for 90 days, the latest first.
  /// - Parameter kinds: of the entities that are looked for.
  public func deleted(_ kinds: [MutationEntityType]) throws -> [DeletedEntity] {
    let told = try kinds.flatMap { try recorder.deleted($0) }
    return try deletedUnheard(Set(kinds), except: told) + told
  }

  private func deletedUnheard(
    _ kinds: Set<MutationEntityType>, except told: [DeletedEntity]
  ) throws -> [DeletedEntity] {
    let store = dataStoreFactory.makeLocalStore()
    let log = try UndoLog(store)
    var found: [DeletedEntity] = []
    var seen: [MutationEntityType: Set<String>] = [:]
    for entity in told { seen[entity.kind, default: []].insert(entity.id) }
    for number in log.deletions {
      for change in try log.changes(number)
      where kinds.contains(change.kind) && seen[change.kind, default: []].insert(change.id).inserted {
        guard case .bringBack(let value) = change.turn, let fields = value.objectValue,
          try Undoable.held(change.kind, id: change.id, in: store) == nil
        else { continue }
        let event: Event? =
          if case .event(let event) = try Undoable(change.kind, id: change.id, value) { event } else { nil }
        found.append(DeletedEntity(id: change.id, kind: change.kind, deletedAt: nil, fields: fields, event: event))
      }
    }
    return found
  }

  /// Brings back what was deleted, in one save together with what takes that back. Types come before their events.
  /// - Parameters:
  ///   - label: what is done, in the words of the command.
  ///   - entities: of ``deleted(_:)``.
  /// - Throws: `RecorderError`, for one whose type is gone as well; then nothing was changed.
  public func restore(_ label: String, _ entities: [DeletedEntity]) throws {
    let ordered = entities.filter { $0.kind == .eventType } + entities.filter { $0.kind != .eventType }
    try perform(label, isDivisible: true) { save in
      for entity in ordered {
        do {
          try save.restore(entity.kind, id: entity.id)
        } catch RecorderError.notHeld {
          // No hub has heard of it: it is made as it was made first.
          if let type = entity.event?.eventTypeId, try save.store.findEventType(id: type) == nil {
            throw RecorderError.parentDeleted(entity.kind, id: entity.id, eventTypeId: type)
          }
          try save.record(Undoable(entity.kind, id: entity.id, .object(entity.fields)))
        }
      }
    }
  }
}
