import AgentLink
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct StatusCommand: DaemonCommand {
  static let spec = CommandSpec(
    "status", summary: "Show the status of the agent.", group: .run, examples: ["status", "status --json"],
    options: [.store, .status])

  struct Answer {
    var document: String
    var members: [String: JSONValue]
  }

  init(_ session: DaemonSession) {}

  func act(_ session: DaemonSession) throws(CommandError) -> Answer {
    let files = session.runtimeFiles
    guard let document = AgentConnection(files, asking: .status)?.next(),
      let members = AgentConnection.members(of: document)
    else {
      throw CommandError(
        "No agent is running for the store at \(session.storeDirectory.path)",
        hint: Self.hint(files, session.preferences.local()), exit: .unreachable)
    }
    if let error = members["error"]?.objectValue {
      throw CommandError(
        "The agent rejected the status request: \(error["message"]?.stringValue ?? document)",
        hint: "Run this command as the user that runs the agent.", exit: .refused)
    }
    return Answer(document: document, members: members)
  }

  /// Returns a hint on starting an agent. If the status file is valid, the hint includes when the last agent ended.
  private static func hint(_ files: RuntimeFiles, _ local: LocalTime) -> String {
    let hint = "Start it: trendyd run"
    guard let data = FileManager.default.contents(atPath: files.status.path),
      let status = AgentConnection.members(of: String(decoding: data, as: UTF8.self)),
      let written = status["written"]?.date
    else { return hint }
    let what = status["state"]?.stringValue == "ended" ? "The last agent stopped" : "The last agent was killed after"
    return "\(what) \(local.dayAndTime(written)). \(hint)"
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.data(answer.document)
      return .done
    }
    let preferences = session.preferences
    for line in answer.lines(in: preferences.local(), preferences.units, now: SystemTime().now) {
      session.console.text(line)
    }
    return .done
  }
}

extension StatusCommand.Answer {
  fileprivate func lines(in local: LocalTime, _ units: Units, now: Date) -> [String] {
    let start = members["started"]?.date.map { " since \(local.dayAndTime($0))" } ?? ""
    let trip = members["trip"].flatMap { AgentStatus.LiveTrip($0) }
    let lines = [
      "Agent: running (process \(members["pid"]?.intValue ?? 0))\(start)",
      "Store: \(members["store"]?.stringValue ?? "")",
      "Trip:  \(trip.map { LiveText.line($0, now: now, in: local, units) } ?? "none")",
    ]
    return lines + (members["today"]?.objectValue.map { [today($0)] } ?? []) + syncLines(in: local)
  }

  private func today(_ today: [String: JSONValue]) -> String {
    let types = (today["types"]?.arrayValue ?? []).compactMap(\.objectValue)
      .filter { ($0["count"]?.intValue ?? 0) > 0 }
      .map { "\($0["name"]?.stringValue ?? "") \($0["count"]?.intValue ?? 0)" }
    return "Today: \(types.isEmpty ? "no entries yet" : types.joined(separator: ", "))"
  }

  private func syncLines(in local: LocalTime) -> [String] {
    guard let sync = members["sync"]?.objectValue, let hub = sync["hub"]?.stringValue else {
      return ["Sync:  not connected to a hub"]
    }
    let last = sync["last_sync"]?.date.map { ", last \(local.dayAndTime($0))" } ?? ""
    let line = "Sync:  \(hub), \(sync["waiting"]?.intValue ?? 0) pending\(last)"
    return [line] + (sync["error"]?.stringValue.map { ["       last sync failed: \($0)"] } ?? [])
  }
}

extension JSONValue {
  fileprivate var date: Date? { stringValue.flatMap { RFC3339.date(from: $0) } }
}
