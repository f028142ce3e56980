import AgentLink
import TrendyAgent
import CommandSupport
import Foundation
import TrendyModels
import TrendyProtocols

/// `trendyd status`: what the agent of a store says of itself.
struct AgentStatusCommand {
  let files: RuntimeFiles
  let storeDirectory: URL
  let console: Console

  func run() throws(CommandError) -> ExitCode {
    guard let text = AgentConnection(files, asking: .status)?.next(), let status = Self.document(text) else {
      throw notRunning()
    }
    if console.isJSON {
      console.data(text)
      return .done
    }
    for line in lines(status) { console.text(line) }
    return .done
  }

  private func lines(_ status: [String: JSONValue]) -> [String] {
    let local = LocalTime()
    let now = SystemTime().now
    func date(_ value: JSONValue?) -> Date? { value?.stringValue.flatMap { RFC3339.date(from: $0) } }
    var lines = ["Agent: runs (process \(status["pid"]?.intValue ?? 0))"]
    if let started = date(status["started"]) { lines[0] += " since \(local.dayAndTime(started))" }
    lines.append("Store: \(status["store"]?.stringValue ?? "")")
    if let trip = status["trip"].flatMap({ AgentStatus.LiveTrip($0) }) {
      lines.append("Trip:  \(LiveText.line(trip, now: now, in: local))")
    } else {
      lines.append("Trip:  none goes on")
    }
    if let today = status["today"]?.objectValue {
      let types = (today["types"]?.arrayValue ?? []).compactMap(\.objectValue)
        .filter { ($0["count"]?.intValue ?? 0) > 0 }
        .map { "\($0["name"]?.stringValue ?? "") \($0["count"]?.intValue ?? 0)" }
      lines.append("Today: \(types.isEmpty ? "nothing yet" : types.joined(separator: ", "))")
    }
    guard let sync = status["sync"]?.objectValue, let hub = sync["hub"]?.stringValue else {
      return lines + ["Sync:  not connected to a hub"]
    }
    var words = "Sync:  \(hub), \(sync["waiting"]?.intValue ?? 0) waiting"
    if let last = date(sync["last_sync"]) { words += ", last \(local.dayAndTime(last))" }
    lines.append(words)
    if let error = sync["error"]?.stringValue { lines.append("Last try: \(error)") }
    return lines
  }

  private func notRunning() -> CommandError {
    var hint = "Start one: trendyd run"
    // A file that is not there, or is no status, says as little as no agent does.
    if let data = FileManager.default.contents(atPath: files.status.path),
      let status = Self.document(String(decoding: data, as: UTF8.self)),
      let written = status["written"]?.stringValue.flatMap({ RFC3339.date(from: $0) })
    {
      let what = status["state"]?.stringValue == "ended" ? "The last one ended" : "The last one was killed after"
      hint = "\(what) \(LocalTime().dayAndTime(written)). \(hint)"
    }
    return CommandError("No agent runs for the store at \(storeDirectory.path)", hint: hint, exit: .unreachable)
  }

  private static func document(_ text: String) -> [String: JSONValue]? {
    (try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)))?.objectValue  // what is no JSON is no status
  }
}
