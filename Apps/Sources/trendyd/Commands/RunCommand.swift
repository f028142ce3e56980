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
    ] + Receivers.Sources.options + HookOptions.options + [
      OptionSpec(
        "--notify", value: "on|off", kind: .oneOf(["on", "off"]),
        help: "show on the desktop that a trip or a visit begins and ends (on)"),
      .status,
    ])

  private let role: DaemonRun.Role
  private let pollInterval: Duration
  private let receivers: Receivers.Sources
  /// Whether trips and places are put on the desktop.
  private let isNotifying: Bool
  private let hooks: HookOptions
  private let logPath: String?
  private let logForm: LogForm

  init(_ session: DaemonSession) throws {
    guard let role = DaemonRun.Role(rawValue: session.arguments.value("--role") ?? "agent") else {
      throw session.invalid("--role", hint: "It is agent, hub or both.")
    }
    self.role = role
    _ = try session.saidSettings()
    guard let seconds = DurationPhrase.seconds(session.arguments.value("--poll") ?? "1m"),
      (1...86_400).contains(seconds)
    else { throw session.invalid("--poll", hint: "It is a duration from 1s to 1d.") }
    pollInterval = .seconds(seconds)
    receivers = try Receivers.Sources(session)
    guard role != .hub || receivers.isEmpty else {
      throw CommandError(
        "--ingest, --gpsd and --nmea are the agent's", hint: "A hub takes in at its own address: --role both for both.",
        exit: .usage)
    }
    switch session.arguments.value("--notify") ?? session.environment["TRENDY_NOTIFY"] ?? "on" {
    case "on", "": isNotifying = true
    case "off": isNotifying = false
    default: throw session.invalid("--notify", hint: "It is on or off.")
    }
    hooks = try HookOptions(session)
    logPath = session.arguments.value("--log")
    logForm = try LogForm(session)
  }

  func act(_ session: DaemonSession) async throws {
    let isHub = role != .agent
    if isHub { _ = try session.servedHub() }
    let sockets = try InheritedSockets(environment: session.environment, role: role)
    var settings = try isHub ? session.hubSettings() : HubSettings()
    if let hub = sockets.hub { settings.listen = hub.endpoint }
    var receivers = receivers
    if let ingest = sockets.ingest {
      receivers.listen = (ingest.address, ingest.port)
      receivers.listener = ingest.descriptor
    }
    try await DaemonRun(
      role: role, settings: settings, hubDirectory: session.hub.directory, storeDirectory: session.storeDirectory,
      listener: sockets.hub?.descriptor, receivers: receivers, files: session.runtimeFiles,
      notifier: isNotifying ? DesktopNotifier(environment: session.environment) : nil, pollInterval: pollInterval,
      hooks: hooks,
      logPath: logPath, logForm: logForm, environment: session.environment, console: session.console
    ).run()
  }

  /// It prints while it serves.
  func show(_ answer: Void, _ session: DaemonSession) -> ExitCode { .done }
}
