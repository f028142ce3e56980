import CommandSupport
import TrendyModels
import TrendySync

/// Conflicts as a person reads them, and as scripts do.
struct ConflictText {
  private let local: LocalTime

  init(_ session: Session) { local = session.local }

  /// Columns of a value in the list; a note may have megabytes.
  private static let listedColumns = 200

  /// Both values of each field, a line for all; long ones are cut.
  func lines(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    return heading(named)
      + conflict.kept.keys.sorted().map { field in
        let kept = words(conflict.kept[field]).cut(to: Self.listedColumns)
        let shown = (shown(field, of: conflict) ?? "not shown").cut(to: Self.listedColumns)
        return "  \(label(field)): kept \(kept), shown \(shown)"
      }
  }

  /// Both values of each field, who wrote them and when, and what can be decided.
  func detailLines(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    var lines = heading(named)
    for field in conflict.kept.keys.sorted() {
      let writer = conflict.presentBy[field].map { ", \(words($0))" } ?? ""
      lines.append("  \(label(field))")
      lines.append("    kept:  \(words(conflict.kept[field])), \(words(conflict.keptBy))")
      lines.append("    shown: \(shown(field, of: conflict).map { $0 + writer } ?? "it is deleted")")
    }
    lines.append("What you can do: trendy sync conflicts …")
    if conflict.mine != nil { lines.append("  keep mine \(conflict.id)    keep theirs \(conflict.id)") }
    if conflict.present.isEmpty {
      lines.append("  restore \(conflict.id)  brings it back, with the kept value in it")
    }
    lines.append("  retry \(conflict.id)  writes the kept value    drop \(conflict.id)  lets it go")
    return lines
  }

  private func heading(_ named: NamedConflict) -> [String] {
    let conflict = named.conflict
    let name = named.name + (named.date.map { " of \(local.dayAndTime($0))" } ?? "")
    let moment = conflict.recordedAt.map { ", \(local.dayAndTime($0))" } ?? ""
    return ["\(conflict.id)  \(label(conflict.entityType.rawValue)) \(name)\(moment)", "  \(conflict.reason)"]
  }

  /// A name on the wire, in words.
  private func label(_ name: String) -> String { name.replacing("_", with: " ") }

  /// What a field says now; `nil` where its entity is deleted.
  private func shown(_ field: String, of conflict: OpenConflict) -> String? {
    conflict.present.isEmpty ? nil : words(conflict.present[field])
  }

  /// `written on this device, Fri 20 Nov 08:30`.
  private func words(_ writer: OpenConflict.Writer) -> String {
    let place =
      writer.isThisDevice
      ? "on this device" : writer.device.map { "on another device (\($0.suffix(6)))" } ?? "elsewhere"
    return "written \(place)" + (writer.date.map { ", \(local.dayAndTime($0))" } ?? "")
  }

  /// A value as a person reads it.
  private func words(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "nothing"
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
