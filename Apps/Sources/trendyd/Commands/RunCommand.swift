import AgentLink
import CommandSupport
import HubContainer

struct RunCommand: DaemonCommand {
  static let spec = CommandSpec(
    "run", summary: "Run the agent, the hub, or both, until stopped.", group: .run,
    examples: ["run", "run --role hub --listen 0.0.0.0:8787", "run --role both --ingest 127.0.0.1:8788"],
    options: [
      OptionSpec(
        "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
        help: "agent, hub or both (default agent)")
    ] + OptionSpec.hubSettings + [
      OptionSpec(
        "--log", value: "file", kind: .file,
        help: "write the log to this file instead of standard error; SIGHUP reopens it")
    ] + LogForm.options + [
      .data, .store,
      OptionSpec(
        "--poll", value: "duration", kind: .duration,
        help: "interval between syncs of the agent while there are no changes (default 1m)"),
    ] + Receivers.Sources.options + HookOptions.options + [.status])

  private let options: RunOptions

  init(_ session: DaemonSession) throws { options = try RunOptions(session) }

  func act(_ session: DaemonSession) async throws {
    let isHub = options.role != .agent
    if isHub { _ = try session.servedHub() }
    let sockets = try InheritedSockets(environment: session.environment, role: options.role)
    var settings = try isHub ? session.hubSettings() : HubSettings()
    if let hub = sockets.hub { settings.listen = hub.endpoint }
    var receivers = options.receivers
    if let ingest = sockets.ingest {
      receivers.listen = (ingest.address, ingest.port)
      receivers.listener = ingest.descriptor
    }
    try await DaemonRun(
      role: options.role, settings: settings, hubDirectory: session.hub.directory,
      storeDirectory: session.storeDirectory, listener: sockets.hub?.descriptor, receivers: receivers,
      files: session.runtimeFiles, present: RunSettings(session, options), hooks: options.hooks,
      logPath: options.logPath, logForm: options.logForm, environment: session.environment, console: session.console
    ).run()
  }

  /// Prints nothing, because the daemon prints its output while it is running.
  func show(_ answer: Void, _ session: DaemonSession) -> ExitCode { .done }
}
