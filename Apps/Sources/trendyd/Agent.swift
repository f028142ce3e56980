import AppContainer
import CommandSupport
import Foundation
import NetworkContainer
import TrendyModels
import TrendyProtocols
import TrendySync

/// Keeps a store in step with its hub in the background.
struct Agent {
  let network: NetworkContainer
  let pollInterval: Duration
  let console: Console

  /// Runs until the task is cancelled.
  func run() async throws {
    let app = network.app
    guard let lock = try network.lockForSync() else {
      throw CommandError(
        "Another program syncs the store at \(app.storeDirectory.path)",
        hint: "An agent of it may be running already: end it first.", exit: .tryAgain)
    }
    defer { withExtendedLifetime(lock) {} }
    let socket = try AgentSocket(app.agent)
    defer { socket.close() }
    while let account = try await account(wakes: socket.wakes), try await sync(account, wakes: socket.wakes) {}
  }

  /// Syncs until the task is cancelled, or the store is paired at another address.
  /// - Returns: whether there is an address to go on with.
  private func sync(_ account: Account, wakes: AsyncStream<Void>) async throws -> Bool {
    let app = network.app
    console.talk("Agent: \(app.storeDirectory.path) syncs with \(account.hubName).")
    let engine = try network.makeEngine(for: account, configuration: SyncConfiguration(pollInterval: pollInterval))
    await engine.start()
    for await _ in wakes {
      let present = try app.accountFile.load()
      guard present?.hub == account.hub, present?.allowsInsecureHTTP == account.allowsInsecureHTTP else {
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
}
