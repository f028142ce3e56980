import AppContainer
import CommandSupport
import NetworkContainer
import TrendyAgent
import Foundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// The network part of `trendy sync repair` and `trendy doctor`.
struct Repair {
  let round: SyncRound
  let arguments: Arguments
  private var console: Console { round.console }
  private var network: NetworkContainer { round.network }

  init(round: SyncRound, arguments: Arguments) {
    self.round = round
    self.arguments = arguments
  }

  /// Performs `--requeue`, `--resync` or both. Missing entries are uploaded before everything is downloaded again.
  func run() async throws -> ExitCode {
    let account = try round.account()
    let backup = try backUp()
    let offered = try await mend(
      account, isRequeuing: arguments.has("--requeue"), isResyncing: arguments.has("--resync"))
    if console.isJSON {
      console.document(
        "trendy.sync_repair/1",
        [
          ("backup", .string(backup)), ("offered", .number(offered)), ("resynced", .bool(arguments.has("--resync"))),
        ])
    }
    console.done("A backup is in \(backup)")
    if arguments.has("--requeue") {
      console.done(
        offered == 0 ? "The hub already has all entries." : "Uploaded \(offered) entries that the hub did not have.")
    }
    if arguments.has("--resync") { console.done("Downloaded everything from \(account.hubName) again.") }
    return .done
  }

  /// Compares the store with the hub and, with `--repair`, corrects differences. Prints JSON for `trendy doctor`.
  func compare() async throws -> ExitCode {
    let account = try round.account()
    var comparison = try await compareInStep(account)
    var backup: String?
    var offered = 0
    if !comparison.agrees, arguments.has("--repair") {
      backup = try backUp()
      offered = try await mend(account, isRequeuing: true, isResyncing: true)
      comparison = try await compareInStep(account)
    }
    console.document(
      "trendy.comparison/1",
      [("hub", .string(account.hubName))] + comparison.members + [
        ("repair", backup.map { .object([("backup", .string($0)), ("offered", .number(offered))]) } ?? .null)
      ])
    return comparison.agrees ? .done : .no
  }

  private func backUp() throws -> String {
    try StoreParts(storeDirectory: network.app.storeDirectory, clock: network.app.clock).backUp(before: "repair")
  }

  /// Queues entries missing from the hub, downloads everything from the hub, or both. Returns the number of queued
  /// changes.
  private func mend(_ account: Account, isRequeuing: Bool, isResyncing: Bool) async throws -> Int {
    var offered = 0
    if isRequeuing {
      // Works while an agent holds the sync lock: the changes are saved together with a new client identity, so the
      // agent ignores responses to its earlier requests.
      offered = try await network.makeEngine(for: account).requeueMissing()
      // Upload before downloading, so that entries rejected by the hub are known before local rows are deleted.
      if offered > 0 { try await round.bringInStep(account) }
    }
    if isResyncing {
      let store = network.app.makeStore()
      try store.requestResync()
      try store.save()
    }
    if isResyncing || offered == 0 { try await round.bringInStep(account) }
    return offered
  }

  /// Compares store and hub at the same version, retrying if other devices change the hub in the meantime.
  private func compareInStep(_ account: Account) async throws -> HubComparison {
    for _ in 0..<3 {
      try await round.bringInStep(account)
      if let comparison = try await network.compare(for: account) { return comparison }
    }
    throw CommandError(
      "Other devices keep writing to the hub", hint: "Nothing is wrong. Try again: trendy doctor",
      exit: .tryAgain)
  }
}
