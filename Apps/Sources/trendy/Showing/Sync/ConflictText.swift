import CommandSupport
import TrendyModels
import TrendySync

struct ConflictText {
  private let local: LocalTime

  init(_ session: Session) { local = session.local }

  /// Maximum width of a listed value. A note may be several megabytes long.
  private static let listedColumns = 200

  /// Returns lines for a list, which show both values of each field, shortened if necessary.
  func lines(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    return heading(named)
      + conflict.kept.keys.sorted().map { field in
        let kept = words(conflict.kept[field]).cut(to: Self.listedColumns)
        let present = (present(field, of: conflict) ?? "deleted").cut(to: Self.listedColumns)
        return "  \(label(field)): now \(present), other value \(kept)"
      }
  }

  /// Returns lines with both values of each field, their authors and times, and commands that resolve the conflict.
  func detailLines(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    var lines = heading(named)
    for field in conflict.kept.keys.sorted() {
      let writer = conflict.presentBy[field].map { ", \(words($0))" } ?? ""
      lines.append("  \(label(field))")
      lines.append("    now:         \(present(field, of: conflict).map { $0 + writer } ?? "deleted")")
      lines.append("    other value: \(words(conflict.kept[field])), \(words(conflict.keptBy))")
    }
    let id = ShortID.of(conflict.id)
    lines.append("To resolve it: trendy sync conflicts …")
    if conflict.mine != nil { lines.append("  keep mine \(id)    keep theirs \(id)") }
    if conflict.present.isEmpty {
      lines.append("  restore \(id)  restores the entry with the other value")
    }
    lines.append("  retry \(id)  writes the other value    drop \(id)  keeps the current one")
    return lines
  }

  private func heading(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    let name = named.name + (named.date.map { " (\(local.dayAndTime($0)))" } ?? "")
    let moment = conflict.recordedAt.map { ", \(local.dayAndTime($0))" } ?? ""
    return [
      "\(ShortID.of(conflict.id))  \(label(conflict.entityType.rawValue)) \(name)\(moment)", "  \(conflict.reason)",
    ]
  }

  /// Converts a wire format name to words: `event_type` to `event type`.
  private func label(_ name: String) -> String { name.replacing("_", with: " ") }

  /// Returns a field's current value, or `nil` if the entity has been deleted.
  private func present(_ field: String, of conflict: OpenConflict) -> String? {
    conflict.present.isEmpty ? nil : words(conflict.present[field])
  }

  /// Describes who wrote a value and when, as in `written on this device, Fri 20 Nov 08:30`.
  private func words(_ writer: OpenConflict.Writer) -> String {
    let place =
      writer.isThisDevice
      ? "on this device" : writer.device.map { "on another device (\($0.suffix(6)))" } ?? "elsewhere"
    return "written \(place)" + (writer.date.map { ", \(local.dayAndTime($0))" } ?? "")
  }

  private func words(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "none"
    case .string(let text): "\"\(text)\""
    case .some(let value) where Goal(value) != nil: Goal(value)?.description ?? ""
    case .object(let members) where members["value"] != nil: words(members["value"])
    case .some(let value): "\(JSONText.value(value))"
    }
  }
}

extension ConflictText {
  func plain(_ conflict: OpenConflict) -> [String] {
    [
      conflict.id, conflict.entityType.rawValue, conflict.entityId,
      conflict.kept.keys.sorted().joined(separator: ","), conflict.reason,
    ]
  }

  func json(_ conflict: OpenConflict) -> JSONText {
    let origin =
      switch conflict.origin {
      case .hub: "hub"
      case .journal: "device"
      }
    return .object([
      ("id", .string(conflict.id)), ("kept_by", .string(origin)),
      ("entity_type", .string(conflict.entityType.rawValue)),
      ("entity_id", .string(conflict.entityId)), ("kept", .value(.object(conflict.kept))),
      ("shown", conflict.present.isEmpty ? .null : .value(.object(conflict.present))),
      ("kept_written", json(conflict.keptBy)),
      ("shown_written", .object(conflict.presentBy.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })),
      ("mine", .string(conflict.mine.map { $0 == .kept ? "kept" : "shown" })),
      ("reason", .string(conflict.reason)),
      ("recorded_at", .string(conflict.recordedAt.map { local.rfc3339($0) })),
    ])
  }

  private func json(_ writer: OpenConflict.Writer) -> JSONText {
    .object([
      ("this_device", .bool(writer.isThisDevice)), ("device", .string(writer.device)),
      ("at", .string(writer.date.map { local.rfc3339($0) })),
    ])
  }
}
