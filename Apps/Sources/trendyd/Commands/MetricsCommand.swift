import AgentLink
import AppContainer
import CommandSupport
import Foundation
import HubContainer
import TrendyAgent
import TrendyHub
import TrendyModels
import TrendyProtocols

struct MetricsCommand: DaemonCommand {
  static let spec = CommandSpec(
    "metrics", summary: "Print metrics of the agent and the hub for Prometheus.", group: .run,
    examples: ["metrics", "metrics --role agent"],
    options: [
      OptionSpec(
        "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
        help: "agent, hub or both (default: whichever exists)"), .data, .store,
    ])

  /// Part of the daemon to print metrics for, or `nil` for every part that has data on this machine.
  private let role: DaemonRun.Role?

  init(_ session: DaemonSession) throws {
    role = try session.arguments.value("--role").map { word throws(CommandError) in
      guard let role = DaemonRun.Role(rawValue: word) else {
        throw session.invalid("--role", hint: "Use agent, hub or both.")
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
          "No store found at \(session.storeDirectory.path)", hint: "Create one: trendy init", exit: .notFound)
      }
      try addAgent(of: AppContainer(storeDirectory: session.storeDirectory), to: &text)
    }
    if try role.map({ $0 != .agent }) ?? session.hub.exists() { try addHub(session.existingHub(), to: &text) }
    guard !text.isEmpty else {
      throw CommandError(
        "No store and no hub found", hint: "Create one: trendy init, or trendyd hub init", exit: .notFound)
    }
    return text
  }

  private func addAgent(of app: AppContainer, to text: inout PrometheusText) throws {
    let counts = try app.makeStore().syncCounts()
    let runs = app.syncHistory.load()
    text.gauge("trendy_agent_up", "Whether an agent is running for the store.", app.agent.isHeard ? 1 : 0)
    text.gauge(
      "trendy_sync_connected", "Whether the store is connected to a hub.", try app.accountFile.load() == nil ? 0 : 1)
    text.gauge("trendy_sync_waiting_changes", "Changes not yet acknowledged by the hub.", Double(counts.pending))
    text.gauge("trendy_sync_conflicts", "Unresolved conflicts.", Double(counts.conflicts))
    text.gauge("trendy_sync_parked_entries", "Entries of the hub that cannot be applied yet.", Double(counts.parked))
    if let last = runs.last {
      text.gauge("trendy_sync_failing", "Whether the last sync failed.", last.error == nil ? 0 : 1)
      text.gauge(
        "trendy_sync_last_duration_seconds", "Duration of the last sync.",
        last.endedAt.timeIntervalSince(last.startedAt))
      text.gauge("trendy_sync_last_pushed_changes", "Changes acknowledged in the last sync.", Double(last.pushed))
      text.gauge("trendy_sync_last_pulled_entries", "Entries received in the last sync.", Double(last.pulled))
    }
    if let last = runs.last(where: { $0.error == nil }) {
      text.gauge(
        "trendy_sync_last_success_timestamp_seconds", "Time of the last successful sync.",
        last.endedAt.timeIntervalSince1970)
    }
  }

  private func addHub(_ hub: HubContainer, to text: inout PrometheusText) throws {
    let devices = try hub.accounts.devices()
    text.gauge("trendy_hub_up", "Whether a hub is serving the folder.", hub.serving() == nil ? 0 : 1)
    text.gauge("trendy_hub_people", "Users of the hub.", Double(try hub.accounts.users().count))
    text.gauge(
      "trendy_hub_devices", "Devices with a valid token.", Double(devices.count { $0.revokedAt == nil }))
  }

  func show(_ answer: PrometheusText, _ session: DaemonSession) -> ExitCode {
    session.console.raw(answer.description)
    return .done
  }
}
