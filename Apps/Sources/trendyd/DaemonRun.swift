import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
import Foundation
import HubContainer
import NetworkContainer
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyProtocols

/// `trendyd run`: runs the hub, the agent or both until stopped.
struct DaemonRun {
  enum Role: String, CaseIterable {
    case agent
    case hub
    case both
  }

  let role: Role
  let settings: HubSettings
  let hubDirectory: URL
  let storeDirectory: URL
  /// Socket of the service manager for the hub.
  let listener: Int32?
  let receivers: Receivers.Sources
  let files: RuntimeFiles
  /// Settings that can change while the daemon runs.
  let present: RunSettings
  let hooks: HookOptions
  /// Path of the log file; `nil` for standard error.
  let logPath: String?
  let logForm: LogForm
  let environment: [String: String]
  let console: Console
  private let vitals = Watchdog()

  func run() async throws {
    let bounds = try bounds()
    let writer = try LogWriter(path: logPath, form: logForm)
    var console = console
    console.logSink = { writer.log($0, $1, $2) }
    let manager = try ServiceManager(environment: environment, parts: parts) { [console] in
      console.talk($0, level: .warning)
    }
    // Without a log file, a closed terminal ends the process as usual.
    if logPath != nil || manager.isPresent || isatty(STDIN_FILENO) == 0 { Signals.takeHangUp() }
    let log = HubLog(writer: writer, console: console).log
    let hub = role == .agent ? nil : HubContainer(directory: hubDirectory, database: settings.storage, bounds: bounds)
    var server: HubServer?
    do {
      if let hub { server = try await start(hub, bounds: bounds, log: log, manager) }
    } catch {
      writer.start()
      writer.finish(atMost: Self.logSeconds)
      throw error
    }
    // The address is logged before the first request.
    writer.start()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await work(hub: hub, server: server, log: log, console: console, writer: writer, manager))
    } catch {
      outcome = .failure(error)
    }
    // Needed if an error rather than a signal ended the work.
    await server?.stop()
    writer.finish(atMost: Self.logSeconds)
    try outcome.get()
  }

  private var parts: Set<ServiceManager.Part> {
    var parts: Set<ServiceManager.Part> = role == .agent ? [.agent] : role == .hub ? [.hub] : [.agent, .hub]
    if receivers.listen != nil { parts.insert(.ingest) }
    return parts
  }

  /// Seconds for the remaining log lines at exit.
  private static let logSeconds: TimeInterval = 0.5

  /// Limits from the number of descriptors, which is raised first.
  private func bounds() throws(CommandError) -> ResourceBounds {
    try ResourceBounds(
      descriptors: ResourceBounds.raiseDescriptorLimit(), connections: settings.connections())
  }

  private func start(
    _ hub: HubContainer, bounds: ResourceBounds, log: @escaping AccessLog, _ manager: ServiceManager
  ) async throws -> HubServer {
    let server = try hub.makeServer(settings: settings, bounds: bounds, listener: listener, log: log)
    let endpoint = try settings.endpoint()
    let port = try await server.start()
    let outside = try settings.url(port: port)
    do {
      try hub.note(HubContainer.Serving(port: port, deviceURL: outside))
    } catch {
      // Only `pair` reads it; otherwise it uses the saved settings.
      console.talk("Hub: \(error)")
    }
    let url = HubSettings.url(address: endpoint.address, port: port)
    if console.isJSON {
      console.document(
        "trendyd.run/1",
        [
          ("role", .string(role.rawValue)), ("url", .string(url)), ("data", .string(hub.directory.path)),
          ("device_url", .string(outside)),
        ])
    }
    let place = endpoint.isWildcard ? "all networks of this machine, port \(port)" : url
    console.done("Hub is listening at \(place). Data: \(hub.place)")
    if endpoint.path == nil { console.done("In a browser:  \(url)/") }
    let asked = endpoint.path.map { "--unix-socket \($0) http://localhost" } ?? url
    console.done("Health check:  curl \(asked)/api/v1/health")
    console.done("To pair a device:  trendyd pair")
    if let hint = try settings.missingAddressHint(port: port) { console.talk(hint) }
    vitals.set({ try await server.turn() }, of: .hub)
    manager.say("Hub at \(place)", of: .hub)
    manager.ready(.hub)
    return server
  }

  /// Returns when the process is asked to terminate.
  private func work(
    hub: HubContainer?, server: HubServer?, log: @escaping AccessLog, console: Console, writer: LogWriter,
    _ manager: ServiceManager
  ) async throws {
    // With the usual limits, including the remaining log lines, less than a second.
    let limits = try settings.httpLimits()
    let grace = max(.milliseconds(750), limits.stopDeadline + limits.lastWordsDeadline + .milliseconds(150))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await Signals.termination(atMost: grace, onHangUp: { manager.reload { onHangUp(writer, console) } }) {
          console.talk(
            "Background work did not finish in time and will be repeated at the next start. "
              + "No acknowledged data is lost.", level: .warning)
          writer.finish(atMost: 0.2)
          _exit(ExitCode.done.rawValue)
        }
        manager.stopping()
        // Before background work has ended, which may take longer.
        await server?.stop()
      }
      if let hub, let server {
        // Disk access runs on separate threads, so that a slow disk blocks neither the runtime nor requests.
        group.addTask { await tidy(server, hub.clock, console) }
        group.addTask {
          await maintain(every: Self.hubMaintenance, hub.clock, console) {
            try await server.runApart {
              let isMore = try hub.maintainStorage()
              if !isMore { hub.releaseMemory() }
              return isMore
            }
          }
        }
        group.addTask { await releaseFiles(of: hub) }
        group.addTask { await look(at: server, of: hub, console) }
        group.addTask {
          await server.deliverWebhooks(by: HTTPWebhookSender(clock: hub.clock)) {
            console.talk("Hub: \($0)", level: .error)
          }
        }
      }
      // An agent has its own control socket.
      let socket = role == .hub ? openControl(console) : nil
      defer { socket?.close() }
      if role != .hub { group.addTask { try await runAgent(log: log, console: console, manager) } }
      if manager.heartbeatInterval != nil {
        group.addTask { await vitals.report(to: manager, clock: SystemTime()) { console.talk($0, level: .error) } }
      }
      // The first task to end is the termination request; a failed agent throws and cancels the others.
      try await group.next()
      group.cancelAll()
    }
  }

  private func runAgent(log: @escaping AccessLog, console: Console, _ manager: ServiceManager) async throws {
    let network = NetworkContainer(app: try AppContainer(storeDirectory: storeDirectory))
    let intake = SharedIntake(network.app.record)
    let runner = HookRunner(
      folder: hooks.folder, environment: environment, deadline: hooks.deadline, storeDirectory: storeDirectory,
      console: console)
    let hooks = HookNews(runner: runner, record: network.app.record)
    try await withThrowingTaskGroup(of: Void.self) { agent in
      agent.addTask {
        try await Agent(
          network: network, intake: intake, files: files, present: present, manager: manager, vitals: vitals,
          hooks: hooks, counts: StoreLocation.counts(environment: environment), console: console
        ).run()
      }
      agent.addTask {
        await maintain(every: .seconds(60), network.app.clock, console) { try network.app.record.maintain() }
      }
      agent.addTask {
        await ExportMaker(app: network.app, present: present, environment: runner.environment, console: console).run()
      }
      // Also without a source: positions added by commands are processed again as time passes.
      agent.addTask {
        try await Receivers(
          app: network.app, shared: intake, sources: receivers, console: console, log: log,
          onListening: { manager.ready(.ingest) }
        ).run()
      }
      defer { agent.cancelAll() }
      // Not `waitForAll()`, which waits for the others after one has thrown.
      for try await _ in agent {}
    }
  }

  /// At the start and every minute: erases removed users and applies timeouts to posted positions.
  private func look(at server: HubServer, of hub: HubContainer, _ console: Console) async {
    while !Task.isCancelled {
      do {
        let erased = try await server.runApart { try hub.erasePeople() }
        for user in erased { console.talk("Hub: erased all data of \(user.name).") }
      } catch {
        console.talk("Hub: cannot erase removed users: \(error); next attempt in a minute", level: .error)
      }
      do {
        try await server.runApart { try await hub.ingest.tick(at: server) }
      } catch is CancellationError {
        return
      } catch {
        console.talk("Hub: cannot process posted positions: \(error)", level: .error)
      }
      // The loop checks for cancellation.
      try? await hub.clock.sleep(for: .seconds(60))
    }
  }

  /// At the start and daily: compacts old tombstones in steps.
  private func tidy(_ server: HubServer, _ clock: any TimeSource, _ console: Console) async {
    while !Task.isCancelled {
      do {
        while try await server.runApart({ try server.compact() }), !Task.isCancelled {}
      } catch {
        // Not urgent; retried the next day.
        _ = console.report(CommandError(describingHub: error) ?? CommandError("\(error)", exit: .readWrite))
      }
      // The loop checks for cancellation.
      try? await clock.sleep(for: .seconds(86_400))
    }
  }

  /// Hub storage keeps recent writes in memory.
  private static let hubMaintenance: Duration = .seconds(15)

  /// At the start and regularly: storage maintenance in steps.
  private func maintain(
    every interval: Duration, _ clock: any TimeSource, _ console: Console, step: @Sendable () async throws -> Bool
  ) async {
    while !Task.isCancelled {
      do {
        while try await step(), !Task.isCancelled { await Task.yield() }
      } catch {
        // Not urgent; a problem that affects saves is reported by them.
        _ = console.report(CommandError("\(error)", exit: .readWrite))
      }
      ProcessMemory.giveBack()
      // The loop checks for cancellation.
      try? await clock.sleep(for: interval)
    }
  }

  /// Resident bytes of mapped files above which a hub releases them, including 17 MB of its own code. The kernel maps
  /// 64 KiB or more per page fault and reclaims nothing while memory is free.
  private static let mostMapped = 24 << 20

  private func releaseFiles(of hub: HubContainer) async {
    var checksLeft = 0
    // The clock throws only when the task is cancelled.
    while (try? await hub.clock.sleep(for: checksLeft > 0 ? .milliseconds(50) : .seconds(1))) != nil {
      if ProcessMemory.mappedBytes > Self.mostMapped {
        hub.releaseMemory()
        checksLeft = Self.checksWhileBusy
      } else {
        checksLeft = max(0, checksLeft - 1)
      }
    }
  }

  /// Interval of checks after a release, twenty per second: a list of 50 scattered entries maps 10 MB, a search twice
  /// that.
  private static let checksWhileBusy = 40
}
