import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Non-null fields of an entity by wire name, with one entry per property.
typealias EntityFields = [String: JSONValue]

extension EntityFields {
  fileprivate init(_ value: JSONValue) {
    self = [:]
    for (name, value) in value.objectValue ?? [:] where !value.isNull {
      if name == "properties", let members = value.objectValue {
        for (inner, value) in members where !value.isNull { self["properties.\(inner)"] = value }
      } else {
        self[name] = value
      }
    }
  }

  /// Replaces references to entities whose ids have changed.
  func renamed(_ names: [String: String]) -> EntityFields {
    var fields = self
    for (name, value) in self where name.hasSuffix("_id") && name != "external_id" {
      if let new = value.stringValue.flatMap({ names[$0] }) { fields[name] = .string(new) }
    }
    return fields
  }

  func withoutDeletedTypes(_ shown: ShownFields) -> EntityFields {
    filter { name, value in
      guard name == "event_type_entry_id", let type = value.stringValue else { return true }
      return shown.rows[Ledger.Key(kind: .eventType, id: type)] != nil
    }
  }

  func difference(from other: EntityFields) -> String {
    Set(keys).union(other.keys).filter { self[$0] != other[$0] }.sorted().map { name in
      "\(name) \(self[name].map { "\($0)" } ?? "nothing") in place of \(other[name].map { "\($0)" } ?? "nothing")"
    }.joined(separator: ", ")
  }
}

/// Visible state of a store, by entity.
struct ShownFields: Equatable {
  private(set) var rows: [Ledger.Key: EntityFields] = [:]

  private init(rows: [Ledger.Key: EntityFields]) { self.rows = rows }

  init(_ store: LocalStore) throws {
    var entities: [AnyEntity] = try store.fetchAllEventTypes().map { .eventType($0) }
    entities += try store.fetchAllEvents().map { .event($0) }
    entities += try store.fetchAllGeofences().map { .place($0) }
    entities += try store.fetchAllPropertyDefinitions().map { .property($0) }
    for kind in [MutationEntityType.vehicle, .tripRule, .setting, .skip] {
      entities += try store.fetchRecords(kind: kind).map { .record($0) }
    }
    for entity in entities { rows[Ledger.Key(kind: entity.kind, id: entity.id)] = EntityFields(try entity.value) }
  }

  func changes(to other: ShownFields) -> Set<Ledger.Key> {
    Set(rows.keys).union(other.rows.keys).filter { rows[$0] != other.rows[$0] }
  }

  func only(_ keys: Set<Ledger.Key>) -> ShownFields { ShownFields(rows: rows.filter { keys.contains($0.key) }) }

  /// Text by which the entity is tracked.
  func text(_ key: Ledger.Key) -> String? { rows[key]?[MergeOracle.textField(ofKind: key.kind.rawValue)]?.stringValue }
}
