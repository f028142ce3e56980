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

/// The work of `trendyd run`: serves, syncs, or both, until it is asked to end.
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
  /// Of the hub, where the service manager listens for it.
  let listener: Int32?
  let receivers: Receivers.Sources
  let files: RuntimeFiles
  /// What can change while it runs.
  let present: RunSettings
  let hooks: HookOptions
  /// Of the log; `nil` for the standard error.
  let logPath: String?
  let logForm: LogForm
  let environment: [String: String]
  let console: Console
  private let vitals = Vitals()

  func run() async throws {
    let bounds = try bounds()
    let writer = try LogWriter(path: logPath, form: logForm)
    var console = console
    console.logSink = { writer.log($0, $1, $2) }
    let manager = try ServiceManager(environment: environment, parts: parts) { [console] in
      console.talk($0, level: .warning)
    }
    // In a terminal that is closed, it ends as every program does.
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
    // The place where it listens is said before the requests that it is asked.
    writer.start()
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await work(hub: hub, server: server, log: log, console: console, writer: writer, manager))
    } catch {
      outcome = .failure(error)
    }
    // Once more where an error ended the work and not a signal.
    await server?.stop()
    writer.finish(atMost: Self.logSeconds)
    try outcome.get()
  }

  private var parts: Set<ServiceManager.Part> {
    var parts: Set<ServiceManager.Part> = role == .agent ? [.agent] : role == .hub ? [.hub] : [.agent, .hub]
    if receivers.listen != nil { parts.insert(.ingest) }
    return parts
  }

  /// Seconds for what is still to be logged at the end.
  private static let logSeconds: TimeInterval = 0.5

  /// What descriptors there are for; raises their number first.
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
      // Read by `pair` alone, which then goes by what was kept.
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
    let place = endpoint.isWildcard ? "every network of this machine, port \(port)" : url
    console.done("Hub listens at \(place); its data is in \(hub.place).")
    if endpoint.path == nil { console.done("In a browser:  \(url)/") }
    let asked = endpoint.path.map { "--unix-socket \($0) http://localhost" } ?? url
    console.done("Is it well?  curl \(asked)/api/v1/health")
    console.done("One more device:  trendyd pair")
    if let hint = try settings.missingAddressHint(port: port) { console.talk(hint) }
    vitals.set({ try await server.turn() }, of: .hub)
    manager.say("Hub at \(place)", of: .hub)
    manager.ready(.hub)
    return server
  }

  /// Returns when the process is asked to end.
  private func work(
    hub: HubContainer?, server: HubServer?, log: @escaping AccessLog, console: Console, writer: LogWriter,
    _ manager: ServiceManager
  ) async throws {
    // With the usual limits, and what is then still to be logged, less than a second.
    let limits = try settings.httpLimits()
    let grace = max(.milliseconds(750), limits.stopDeadline + limits.lastWordsDeadline + .milliseconds(150))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await Signals.termination(atMost: grace, onHangUp: { manager.reload { onHangUp(writer, console) } }) {
          console.talk(
            "What was at work did not end in time and is left; it is done at the next start. "
              + "Nothing acknowledged is lost.", level: .warning)
          writer.finish(atMost: 0.2)
          _exit(ExitCode.done.rawValue)
        }
        manager.stopping()
        // Before the work that goes on beside it has ended, which may take its time.
        await server?.stop()
      }
      if let hub, let server {
        // What touches the disk runs apart: a slow one keeps no thread of the runtime, and no request waits for it.
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
          await server.deliverWebhooks(by: WebhookCourier(clock: hub.clock)) {
            console.talk("Hub: \($0)", level: .error)
          }
        }
      }
      // An agent has one of its own.
      let socket = role == .hub ? openControl(console) : nil
      defer { socket?.close() }
      if role != .hub { group.addTask { try await runAgent(log: log, console: console, manager) } }
      if manager.heartbeatInterval != nil {
        group.addTask { await vitals.report(to: manager, clock: SystemTime()) { console.talk($0, level: .error) } }
      }
      // The first to end is the asking; an agent that cannot go on throws and ends the rest.
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
      // Also without a source: what the command line adds is looked through again when time has passed.
      agent.addTask {
        try await Receivers(
          app: network.app, shared: intake, sources: receivers, console: console, log: log,
          onListening: { manager.ready(.ingest) }
        ).run()
      }
      defer { agent.cancelAll() }
      // Not `waitForAll()`, which waits for the others when one has thrown.
      for try await _ in agent {}
    }
  }

  /// At the start and once a minute: erases who was removed for that, and lets time do its part for what devices
  /// posted.
  private func look(at server: HubServer, of hub: HubContainer, _ console: Console) async {
    while !Task.isCancelled {
      do {
        let erased = try await server.runApart { try hub.erasePeople() }
        for person in erased { console.talk("Hub: everything of \(person.name) is erased.") }
      } catch {
        console.talk("Hub: who was removed could not be erased: \(error); it is tried again in a minute", level: .error)
      }
      do {
        try await server.runApart { try await hub.ingest.tick(at: server) }
      } catch is CancellationError {
        return
      } catch {
        console.talk("Hub: what was posted could not be looked through: \(error)", level: .error)
      }
      // Cancelled is seen by the loop.
      try? await hub.clock.sleep(for: .seconds(60))
    }
  }

  /// At the start and once a day: what was deleted long ago shrinks, a piece at a time.
  private func tidy(_ server: HubServer, _ clock: any TimeSource, _ console: Console) async {
    while !Task.isCancelled {
      do {
        while try await server.runApart({ try server.compact() }), !Task.isCancelled {}
      } catch {
        // Nobody waits for it, and nothing is lost by waiting for tomorrow.
        _ = console.report(CommandError(describingHub: error) ?? CommandError("\(error)", exit: .readWrite))
      }
      // Cancelled is seen by the loop.
      try? await clock.sleep(for: .seconds(86_400))
    }
  }

  /// A hub that many write to has in memory what they wrote since.
  private static let hubMaintenance: Duration = .seconds(15)

  /// At the start and again and again: what was saved is made quick to open, a piece at a time.
  private func maintain(
    every interval: Duration, _ clock: any TimeSource, _ console: Console, step: @Sendable () async throws -> Bool
  ) async {
    while !Task.isCancelled {
      do {
        while try await step(), !Task.isCancelled { await Task.yield() }
      } catch {
        // Nothing is lost by waiting for the next time; what stands in the way of saves too is said by those.
        _ = console.report(CommandError("\(error)", exit: .readWrite))
      }
      ProcessMemory.giveBack()
      // Cancelled is seen by the loop.
      try? await clock.sleep(for: interval)
    }
  }

  /// Resident bytes of mapped files above which a hub releases them, some 17 MB of its own code among them: the kernel maps 64 KiB or
  /// more at each page fault, and takes nothing back while memory is free.
  private static let mostMapped = 24 << 20

  private func releaseFiles(of hub: HubContainer) async {
    var checksLeft = 0
    // Until the task is cancelled, which is all that the clock throws.
    while (try? await hub.clock.sleep(for: checksLeft > 0 ? .milliseconds(50) : .seconds(1))) != nil {
      if ProcessMemory.mappedBytes > Self.mostMapped {
        hub.releaseMemory()
        checksLeft = Self.checksWhileBusy
      } else {
        checksLeft = max(0, checksLeft - 1)
      }
    }
  }

  /// How often it is looked again, twenty times a second, after files were released: a page of 50 entries that lie anywhere maps 10 MB,
  /// a search twice that.
  private static let checksWhileBusy = 40
}
