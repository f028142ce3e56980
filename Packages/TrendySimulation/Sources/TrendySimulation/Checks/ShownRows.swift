import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Visible state as comparable text per entity.
struct ShownRows {
  var rows: [Ledger.Key: String] = [:]
  var failed: Set<Ledger.Key> = []

  init() {}

  init(_ entries: [ChangeEntry]) {
    for entry in entries where !entry.isDelete {
      guard let data = entry.data, let kind = MutationEntityType(rawValue: entry.entityType) else { continue }
      switch kind {
      case .eventType: take(readable(data, as: APIEventType.self).map { EventType($0) })
      case .event: take(readable(data, as: APIEvent.self).map { Event($0) })
      case .geofence: take(readable(data, as: APIGeofence.self).map { Geofence($0) })
      case .propertyDefinition: take(readable(data, as: APIPropertyDefinition.self).map { PropertyDefinition($0) })
      case .vehicle, .tripRule, .setting, .skip:
        take(kind, entry.entityId, data.rawData, isFailed: false)
      default: break
      }
    }
  }

  /// Returns an array with the decoded value, or an empty array if the data cannot be decoded.
  private func readable<Value: Decodable>(_ data: ChangeEntryData, as type: Value.Type) -> [Value] {
    (try? data.decode(type)).map { [$0] } ?? []
  }

  init(_ snapshot: Snapshot) {
    take(snapshot.eventTypes.map { EventType($0) })
    take(snapshot.events.map { Event($0) })
    take(snapshot.geofences.map { Geofence($0) })
    take(snapshot.propertyDefinitions.map { PropertyDefinition($0) })
  }

  init(_ store: LocalStore) throws {
    take(try store.fetchAllEventTypes())
    take(try store.fetchAllEvents())
    take(try store.fetchAllGeofences())
    take(try store.fetchAllPropertyDefinitions())
    for kind in [MutationEntityType.vehicle, .tripRule, .setting, .skip] {
      for record in try store.fetchRecords(kind: kind) {
        take(kind, record.id, record.fields, isFailed: record.syncStatus == .failed)
      }
    }
  }

  private mutating func take(
    _ kind: MutationEntityType, _ id: String, _ fields: [String: JSONValue], isFailed: Bool
  ) {
    let key = Ledger.Key(kind: kind, id: id)
    if isFailed { failed.insert(key) }
    rows[key] = fields.filter { SyncedKind.named(kind.rawValue)?.field($0.key) != nil && !$0.value.isNull }
      .sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }

  private mutating func take<Entity: SyncedEntity>(_ entities: [Entity]) {
    for var entity in entities {
      let key = Ledger.Key(kind: Entity.entityType, id: entity.id)
      if entity.syncStatus == .failed { failed.insert(key) }
      entity.syncStatus = .synced
      // The order of fields is fixed, so equal values have equal text.
      let document = (try? WireJSON.encode(entity.createRequest)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
      if rows.updateValue(document, forKey: key) != nil { rows[key] = "twice: \(document)" }
    }
  }
}
