import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendySync

extension Command {
  static let conflictCommands: [Command] = [
    Command(path: ["sync", "history"], arguments: "", summary: "The last rounds of sync, and how each went.") {
      session in
      _ = try session.positionals(0...0, missing: "")
      let runs = try session.openStore().syncHistory.load()
      switch session.console.format {
      case .json:
        session.console.document("trendy.sync_history/1", [("rounds", .array(runs.map { session.json($0) }))])
      case .ndjson: for run in runs { session.console.data("\(session.json(run))") }
      case .plain:
        for run in runs {
          session.console.row([
            session.local.rfc3339(run.startedAt), "\(run.pushed)", "\(run.pulled)", run.error ?? "",
          ])
        }
      case .text:
        if runs.isEmpty { session.console.text("This store has not synced yet.") }
        for run in runs {
          let outcome = run.error ?? "\(run.pushed) sent, \(run.pulled) taken in"
          session.console.text("\(session.local.dayAndTime(run.startedAt))  \(outcome)")
        }
      }
      return .done
    },
    Command(
      path: ["sync", "conflicts"], arguments: "",
      summary: "What took no effect and waits for you, both values side by side."
    ) { session in
      _ = try session.positionals(0...0, missing: "")
      let container = try session.openStore()
      let conflicts = try container.recorder.openConflicts()
      let store = container.makeStore()
      switch session.console.format {
      case .json:
        session.console.document("trendy.conflicts/1", [("conflicts", .array(conflicts.map { session.json($0) }))])
      case .ndjson: for conflict in conflicts { session.console.data("\(session.json(conflict))") }
      case .plain:
        for conflict in conflicts {
          session.console.row([
            conflict.id, conflict.entityType.rawValue, conflict.entityId,
            conflict.kept.keys.sorted().joined(separator: ","),
            conflict.reason,
          ])
        }
      case .text:
        if conflicts.isEmpty { session.console.text("Nothing waits for a decision.") }
        for conflict in conflicts { try session.tell(conflict, store) }
        if let first = conflicts.first {
          session.console.text("")
          session.console.text("Keep what is shown:      trendy sync conflicts drop \(first.id)")
          session.console.text("Take the kept value:     trendy sync conflicts retry \(first.id)")
        }
      }
      return .done
    },
    Command(
      path: ["sync", "conflicts", "retry"], arguments: "<id>",
      summary: "Write the kept value again; what was deleted is restored for it."
    ) { session in
      try session.decide(saying: "Written again, as an edit made now") { try $0.recorder.retryConflict(id: $1) }
    },
    Command(
      path: ["sync", "conflicts", "drop"], arguments: "<id>", summary: "Let the kept value go: what is shown stays."
    ) { session in
      try session.decide(saying: "Let go; what is shown stays") { try $0.recorder.dropConflict(id: $1) }
    },
  ]
}

extension Session {
  /// The id may be cut short, as long as it names one.
  fileprivate func decide(
    saying words: String, _ carryOut: (AppContainer, String) throws -> Void
  ) throws -> ExitCode {
    let wanted = try positionals(1...1, missing: "the id of a conflict: `trendy sync conflicts` lists them")[0]
    let container = try openStore()
    let matches = try container.recorder.openConflicts().filter { $0.id.hasPrefix(wanted) }
    guard matches.count == 1, let conflict = matches.first else {
      throw CommandError(
        matches.isEmpty
          ? "No conflict '\(wanted)' waits for a decision" : "'\(wanted)' names \(matches.count) conflicts",
        hint: "trendy sync conflicts", exit: .notFound)
    }
    try carryOut(container, conflict.id)
    container.agent.send()
    if console.isJSON { console.document("trendy.conflict/1", [("conflict", json(conflict))]) }
    console.done("\(words): \(conflict.kept.keys.sorted().joined(separator: ", "))")
    return .done
  }

  fileprivate func tell(_ conflict: OpenConflict, _ store: any DataStoreProtocol) throws {
    let kind = conflict.entityType.rawValue.replacing("_", with: " ")
    let moment = conflict.recordedAt.map { ", \(local.dayAndTime($0))" } ?? ""
    console.text("\(conflict.id)  \(kind) \(try name(of: conflict, store))\(moment)")
    console.text("  \(conflict.reason)")
    for field in conflict.kept.keys.sorted() {
      let kept = words(conflict.kept[field])
      let present = conflict.present.isEmpty ? "not shown" : words(conflict.present[field])
      console.text("  \(field.replacing("_", with: " ")): kept \(kept), shown \(present)")
    }
  }

  private func name(of conflict: OpenConflict, _ store: any DataStoreProtocol) throws -> String {
    switch conflict.entityType {
    case .event:
      guard let event = try store.findEvent(id: conflict.entityId) else { return conflict.entityId }
      let type = try store.findEventType(id: event.eventTypeId)?.name ?? "event"
      return "\(type) of \(local.dayAndTime(event.timestamp))"
    case .eventType: return try store.findEventType(id: conflict.entityId)?.name ?? conflict.entityId
    case .geofence: return try store.findGeofence(id: conflict.entityId)?.name ?? conflict.entityId
    default: return conflict.entityId
    }
  }

  /// A value as a person reads it.
  private func words(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "nothing"
    case .string(let text): "\"\(text)\""
    case .object(let members) where members["value"] != nil: words(members["value"])
    case .some(let value): "\(JSONText.value(value))"
    }
  }

  fileprivate func json(_ conflict: OpenConflict) -> JSONText {
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
      ("reason", .string(conflict.reason)),
      ("recorded_at", .string(conflict.recordedAt.map { local.rfc3339($0) })),
    ])
  }

  fileprivate func json(_ run: SyncRun) -> JSONText {
    .object([
      ("started_at", .string(local.rfc3339(run.startedAt))), ("ended_at", .string(local.rfc3339(run.endedAt))),
      ("pushed", .number(run.pushed)), ("pulled", .number(run.pulled)), ("error", .string(run.error)),
    ])
  }
}
