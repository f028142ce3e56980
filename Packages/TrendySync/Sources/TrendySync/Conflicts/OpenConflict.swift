public import TrendyFoundation
public import TrendyModels

/// A value that is kept because it took no effect, until a person decides.
public struct OpenConflict: Hashable, Sendable, Identifiable {
  /// Where the value is kept, and why.
  public enum Origin: Hashable, Sendable {
    /// A change of this device: the hub refused it, or parts of it lost to later ones. Kept here alone.
    case journal(MutationOperation)
    /// Somebody's value that was replaced or buried by one who had not seen it. Kept at the hub, for all devices.
    case hub
  }

  /// Who wrote a value, and when.
  public struct Writer: Hashable, Sendable {
    /// The identity that the writer's store had then; `nil` where nobody says.
    public var device: String?
    public var isThisDevice: Bool
    public var date: Date?
  }

  /// One of the two values.
  public enum Side: Hashable, Sendable, CaseIterable {
    case kept
    case present
  }

  public let id: String
  public var origin: Origin
  public var entityType: MutationEntityType
  public var entityId: String
  /// What was to be, by the field's name on the wire; null where the field was to be cleared.
  public var kept: [String: JSONValue]
  /// What the same fields say now; empty where the entity is not shown.
  public var present: [String: JSONValue]
  /// Who wrote what is kept.
  public var keptBy: Writer
  /// Who wrote what the same fields say now, as far as that is known.
  public var presentBy: [String: Writer] = [:]
  /// Which of the two this device wrote; `nil` where both are of others.
  public var mine: Side?
  /// In plain words.
  public var reason: String
  public var recordedAt: Date?
}

extension OpenConflict {
  init(_ conflict: Conflict) {
    // What cannot be read is kept as bytes in the journal; there is no field to show of it.
    let members = (try? WireJSON.decode([String: JSONValue].self, from: conflict.payload)) ?? [:]
    self.init(
      id: conflict.id, origin: .journal(conflict.operation), entityType: conflict.entityType,
      entityId: conflict.entityId, kept: members.filter { $0.key != "id" }, present: [:],
      keptBy: Writer(isThisDevice: true), mine: .kept, reason: conflict.reason, recordedAt: conflict.recordedAt)
  }

  /// `nil` for one of a kind or form that this version does not know.
  /// - Parameter device: who this store is to the hub.
  init?(_ record: SyncedRecord, device: String?) {
    guard let kind = record.fields["entity_type"]?.stringValue.flatMap({ MutationEntityType(rawValue: $0) }),
      let entityId = record.fields["entity_id"]?.stringValue, let field = record.fields["field"]?.stringValue
    else { return nil }
    let value = record.fields["value"] ?? .null
    let reason =
      switch record.fields["reason"]?.stringValue {
      case "buried": "It was deleted by a device that had not seen this"
      case "moved": "It was moved or restored under a type that was deleted by a device that had not seen it there"
      default: "Another device replaced this without having seen it"
      }
    let author = record.fields["author"]?.stringValue
    let written = record.fields["stamp"]?.intValue.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    let isOwn = device != nil && author == device
    let isBeaten = device == nil || record.fields["by"]?.stringValue != device
    self.init(
      id: record.id, origin: .hub, entityType: kind, entityId: entityId,
      kept: field == "*"
        ? (value.objectValue ?? [:]).filter { !RecordDocument.ownMembers.contains($0.key) } : [field: value],
      present: [:], keptBy: Writer(device: author, isThisDevice: isOwn, date: written),
      mine: isOwn ? .kept : isBeaten ? nil : .present, reason: reason, recordedAt: written)
  }

  /// As members of a request: a property stands under `properties`.
  var members: [String: JSONValue] {
    guard let nested = SyncedKind.named(entityType.rawValue)?.nestedMember else { return kept }
    var members: [String: JSONValue] = [:]
    for (name, value) in kept {
      if name.hasPrefix("\(nested).") {
        var object = members[nested]?.objectValue ?? [:]
        object.updateValue(value, forKey: String(name.dropFirst(nested.count + 1)))
        members[nested] = .object(object)
      } else {
        members.updateValue(value, forKey: name)
      }
    }
    return members
  }
}
