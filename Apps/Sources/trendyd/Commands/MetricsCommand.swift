import AgentLink
import AppContainer
import CommandSupport
import Foundation
import HubContainer
import TrendyAgent
import TrendyHub
import TrendyModels
import TrendyProtocols

/// `trendyd metrics`
struct MetricsCommand: DaemonCommand {
  static let spec = CommandSpec(
    "metrics", summary: "How the agent's store and the hub on this machine stand, for Prometheus.", group: .run,
    examples: ["metrics", "metrics --role agent"],
    options: [
      OptionSpec(
        "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
        help: "agent, hub or both (those that are here)"), .data, .store,
    ])

  /// `nil` for those that are here.
  private let role: DaemonRun.Role?

  init(_ session: DaemonSession) throws {
    role = try session.arguments.value("--role").map { word throws(CommandError) in
      guard let role = DaemonRun.Role(rawValue: word) else {
        throw session.invalid("--role", hint: "It is agent, hub or both.")
      }
      return role
    }
  }

  func act(_ session: DaemonSession) throws -> PrometheusText {
    var text = PrometheusText()
    let hasStore = FileManager.default.fileExists(atPath: session.storeDirectory.path)
    if role.map({ $0 != .hub }) ?? hasStore {
      guard hasStore else {
        throw CommandError(
          "There is no store at \(session.storeDirectory.path)", hint: "Make one: trendy init", exit: .notFound)
      }
      try addAgent(of: AppContainer(storeDirectory: session.storeDirectory), to: &text)
    }
    if try role.map({ $0 != .agent }) ?? session.hub.exists() { try addHub(session.existingHub(), to: &text) }
    guard !text.isEmpty else {
      throw CommandError(
        "There is neither a store nor a hub here", hint: "trendy init, or trendyd hub init", exit: .notFound)
    }
    return text
  }

  private func addAgent(of app: AppContainer, to text: inout PrometheusText) throws {
    let counts = try app.makeStore().syncCounts()
    let runs = app.syncHistory.load()
    text.gauge("trendy_agent_up", "Whether an agent runs for the store.", app.agent.isHeard ? 1 : 0)
    text.gauge("trendy_sync_connected", "Whether the store has a hub.", try app.accountFile.load() == nil ? 0 : 1)
    text.gauge("trendy_sync_waiting_changes", "Changes that the hub has not settled.", Double(counts.pending))
    text.gauge("trendy_sync_conflicts", "Conflicts that a person has not decided.", Double(counts.conflicts))
    text.gauge("trendy_sync_parked_entries", "Entries of the hub that cannot be applied yet.", Double(counts.parked))
    if let last = runs.last {
      text.gauge("trendy_sync_failing", "Whether the last round did not come to its end.", last.error == nil ? 0 : 1)
      text.gauge(
        "trendy_sync_last_duration_seconds", "Duration of the last round.",
        last.endedAt.timeIntervalSince(last.startedAt))
      text.gauge("trendy_sync_last_pushed_changes", "Changes that the last round settled.", Double(last.pushed))
      text.gauge("trendy_sync_last_pulled_entries", "Entries that the last round brought.", Double(last.pulled))
    }
    if let last = runs.last(where: { $0.error == nil }) {
      text.gauge(
        "trendy_sync_last_success_timestamp_seconds", "When a round last came to its end.",
        last.endedAt.timeIntervalSince1970)
    }
  }

  private func addHub(_ hub: HubContainer, to text: inout PrometheusText) throws {
    let devices = try hub.accounts.devices()
    text.gauge("trendy_hub_up", "Whether a hub serves the folder.", hub.serving() == nil ? 0 : 1)
    text.gauge("trendy_hub_people", "People who keep a record here.", Double(try hub.accounts.people().count))
    text.gauge(
      "trendy_hub_devices", "Devices that may come in.", Double(devices.count { $0.revokedAt == nil }))
  }

  func show(_ answer: PrometheusText, _ session: DaemonSession) -> ExitCode {
    session.console.raw(answer.description)
    return .done
  }
}
