import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
import Foundation
import NetworkContainer
import Synchronization
import TrendyModels
import TrendyProtocols
import TrendySync

/// Background process that syncs a store with its hub and publishes the live status to local programs.
struct Agent {
  let network: NetworkContainer
  let intake: SharedIntake
  let files: RuntimeFiles
  /// Reloadable settings.
  let present: RunSettings
  let manager: ServiceManager
  let vitals: Watchdog
  let hooks: HookNews
  /// Folder for cached daily counts.
  let counts: URL
  let console: Console

  /// Current sync engine, or `nil` while the store is not connected to a hub.
  private let engine = PresentEngine()
  private let errands = WakeSignal()

  init(
    network: NetworkContainer, intake: SharedIntake, files: RuntimeFiles, present: RunSettings,
    manager: ServiceManager, vitals: Watchdog, hooks: HookNews, counts: URL, console: Console
  ) {
    self.network = network
    self.intake = intake
    self.files = files
    self.present = present
    self.manager = manager
    self.vitals = vitals
    self.hooks = hooks
    self.counts = counts
    self.console = console
  }

  /// Runs the agent until the task is cancelled.
  func run() async throws {
    let app = network.app
    let lock = try await lockForSync()
    defer { withExtendedLifetime(lock) {} }
    let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let socket = try AgentSocket(app.agent) { looking.yield() }
    defer { socket.close() }
    let board = LiveStatusBroadcaster()
    let file = StatusFile(url: files.status, board: board)
    let desk = LiveStatusService(app.record, sources: sources, pid: ProcessInfo.processInfo.processIdentifier) {
      [manager, hooks] in
      file.show($0)
      hooks.take($0.sync)
      manager.say(Self.standing($0.sync), of: .agent)
    }
    let control = openControl(board, desk)
    defer { control?.close() }
    watch(desk)
    manager.ready(.agent)
    let outcome: Result<Void, any Error>
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await show(desk, in: file, looks: looks, looking: looking) }
        group.addTask {
          while let account = try await account(wakes: socket.wakes),
            try await sync(account, holding: lock, wakes: socket.wakes, looking: looking)
          {}
        }
        defer { group.cancelAll() }
        try await group.next()
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await desk.end()
    hooks.runner.end()
    try outcome.get()
  }

  /// Acquires the store's sync lock, waiting up to ten seconds. A `trendy sync` command releases the lock when it
  /// finishes, whereas another agent keeps it.
  private func lockForSync() async throws -> any Sendable {
    let app = network.app
    for attempt in 0..<40 {
      if let lock = try network.lockForSync() { return lock }
      if attempt == 0 { console.talk("Agent: waiting for another program that is syncing \(app.storeDirectory.path).") }
      try await app.clock.sleep(for: .milliseconds(250))
    }
    throw CommandError(
      "Another program is syncing the store at \(app.storeDirectory.path)",
      hint: "If that program is another agent, stop it first.", exit: .tryAgain)
  }

  private static func standing(_ sync: AgentStatus.Sync?) -> String {
    guard let hub = sync?.hub else { return "Agent: not connected to a hub" }
    let waiting = sync.map { $0.waiting == 0 ? "nothing pending" : "\($0.waiting) pending" } ?? ""
    return "Agent: \(hub), " + (sync?.error.map { "\(waiting), last sync failed: \($0)" } ?? waiting)
  }

  private func watch(_ desk: LiveStatusService) {
    vitals.set(
      { [engine, intake] in
        _ = await desk.isTripOpen
        _ = await engine.get()?.state
        try await intake.present()?.run { _ in }
      }, of: .agent)
  }

  // MARK: Sync

  /// Syncs until the task is cancelled, or until the hub's URL or the poll interval changes.
  private func sync(
    _ account: Account, holding lock: any Sendable, wakes: AsyncStream<Void>,
    looking: AsyncStream<Void>.Continuation
  ) async throws -> Bool {
    let app = network.app
    console.talk("Agent: \(app.storeDirectory.path) syncs with \(account.hubName).")
    let pollInterval = present.pollInterval
    let engine = try network.makeEngine(
      for: account, holding: lock, configuration: SyncConfiguration(pollInterval: pollInterval))
    self.engine.set(engine)
    defer { self.engine.set(nil) }
    let teller = Task { for await state in engine.states where state != .pulling { looking.yield() } }
    let courier = try network.makeCourier(for: account) { [hooks] name, notices in
      for notice in notices { hooks.call(notice, from: name) }
      looking.yield()
    }
    let carrier = Task { await carry(courier, for: account, every: pollInterval) }
    defer {
      teller.cancel()
      carrier.cancel()
    }
    await engine.start()
    for await _ in wakes {
      let found = try app.accountFile.load()
      // An engine's URL and poll interval are fixed, so changing either requires a new engine.
      guard found?.hub == account.hub, found?.allowsInsecureHTTP == account.allowsInsecureHTTP,
        present.pollInterval == pollInterval
      else {
        await engine.stop()
        return true
      }
      await engine.performSync()
    }
    await engine.stop()
    return false
  }

  /// Waits until the store is connected to a hub and returns the account, or `nil` if the task is cancelled.
  private func account(wakes: AsyncStream<Void>) async throws -> Account? {
    let app = network.app
    if let account = try app.accountFile.load() { return account }
    console.talk(
      "Agent: the store at \(app.storeDirectory.path) is not connected to a hub yet. To connect: trendy connect URL CODE"
    )
    for await _ in wakes {
      if let account = try app.accountFile.load() { return account }
    }
    return nil
  }

  /// Sends and receives companion notices: when there are notices to send, on a signal from the hub, and at the poll
  /// interval.
  private func carry(_ courier: CompanionTransport, for account: Account, every pollInterval: Duration) async {
    let clock = network.app.clock
    let (errand, errands) = (errands, errands.begin())
    let ticker = Task {
      while (try? await clock.sleep(for: pollInterval)) != nil { errand.send() }
    }
    var listener: Task<Void, Never>?
    var delay = Duration.seconds(1)
    var retry: Task<Void, Never>?
    defer {
      ticker.cancel()
      listener?.cancel()
      retry?.cancel()
    }
    errand.send()
    for await _ in errands {
      retry?.cancel()
      do {
        let isTold = try await courier.round()
        delay = .seconds(1)
        guard isTold, listener == nil else { continue }
        listener = Task {
          while !Task.isCancelled {
            do {
              for try await _ in try network.companionSignals(for: account) { errand.send() }
            } catch {
              // The signal connection was lost. Until it is reopened, polling delivers the notices.
            }
            try? await clock.sleep(for: .seconds(5))  // the loop condition checks for cancellation
          }
        }
      } catch {
        // Retry with backoff. Sync already reports hub errors, so they are not logged here.
        let wait = max(delay, (error as? APIError)?.retryAfter ?? .zero)
        delay = min(delay * 2, .seconds(60))
        retry = Task { if (try? await clock.sleep(for: wait)) != nil { errand.send() } }
      }
    }
  }

  // MARK: Status

  private var sources: LiveStatusService.Sources {
    let (app, intake, errands) = (network.app, intake, errands)
    return LiveStatusService.Sources(
      presences: { try await intake.present()?.run { try $0.presences() } ?? [] },
      sync: {
        let runs = app.syncHistory.load()
        return AgentStatus.Sync(
          hub: try app.accountFile.load()?.hubName, waiting: try app.makeStore().syncCounts().pending,
          lastSync: runs.last { $0.error == nil }?.endedAt, error: runs.last?.error)
      },
      notify: { [hooks] in hooks.call($0, isWanted: $1) }, local: { preferences(app).local() },
      cache: counts, onTold: { errands.send() })
  }

  /// Returns the user's preferences, or this machine's if the store is unreadable. Status updates report that error.
  private func preferences(_ app: AppContainer) -> Preferences { present.preferences(app.makeStore()) }

  /// If the agent will sleep at least this long, it releases memory first.
  private static let longWait = Duration.seconds(30)

  /// Updates the status after each change and whenever `desk` requests an update: every few seconds during a trip, at
  /// the start of a day, and at least every minute.
  ///
  /// Therefore, if a status file is out of date, the agent was killed.
  private func show(
    _ desk: LiveStatusService, in file: StatusFile, looks: AsyncStream<Void>, looking: AsyncStream<Void>.Continuation
  ) async {
    let clock = network.app.clock
    var next: Task<Void, Never>?
    defer { next?.cancel() }
    looking.yield()
    var lastWords: String?
    for await _ in looks {
      next?.cancel()
      var words: String?
      do {
        try await desk.look()
        try hooks.look()
        words = file.failure?.description
      } catch {
        words = "\(error)"
      }
      // Log a persistent error once, not with each update.
      if let words, words != lastWords { console.talk("Agent: cannot update the status: \(words)", level: .error) }
      lastWords = words
      // A fixed short interval would keep an idle machine awake.
      let wait = await desk.lookInterval
      next = Task {
        if (try? await clock.sleep(for: wait)) != nil { looking.yield() }
      }
      // Combine changes in quick succession into one update.
      try? await clock.sleep(for: .seconds(1))  // the loop condition checks for cancellation
      if wait >= Self.longWait {
        network.app.record.releaseMemory()
        ProcessMemory.giveBack()
      }
    }
  }

  private func openControl(_ board: LiveStatusBroadcaster, _ desk: LiveStatusService) -> ControlSocket? {
    let (engine, storeDirectory) = (engine, network.app.storeDirectory)
    let (present, console, agent) = (present, console, network.app.agent)
    let reload: @Sendable () -> JSONText = {
      defer { agent.send() }
      return present.reloaded(console)
    }
    do {
      try files.makeFolders()
      return try ControlSocket(files, board: board, reload: reload) {
        guard let engine = engine.get() else {
          return CommandError(
            "The store at \(storeDirectory.path) is not connected to a hub",
            hint: "Connect it: trendy connect URL CODE", exit: .configuration)
        }
        await engine.performSync()
        // The response contains the status after this sync or, if the update fails, the previous status.
        try? await desk.look()
        return nil
      }
    } catch {
      // Without a control socket, the agent still syncs.
      console.talk("Agent: \((error as? CommandError)?.message ?? "\(error)")", level: .error)
      return nil
    }
  }
}

/// Wake signal for a single listener. Signals that arrive before the listener has run are combined.
private final class WakeSignal: Sendable {
  private let continuation = Mutex<AsyncStream<Void>.Continuation?>(nil)

  /// Returns a stream of signals and disconnects the previous listener.
  func begin() -> AsyncStream<Void> {
    let (stream, new) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.withLock { $0 = new }
    return stream
  }

  func send() { _ = continuation.withLock { $0?.yield() } }
}

private final class PresentEngine: Sendable {
  private let engine = Mutex<SyncEngine?>(nil)

  func get() -> SyncEngine? { engine.withLock { $0 } }
  func set(_ engine: SyncEngine?) { self.engine.withLock { $0 = engine } }
}
