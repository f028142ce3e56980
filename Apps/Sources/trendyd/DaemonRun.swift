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

/// One run of the daemon (`trendyd run`): the hub, the agent or both.
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
  /// Listening socket for the hub, inherited from the service manager, or `nil` to open one.
  let listener: Int32?
  let receivers: Receivers.Sources
  let files: RuntimeFiles
  /// Reloadable settings.
  let present: RunSettings
  let hooks: HookOptions
  /// Path of the log file, or `nil` for standard error.
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
    // In a terminal without a log file, SIGHUP keeps its default effect: closing the terminal ends the daemon.
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
    // The log starts only now, so that the hub's URL is printed before the first request is logged.
    writer.start()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await work(hub: hub, server: server, log: log, console: console, writer: writer, manager))
    } catch {
      outcome = .failure(error)
    }
    // The server is still running if an error rather than a signal ended the run.
    await server?.stop()
    writer.finish(atMost: Self.logSeconds)
    try outcome.get()
  }

  private var parts: Set<ServiceManager.Part> {
    var parts: Set<ServiceManager.Part> = role == .agent ? [.agent] : role == .hub ? [.hub] : [.agent, .hub]
    if receivers.listen != nil { parts.insert(.ingest) }
    return parts
  }

  /// Maximum time in seconds for writing remaining log lines before the process exits.
  private static let logSeconds: TimeInterval = 0.5

  /// Raises the limit on open descriptors and divides them among connections and files.
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
      // Continue after this error, because only `trendyd pair` reads the recorded URL, and it can use the saved
      // settings instead.
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

  /// Runs the hub and the agent until the process receives a termination signal.
  private func work(
    hub: HubContainer?, server: HubServer?, log: @escaping AccessLog, console: Console, writer: LogWriter,
    _ manager: ServiceManager
  ) async throws {
    // With default limits, the process exits in less than a second, including writing the remaining log lines.
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
        // Stop accepting requests now, because background tasks may take longer to finish.
        await server?.stop()
      }
      if let hub, let server {
        // Disk access runs on separate threads, so a slow disk delays neither the concurrency runtime nor requests.
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
      // If there is an agent, its control socket also serves the hub.
      let socket = role == .hub ? openControl(console) : nil
      defer { socket?.close() }
      if role != .hub { group.addTask { try await runAgent(log: log, console: console, manager) } }
      if manager.heartbeatInterval != nil {
        group.addTask { await vitals.report(to: manager, clock: SystemTime()) { console.talk($0, level: .error) } }
      }
      // The first task to end is the one waiting for a termination signal. If the agent fails, its error is thrown
      // here, which cancels the other tasks.
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
      // Needed even without sources, because positions added by commands must be reprocessed as time passes.
      agent.addTask {
        try await Receivers(
          app: network.app, shared: intake, sources: receivers, console: console, log: log,
          onListening: { manager.ready(.ingest) }
        ).run()
      }
      defer { agent.cancelAll() }
      // `waitForAll()` would not throw a task's error until all other tasks have finished.
      for try await _ in agent {}
    }
  }

  /// Erases removed users and applies timeouts to positions posted by trackers, at startup and every minute.
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
      // The loop condition checks for cancellation.
      try? await hub.clock.sleep(for: .seconds(60))
    }
  }

  /// Compacts old tombstones in small steps, at startup and daily.
  private func tidy(_ server: HubServer, _ clock: any TimeSource, _ console: Console) async {
    while !Task.isCancelled {
      do {
        while try await server.runApart({ try server.compact() }), !Task.isCancelled {}
      } catch {
        // Report the error and try again a day later, because compaction is not urgent.
        _ = console.report(CommandError(describingHub: error) ?? CommandError("\(error)", exit: .readWrite))
      }
      // The loop condition checks for cancellation.
      try? await clock.sleep(for: .seconds(86_400))
    }
  }

  /// Interval of storage maintenance on a hub, which is short because the storage keeps recent writes in memory.
  private static let hubMaintenance: Duration = .seconds(15)

  private func maintain(
    every interval: Duration, _ clock: any TimeSource, _ console: Console, step: @Sendable () async throws -> Bool
  ) async {
    while !Task.isCancelled {
      do {
        while try await step(), !Task.isCancelled { await Task.yield() }
      } catch {
        // Not urgent. If saves fail with the same error, they report it too.
        _ = console.report(CommandError("\(error)", exit: .readWrite))
      }
      ProcessMemory.giveBack()
      // The loop condition checks for cancellation.
      try? await clock.sleep(for: interval)
    }
  }

  /// Maximum resident size of mapped files in bytes before the hub releases pages, including 17 MB of its own code.
  ///
  /// The hub releases pages itself, because the kernel maps at least 64 KiB per page fault and unmaps nothing while
  /// memory is free.
  private static let maxMappedBytes = 24 << 20

  private func releaseFiles(of hub: HubContainer) async {
    var checksLeft = 0
    // The sleep throws only when the task is cancelled.
    while (try? await hub.clock.sleep(for: checksLeft > 0 ? .milliseconds(50) : .seconds(1))) != nil {
      if ProcessMemory.mappedBytes > Self.maxMappedBytes {
        hub.releaseMemory()
        checksLeft = Self.checksWhileBusy
      } else {
        checksLeft = max(0, checksLeft - 1)
      }
    }
  }

  /// Number of checks after a release, at 20 per second. Requests may map pages again quickly: a list of 50 scattered
  /// entries maps 10 MB, a search twice as much.
  private static let checksWhileBusy = 40
}
