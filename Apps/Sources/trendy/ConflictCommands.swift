import TrendyAgent
import AgentLink
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
    Command(
      path: ["sync", "history"], arguments: "", summary: "The last rounds of sync, and how each went.", group: .sync,
      examples: ["sync history"]
    ) {
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
      summary: "What took no effect and waits for you, both values side by side.", group: .sync,
      examples: ["sync conflicts"]
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
          session.console.text("More of one:              trendy sync conflicts show \(first.id)")
          session.console.text("Keep what is shown:       trendy sync conflicts drop \(first.id)")
          session.console.text("Take the kept value:      trendy sync conflicts retry \(first.id)")
          session.console.text("Or, of all that are here: trendy sync conflicts keep mine --all   (or theirs)")
        }
      }
      return .done
    },
    Command(
      path: ["sync", "conflicts", "show"], arguments: "<id>", summary: "Both values, who wrote them, and when.",
      group: .sync,
      examples: ["sync conflicts show @1"]
    ) { session in
      let container = try session.openStore()
      let wanted = try session.positionals(1...1, missing: "the id of a conflict: `trendy sync conflicts` lists them")
      let conflict = try session.conflict(wanted[0], in: container)
      if session.console.isJSON {
        session.console.document("trendy.conflict/1", [("conflict", session.json(conflict))])
      }
      try session.tell(conflict, container.makeStore(), isDetailed: true)
      return .done
    },
    Command(
      path: ["sync", "conflicts", "keep"], arguments: "mine|theirs <id>...",
      summary: "Make the value that this device wrote the one that is shown, or the other one.", group: .sync,
      examples: ["sync conflicts keep mine @1", "sync conflicts keep theirs @1"],
      options: [OptionSpec("--all", help: "of every conflict in which one of the values is this device's")]
    ) { session in
      let words = session.arguments.positionals
      guard let side = words.first, side == "mine" || side == "theirs" else {
        throw session.usageError("Missing which to keep", hint: "mine or theirs, then an id or --all.")
      }
      return try session.decide(Array(words.dropFirst()), among: { $0.mine != nil }, saying: "Kept \(side)") {
        try $0.resolveConflict(id: $1, keepingMine: side == "mine")
      }
    },
    Command(
      path: ["sync", "conflicts", "retry"], arguments: "<id>...",
      summary: "Write the kept value again; what was deleted is restored for it.", group: .sync,
      examples: ["sync conflicts retry @1"], options: [allOption]
    ) { session in
      try session.decide(session.arguments.positionals, saying: "Written again, as an edit made now") {
        try $0.retryConflict(id: $1)
      }
    },
    Command(
      path: ["sync", "conflicts", "restore"], arguments: "<id>...",
      summary: "Bring back what was deleted, with the kept value in it.", group: .sync,
      examples: ["sync conflicts restore @1"], options: [allOption]
    ) { session in
      try session.decide(session.arguments.positionals, among: { $0.present.isEmpty }, saying: "Restored") {
        try $0.restoreForConflict(id: $1)
      }
    },
    Command(
      path: ["sync", "conflicts", "drop"], arguments: "<id>...",
      summary: "Let the kept value go: what is shown stays.", group: .sync,
      examples: ["sync conflicts drop @1"], options: [allOption]
    ) { session in
      try session.decide(session.arguments.positionals, saying: "Let go; what is shown stays") {
        try $0.dropConflict(id: $1)
      }
    },
  ]

  private static let allOption = OptionSpec("--all", help: "every conflict")
}

extension Session {
  /// The id may be cut short, as long as it names one.
  fileprivate func conflict(_ wanted: String, in container: AppContainer) throws -> OpenConflict {
    let matches = try container.recorder.openConflicts().filter { !wanted.isEmpty && $0.id.hasPrefix(wanted) }
    guard matches.count == 1 else {
      throw CommandError(
        matches.isEmpty
          ? "No conflict '\(wanted)' waits for a decision" : "'\(wanted)' names \(matches.count) conflicts",
        hint: "trendy sync conflicts", exit: .notFound)
    }
    return matches[0]
  }

  /// Carries out a decision on the conflicts that are named, or on all for which it can be one.
  fileprivate func decide(
    _ ids: [String], among isMeant: (OpenConflict) -> Bool = { _ in true }, saying words: String,
    _ carryOut: (Recorder, String) throws -> Void
  ) throws -> ExitCode {
    guard ids.isEmpty == arguments.has("--all") else {
      throw usageError(
        ids.isEmpty ? "Missing the id of a conflict" : "--all is instead of ids",
        hint: "trendy sync conflicts lists them.")
    }
    let container = try openStore()
    var conflicts = try ids.map { try conflict($0, in: container) }
    var left = 0
    if ids.isEmpty {
      let open = try container.recorder.openConflicts()
      conflicts = open.filter(isMeant)
      left = open.count - conflicts.count
    }
    var seen: Set<String> = []
    conflicts.removeAll { !seen.insert($0.id).inserted }
    for conflict in conflicts { try carryOut(container.recorder, conflict.id) }
    if !conflicts.isEmpty { container.agent.send() }
    if console.isJSON {
      console.document(
        "trendy.decided/1", [("conflicts", .array(conflicts.map { json($0) })), ("left", .number(left))])
    }
    for conflict in conflicts { console.done("\(words): \(conflict.kept.keys.sorted().joined(separator: ", "))") }
    if conflicts.isEmpty { console.text("Nothing waits for such a decision.") }
    if left > 0 { console.text("Left as they are: \(left), for which that is no decision.") }
    return .done
  }

  fileprivate func tell(
    _ conflict: OpenConflict, _ store: any DataStoreProtocol, isDetailed: Bool = false
  ) throws {
    let kind = conflict.entityType.rawValue.replacing("_", with: " ")
    let moment = conflict.recordedAt.map { ", \(local.dayAndTime($0))" } ?? ""
    console.text("\(conflict.id)  \(kind) \(try name(of: conflict, store))\(moment)")
    console.text("  \(conflict.reason)")
    for field in conflict.kept.keys.sorted() {
      let kept = words(conflict.kept[field])
      let present = conflict.present.isEmpty ? "not shown" : words(conflict.present[field])
      let name = field.replacing("_", with: " ")
      guard isDetailed else {
        console.text("  \(name): kept \(kept), shown \(present)")
        continue
      }
      console.text("  \(name)")
      console.text("    kept:  \(kept), \(words(conflict.keptBy))")
      let writer = conflict.presentBy[field].map { ", \(words($0))" } ?? ""
      console.text("    shown: \(conflict.present.isEmpty ? "it is deleted" : "\(present)\(writer)")")
    }
    guard isDetailed else { return }
    console.text("What you can do: trendy sync conflicts …")
    if conflict.mine != nil {
      console.text("  keep mine \(conflict.id)    keep theirs \(conflict.id)")
    }
    if conflict.present.isEmpty { console.text("  restore \(conflict.id)  brings it back, with the kept value in it") }
    console.text("  retry \(conflict.id)  writes the kept value    drop \(conflict.id)  lets it go")
  }

  /// `written on this device, Fri 20 Nov 08:30`.
  private func words(_ writer: OpenConflict.Writer) -> String {
    let place =
      writer.isThisDevice
      ? "on this device" : writer.device.map { "on another device (\($0.suffix(6)))" } ?? "elsewhere"
    return "written \(place)" + (writer.date.map { ", \(local.dayAndTime($0))" } ?? "")
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

  fileprivate func json(_ run: SyncRun) -> JSONText {
    .object([
      ("started_at", .string(local.rfc3339(run.startedAt))), ("ended_at", .string(local.rfc3339(run.endedAt))),
      ("pushed", .number(run.pushed)), ("pulled", .number(run.pulled)), ("error", .string(run.error)),
    ])
  }
}
