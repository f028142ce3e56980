import Foundation
import TrendyModels

/// A value that was overwritten or deleted by an author who had not seen it, stored as an entity of kind `conflict`.
///
/// Conflicts sync to all of the user's devices and stay until the user deletes them.
struct HubConflict {
  enum Reason: String {
    /// A later edit of the field won.
    case overwritten
    /// The entity was deleted.
    case buried
    /// A device moved, created or restored a child whose parent was being deleted. The conflict contains the whole
    /// child.
    case moved
  }

  /// Field name of a conflict that covers several fields. Its value is an object.
  static let severalFields = "*"

  let entry: HubEntry
  let field: String
  let value: HubField
  let reason: Reason

  init(_ entry: HubEntry, field: String, value: HubField, reason: Reason) {
    self.entry = entry
    self.field = field
    self.value = value
    self.reason = reason
  }

  /// Creates a conflict from fields that were deleted unseen, or returns `nil` if there are none.
  ///
  /// Several fields are combined into one conflict with the author and stamp of the most recently written field.
  init?(buried entry: HubEntry, _ fields: [String: HubField]) {
    let newest = fields.max { ($0.value.version, $0.key) < ($1.value.version, $1.key) }
    guard let newest else { return nil }
    guard fields.count > 1 else {
      self.init(entry, field: newest.key, value: newest.value, reason: .buried)
      return
    }
    var value = newest.value
    value.value = .object(fields.mapValues(\.value))
    self.init(entry, field: Self.severalFields, value: value, reason: .buried)
  }

  /// Creates a conflict from all fields of a child, with the device that moved, created or restored it as the author.
  init(moved child: HubEntry, by reference: HubField, of author: String) {
    var members = child.members
    members["id"] = .string(child.id)
    self.init(
      child, field: Self.severalFields,
      value: HubField(
        value: .object(members), version: reference.version, stamp: reference.stamp, author: author),
      reason: .moved)
  }

  /// Returns an id derived from the mutation and the lost value.
  ///
  /// A restored hub that merges the mutation again creates the same conflict instead of a second one.
  func id(mutationId: String) -> String {
    let text =
      "conflict\n\(mutationId)\n\(entry.kind)\n\(entry.id)\n\(field)\n\(value.author)\n\(value.stamp)"
    var bytes = Array(SHA256Digest.bytes(of: Data(text.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = SHA256Digest.hexadecimal(bytes)
    var id = ""
    for (place, digit) in digits.enumerated() {
      if place == 8 || place == 12 || place == 16 || place == 20 { id.append("-") }
      id.append(digit)
    }
    return id
  }

  /// Stores the conflict under a new version, unless it already exists or has been resolved.
  func put(by device: String, mutationId: String, with writer: HubWriter) throws {
    let kind = SyncedKind.conflict.name
    let id = id(mutationId: mutationId)
    guard try writer.transaction.entry(kind: kind, id: id) == nil, try !writer.transaction.isPurged(kind: kind, id: id)
    else { return }
    let members: [String: JSONValue] = [
      "entity_type": .string(entry.kind), "entity_id": .string(entry.id), "field": .string(field),
      "value": value.value, "author": .string(value.author), "stamp": .int(value.stamp),
      "mutation_id": .string(mutationId), "reason": .string(reason.rawValue), "by": .string(device),
    ]
    let version = writer.nextVersion()
    try writer.put(
      HubEntry(
        kind: kind, id: id, version: version, createdAt: writer.now, updatedAt: writer.now, createdVersion: version,
        fields: members.mapValues {
          HubField(value: $0, version: version, stamp: writer.now.stamp, author: device)
        }),
      replacing: nil)
  }
}
