import AgentLink
import AppContainer
import CommandSupport
import Foundation
import NetworkContainer
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

/// Sync requested on the command line.
struct SyncRound {
  let network: NetworkContainer
  let console: Console

  func run() async throws -> ExitCode {
    let account = try account()
    try await bringInStep(account)
    return try report(account)
  }

  func account() throws -> Account {
    guard let account = try network.app.accountFile.load() else {
      throw CommandError(
        "This store is not connected to a hub",
        hint: "Connect it with the code of 'trendyd pair': trendy connect URL CODE",
        exit: .configuration)
    }
    return account
  }

  /// Waits for a complete sync, in this process or in the agent. A sync already in progress does not count.
  func bringInStep(_ account: Account) async throws {
    let before = network.app.clock.now
    guard let lock = try network.lockForSync() else { return try await waitForAgent(of: account, since: before) }
    let engine = try network.makeEngine(for: account, holding: lock)
    try await perform(engine)
    let (state, failure) = await (engine.state, engine.lastFailure)
    switch state {
    case .idle: return
    case .rateLimited(_, let pending):
      throw CommandError(
        "The hub asked devices to back off", hint: "No data was lost; \(pending) changes are pending. Try again later.",
        exit: .tryAgain)
    case .error(let words):
      throw Self.error(words, of: account, exit: failure?.cause.exitCode ?? .tryAgain)
    case .syncing, .pulling: throw CommandError("The sync did not finish", hint: "Please report this.", exit: .bug)
    }
  }

  /// Returns the error for a failed sync. The first sentence of `words` becomes the message, the rest the hint.
  private static func error(_ words: String, of account: Account, exit: ExitCode) -> CommandError {
    let end = words.firstRange(of: ". ")
    var hint = end.map { String(words[$0.upperBound...]) }
    if exit == .refused, let advice = hint {
      let address = account.hub.absoluteString.replacing("/api/v1", with: "")
      hint = "\(advice.hasSuffix(".") ? String(advice.dropLast()) : advice): trendy connect \(address) CODE"
    }
    return CommandError(end.map { String(words[..<$0.lowerBound]) } ?? words, hint: hint, exit: exit)
  }

  /// Syncs while showing a progress line. Ctrl-C cancels the sync.
  private func perform(_ engine: SyncEngine) async throws {
    let clock = network.app.clock
    Interruption.wait()
    let round = Task { await engine.performSync() }
    let watch = Task {
      let line = SyncLine(console)
      defer { line.end() }
      // The sleep throws when the task is cancelled after the sync.
      while (try? await clock.sleep(for: .milliseconds(100))) != nil {
        if Interruption.isAsked { round.cancel() }
        line.show(await engine.state, pulled: await engine.pulledCount)
      }
    }
    await round.value
    watch.cancel()
    await watch.value
    guard await engine.lastFailure == .cancelled else { return }
    let waiting = try network.app.makeStore().syncCounts().pending
    throw CommandError.interrupted(
      "No data was lost; \(waiting) changes are pending. To continue: trendy sync")
  }

  /// Requests a sync from the agent, which is holding the sync lock, and waits until the sync has finished.
  private func waitForAgent(of account: Account, since asked: Date) async throws {
    let app = network.app
    if let pause = app.syncHistory.load().last?.pausedUntil, asked < pause {
      var settings = Settings(environment: ProcessInfo.processInfo.environment)
      settings.synced = try app.makeStore().syncedSettings()
      let local = Preferences(settings).local()
      throw CommandError(
        "The hub asked devices to back off until \(local.dayAndTime(pause))",
        hint:
          "The agent continues then. No data was lost; \(try app.makeStore().syncCounts().pending) changes are pending.",
        exit: .tryAgain)
    }
    for look in 0..<120 {
      app.agent.send()
      try await app.clock.sleep(for: .milliseconds(250))
      guard let run = app.syncHistory.load().last(where: { $0.startedAt >= asked }) else {
        // If the agent cannot save its result, no result will ever appear. Check every two seconds whether the history
        // is writable.
        if look % 8 == 7, let obstacle = app.syncHistory.obstacle() {
          throw CommandError(
            "The agent cannot save changes: \(obstacle)",
            hint: "Saved data is intact. Free some space or check the disk; the agent then continues automatically.",
            exit: .readWrite)
        }
        continue
      }
      if let words = run.error {
        throw Self.error(words, of: account, exit: run.cause?.exitCode ?? .tryAgain)
      }
      return
    }
    throw CommandError(
      "Another program is syncing this store and has not finished",
      hint: "No data was lost. Details: trendy sync status",
      exit: .tryAgain)
  }

  private func report(_ account: Account) throws -> ExitCode {
    let store = network.app.makeStore()
    let waiting = try store.fetchPendingMutations().count
    let conflicts = try store.fetchConflicts().count
    let cursor = try store.syncCursor()
    if console.isJSON {
      console.document(
        "trendy.sync/1",
        [
          ("hub", .string(account.hub.absoluteString)), ("waiting", .number(waiting)),
          ("conflicts", .number(conflicts)), ("cursor", cursor.map { .number($0) } ?? .null),
        ])
    }
    console.done("Synced with \(account.hubName). \(waiting == 0 ? "Nothing" : "\(waiting)") pending.")
    if conflicts > 0 {
      let changes = conflicts == 1 ? "1 conflict needs" : "\(conflicts) conflicts need"
      console.talk("\(changes) your decision: trendy sync conflicts")
    }
    return waiting == 0 ? .done : .tryAgain
  }
}

private final class SyncLine {
  private let line: ProgressLine
  private var isSending: Bool?

  init(_ console: Console) { line = ProgressLine(console) }

  func end() { line.end() }

  func show(_ state: SyncState, pulled: Int) {
    if case .syncing(let synced, let total) = state {
      if isSending != true { line.begin("Sending", of: Int64(total), in: .things("changes")) }
      isSending = true
      line.total = Int64(total)
      line.reach(Int64(synced))
    } else {
      // The total is unknown while receiving.
      if isSending != false { line.begin("Receiving", of: nil, in: .things("changes")) }
      isSending = false
      line.reach(Int64(pulled))
    }
  }
}

extension SyncRun.Cause {
  fileprivate var exitCode: ExitCode {
    switch self {
    case .unanswered: .unreachable
    case .unauthorized: .refused
    case .unusable: .version
    case .store: .readWrite
    // Includes a sync interrupted because the agent stopped.
    default: .tryAgain
    }
  }
}
