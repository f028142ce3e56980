import AgentLink
import CommandSupport
import HubContainer

/// `trendyd run`
struct RunCommand: DaemonCommand {
  static let spec = CommandSpec(
    "run", summary: "Serve, sync, or both, until it is asked to end.", group: .run,
    examples: ["run", "run --role hub --listen 0.0.0.0:8787", "run --role both --ingest 127.0.0.1:8788"],
    options: [
      OptionSpec(
        "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
        help: "agent, hub or both (agent)")
    ] + OptionSpec.hubSettings + [
      OptionSpec(
        "--log", value: "file", kind: .file,
        help: "write the log there and not to the standard error; SIGHUP opens it anew")
    ] + LogForm.options + [
      .data, .store,
      OptionSpec(
        "--poll", value: "duration", kind: .duration,
        help: "how often the agent asks the hub when nothing happens (1m)"),
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

  /// It prints while it serves.
  func show(_ answer: Void, _ session: DaemonSession) -> ExitCode { .done }
}
