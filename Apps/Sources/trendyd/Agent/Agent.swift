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

/// Keeps a store in step with its hub in the background, and shows what goes on.
struct Agent {
  let network: NetworkContainer
  let intake: SharedIntake
  let files: RuntimeFiles
  /// What can change while it runs.
  let present: RunSettings
  let manager: ServiceManager
  let vitals: Vitals
  let hooks: HookNews
  /// The folder for what was counted of the record.
  let counts: URL
  let console: Console

  /// The engine that syncs, while the store is connected.
  private let engine = PresentEngine()
  /// Something for companions.
  private let errands = Errands()

  init(
    network: NetworkContainer, intake: SharedIntake, files: RuntimeFiles, present: RunSettings,
    manager: ServiceManager, vitals: Vitals, hooks: HookNews, counts: URL, console: Console
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

  /// Runs until the task is cancelled.
  func run() async throws {
    let app = network.app
    let lock = try await lockForSync()
    defer { withExtendedLifetime(lock) {} }
    let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let socket = try AgentSocket(app.agent) { looking.yield() }
    defer { socket.close() }
    let board = LiveBoard()
    let file = StatusFile(url: files.status, board: board)
    let desk = LiveDesk(app.record, sources: sources, pid: ProcessInfo.processInfo.processIdentifier) {
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

  /// Takes the right to sync the store. A command has it for one round, which is waited for; another agent keeps it.
  private func lockForSync() async throws -> any Sendable {
    let app = network.app
    for attempt in 0..<40 {
      if let lock = try network.lockForSync() { return lock }
      if attempt == 0 { console.talk("Agent: waits for another program that syncs \(app.storeDirectory.path).") }
      try await app.clock.sleep(for: .milliseconds(250))
    }
    throw CommandError(
      "Another program syncs the store at \(app.storeDirectory.path)",
      hint: "An agent of it may be running already: end it first.", exit: .tryAgain)
  }

  /// What the service manager shows: how sync stands, in short.
  private static func standing(_ sync: AgentStatus.Sync?) -> String {
    guard let hub = sync?.hub else { return "Agent: not connected to a hub" }
    let waiting = sync.map { $0.waiting == 0 ? "nothing waits" : "\($0.waiting) waiting" } ?? ""
    return "Agent: \(hub), " + (sync?.error.map { "\(waiting), the last sync failed: \($0)" } ?? waiting)
  }

  private func watch(_ desk: LiveDesk) {
    vitals.set(
      { [engine, intake] in
        _ = await desk.isTripOpen
        _ = await engine.get()?.state
        try await intake.present()?.run { _ in }
      }, of: .agent)
  }

  // MARK: Sync

  /// Syncs until the task is cancelled, or the store is paired at another address.
  /// - Returns: whether there is an address to go on with.
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
      // An engine has one interval for its life: a new one begins with the new interval.
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

  /// The account of the store, waited for while it has none.
  private func account(wakes: AsyncStream<Void>) async throws -> Account? {
    let app = network.app
    if let account = try app.accountFile.load() { return account }
    console.talk("Agent: the store at \(app.storeDirectory.path) is not connected yet: trendy connect URL CODE")
    for await _ in wakes {
      if let account = try app.accountFile.load() { return account }
    }
    return nil
  }

  /// Carries what companions are told, and what this device is told as one: when there is something, when the hub says so, and as
  /// often as it is asked in any case.
  private func carry(_ courier: CompanionCourier, for account: Account, every pollInterval: Duration) async {
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
              // A hub that went away is asked again; what it would have said comes by asking as well.
            }
            try? await clock.sleep(for: .seconds(5))  // cancelled is seen by the loop
          }
        }
      } catch {
        // Nothing is lost by waiting; what is wrong with the hub, sync says.
        let wait = max(delay, (error as? APIError)?.retryAfter ?? .zero)
        delay = min(delay * 2, .seconds(60))
        retry = Task { if (try? await clock.sleep(for: wait)) != nil { errand.send() } }
      }
    }
  }

  // MARK: Showing

  private var sources: LiveDesk.Sources {
    let (app, intake, errands) = (network.app, intake, errands)
    return LiveDesk.Sources(
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

  /// Those of this machine alone where the record cannot be read, which is said by each look at it.
  private func preferences(_ app: AppContainer) -> Preferences { present.preferences(app.makeStore()) }

  /// An agent that sleeps this long before it reads its store again releases the memory that the last reading took.
  private static let longWait = Duration.seconds(30)

  /// Looks when something happened, every few seconds while a trip goes on, when a day begins, and once a minute in any case: an
  /// older file is known for that of an agent that was killed.
  private func show(
    _ desk: LiveDesk, in file: StatusFile, looks: AsyncStream<Void>, looking: AsyncStream<Void>.Continuation
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
      // Once, and not every minute.
      if let words, words != lastWords { console.talk("Agent: what goes on cannot be shown: \(words)", level: .error) }
      lastWords = words
      // No timer that fires for nothing: an idle agent lets the machine sleep.
      let wait = await desk.lookInterval
      next = Task {
        if (try? await clock.sleep(for: wait)) != nil { looking.yield() }
      }
      // What comes close together is one look.
      try? await clock.sleep(for: .seconds(1))  // cancelled is seen by the loop
      if wait >= Self.longWait {
        network.app.record.releaseMemory()
        ProcessMemory.giveBack()
      }
    }
  }

  private func openControl(_ board: LiveBoard, _ desk: LiveDesk) -> ControlSocket? {
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
          return CommandError("The store at \(storeDirectory.path) is not connected to a hub", exit: .configuration)
        }
        await engine.performSync()
        // The status that is answered tells of this round; a look that fails leaves the last one.
        try? await desk.look()
        return nil
      }
    } catch {
      // An agent that nobody can ask still syncs.
      console.talk("Agent: \((error as? CommandError)?.message ?? "\(error)")", level: .error)
      return nil
    }
  }
}

/// Signs that come and go with who hears them.
private final class Errands: Sendable {
  private let continuation = Mutex<AsyncStream<Void>.Continuation?>(nil)

  /// Signs from now on; who heard them before hears none any more.
  func begin() -> AsyncStream<Void> {
    let (stream, new) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.withLock { $0 = new }
    return stream
  }

  func send() { _ = continuation.withLock { $0?.yield() } }
}

/// The engine of an agent, which comes and goes with its account.
private final class PresentEngine: Sendable {
  private let engine = Mutex<SyncEngine?>(nil)

  func get() -> SyncEngine? { engine.withLock { $0 } }
  func set(_ engine: SyncEngine?) { self.engine.withLock { $0 = engine } }
}
