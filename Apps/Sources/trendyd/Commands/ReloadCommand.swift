import AgentLink
import CommandSupport
import Foundation
import HubContainer
import TrendyModels

struct ReloadCommand: DaemonCommand {
  static let spec = CommandSpec(
    "reload", summary: "Reload the configuration of the running daemon.", group: .run,
    examples: ["reload", "reload --json"], options: [.store, .data])

  struct Answer {
    var document: String
    var members: [String: JSONValue]
  }

  init(_ session: DaemonSession) {}

  /// Sends the request to the store's agent or, if no agent is running, to the hub.
  func act(_ session: DaemonSession) throws(CommandError) -> Answer {
    let places = [session.runtimeFiles, RuntimeFiles(hubDirectory: session.hub.directory)]
    for files in places {
      guard let document = AgentConnection(files, asking: .reload)?.next(),
        let members = AgentConnection.members(of: document)
      else { continue }  // treat an invalid response as no response
      if let error = members["error"]?.objectValue {
        throw CommandError(
          "Configuration rejected; the previous one stays active: \(error["message"]?.stringValue ?? "")",
          hint: error["hint"]?.stringValue, exit: .configuration)
      }
      return Answer(document: document, members: members)
    }
    throw CommandError(
      "No daemon is running for the store at \(session.storeDirectory.path) or the hub at \(session.hub.directory.path)",
      hint: "Start it: trendyd run", exit: .unreachable)
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.data(answer.document)
      return .done
    }
    func keys(_ name: String) -> [String] { answer.members[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    session.console.done(RunSettings.Reload(changed: keys("changed"), waiting: keys("waiting")).words)
    return .done
  }
}
