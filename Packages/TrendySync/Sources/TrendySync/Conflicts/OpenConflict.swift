public import TrendyFoundation
public import TrendyModels

/// Value that lost a merge or was rejected, kept until the user resolves the conflict.
public struct OpenConflict: Hashable, Sendable, Identifiable {
  /// Origin of a kept value: where the value is stored, and why it was kept.
  public enum Origin: Hashable, Sendable {
    /// A mutation from this device that the hub refused, or the fields of a mutation that lost to later writes. Stored
    /// only on this device.
    case journal(MutationOperation)
    /// A value that was overwritten or deleted by a device that had not seen it. Stored at the hub and synced to all
    /// devices.
    case hub
  }

  /// Device that wrote a value, and the time of the write.
  public struct Writer: Hashable, Sendable {
    /// Device identity at the time of the write, or `nil` if unknown.
    public var device: String?
    public var isThisDevice: Bool
    public var date: Date?
  }

  /// One of the two values of a conflict: the kept one, or the currently visible one.
  public enum Side: Hashable, Sendable, CaseIterable {
    case kept
    case present
  }

  public let id: String
  public var origin: Origin
  public var entityType: MutationEntityType
  public var entityId: String
  /// Kept values, keyed by the wire name of the field. A value is null if the mutation would have cleared the field.
  public var kept: [String: JSONValue]
  /// Current values of the same fields, or an empty dictionary if the entity is not visible.
  public var present: [String: JSONValue]
  /// Author of the kept value.
  public var keptBy: Writer
  /// Known authors of the current values, keyed by the wire name of the field.
  public var presentBy: [String: Writer] = [:]
  /// The side that this device wrote, or `nil` if other devices wrote both sides.
  public var mine: Side?
  /// One-sentence explanation for the user.
  public var reason: String
  public var recordedAt: Date?
}

extension OpenConflict {
  init(_ conflict: Conflict) {
    // A payload that cannot be decoded stays in the journal but has no fields to show.
    let members = (try? WireJSON.decode([String: JSONValue].self, from: conflict.payload)) ?? [:]
    self.init(
      id: conflict.id, origin: .journal(conflict.operation), entityType: conflict.entityType,
      entityId: conflict.entityId, kept: members.filter { $0.key != "id" }, present: [:],
      keptBy: Writer(isThisDevice: true), mine: .kept, reason: conflict.reason, recordedAt: conflict.recordedAt)
  }

  /// Decodes a conflict entity from the hub. Returns `nil` if its kind or format is unknown to this version. `device`
  /// is this store's identity, or `nil` if the store has no identity yet.
  init?(_ record: SyncedRecord, device: String?) {
    guard let kind = record.fields["entity_type"]?.stringValue.flatMap({ MutationEntityType(rawValue: $0) }),
      let entityId = record.fields["entity_id"]?.stringValue, let field = record.fields["field"]?.stringValue
    else { return nil }
    let value = record.fields["value"] ?? .null
    let reason =
      switch record.fields["reason"]?.stringValue {
      case "buried": "Deleted by another device that had not seen this change"
      case "moved": "Moved or restored to an event type that another device deleted at the same time"
      default: "Replaced by another device that had not seen this value"
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

  /// Kept values as members of a request, with properties nested under `properties`.
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
