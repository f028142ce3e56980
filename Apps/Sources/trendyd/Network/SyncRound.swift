import AgentLink
import AppContainer
import CommandSupport
import Foundation
import NetworkContainer
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

/// One round of sync, and what is said of it.
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
        "This store is not connected to a hub", hint: "trendy connect URL CODE; the hub prints the code.",
        exit: .configuration)
    }
    return account
  }

  /// Returns when a round that began after the asking has gone through, here or in the agent.
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
        "The hub asked to be left alone for a while", hint: "Nothing was lost; \(pending) changes wait here.",
        exit: .tryAgain)
    case .error(let words):
      throw Self.error(words, of: account, exit: failure?.cause.exitCode ?? .tryAgain)
    case .syncing, .pulling: throw CommandError("The round did not end", exit: .bug)
    }
  }

  /// The words of a failed round: the first sentence says what happened, the rest what to do.
  private static func error(_ words: String, of account: Account, exit: ExitCode) -> CommandError {
    let end = words.firstRange(of: ". ")
    var hint = end.map { String(words[$0.upperBound...]) }
    if exit == .refused, let advice = hint {
      let address = account.hub.absoluteString.replacing("/api/v1", with: "")
      hint = "\(advice.hasSuffix(".") ? String(advice.dropLast()) : advice): trendy connect \(address) CODE"
    }
    return CommandError(end.map { String(words[..<$0.lowerBound]) } ?? words, hint: hint, exit: exit)
  }

  /// Makes a round, showing how far it has come, and ends it where a person interrupts.
  private func perform(_ engine: SyncEngine) async throws {
    let clock = network.app.clock
    Interruption.wait()
    let round = Task { await engine.performSync() }
    let watch = Task {
      let line = SyncLine(console)
      defer { line.end() }
      // Cancelled when the round is over.
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
      "Nothing was lost: what came in is here, \(waiting) changes wait. trendy sync goes on.")
  }

  /// The agent of this store has the right to sync: it is woken, and its next whole round is waited for.
  private func waitForAgent(of account: Account, since asked: Date) async throws {
    let app = network.app
    if let pause = app.syncHistory.load().last?.pausedUntil, asked < pause {
      var settings = Settings(environment: ProcessInfo.processInfo.environment)
      settings.synced = try app.makeStore().syncedSettings()
      let local = Preferences(settings).local()
      throw CommandError(
        "The hub asked to be left alone until \(local.dayAndTime(pause))",
        hint:
          "The agent goes on then by itself. Nothing was lost; \(try app.makeStore().syncCounts().pending) changes wait here.",
        exit: .tryAgain)
    }
    for look in 0..<120 {
      app.agent.send()
      try await app.clock.sleep(for: .milliseconds(250))
      guard let run = app.syncHistory.load().last(where: { $0.startedAt >= asked }) else {
        // Then the agent cannot say either how its round ended.
        if look % 8 == 7, let obstacle = app.syncHistory.obstacle() {
          throw CommandError(
            "The agent cannot save anything: \(obstacle)",
            hint: "What was saved before is unharmed. Free some space or check the disk; the agent goes on by itself.",
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
      "Another program syncs this store and did not finish", hint: "Nothing was lost. trendy sync status tells more.",
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
    if conflicts == 0 {
      console.done("In step with \(account.hubName): \(waiting) waiting, cursor \(cursor ?? 0).")
    } else {
      console.done(
        "Synced with \(account.hubName): \(waiting) waiting, \(conflicts) without effect, cursor \(cursor ?? 0).")
      let changes = conflicts == 1 ? "1 change that took no effect is" : "\(conflicts) changes that took no effect are"
      console.talk("\(changes) kept here: trendy sync conflicts")
    }
    return waiting == 0 ? .done : .tryAgain
  }
}

/// Shows how far a round has come.
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
      // How much there is to take in nobody knows.
      if isSending != false { line.begin("Taking in", of: nil, in: .things("changes")) }
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
    // Also of an agent that was ended in the middle of a round.
    default: .tryAgain
    }
  }
}
