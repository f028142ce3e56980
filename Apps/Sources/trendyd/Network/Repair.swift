import AppContainer
import CommandSupport
import NetworkContainer
import TrendyAgent
import Foundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// What of `trendy sync repair` and `trendy doctor` needs the hub.
struct Repair {
  let round: SyncRound
  let arguments: Arguments
  private var console: Console { round.console }
  private var network: NetworkContainer { round.network }

  init(round: SyncRound, arguments: Arguments) {
    self.round = round
    self.arguments = arguments
  }

  /// `--requeue`, `--resync`, or both, in this order: what the hub lacks is offered before everything is taken anew.
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
    console.done("What was here before is kept in \(backup)")
    if arguments.has("--requeue") {
      console.done(
        offered == 0 ? "The hub lacks nothing that is here." : "Offered again, and settled by the hub: \(offered).")
    }
    if arguments.has("--resync") { console.done("Everything was taken anew from \(account.hubName).") }
    return .done
  }

  /// Compares this store with the hub, and with `--repair` mends what differs; what is said is for `trendy doctor` to read.
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

  /// - Returns: how many changes were offered to the hub again.
  private func mend(_ account: Account, isRequeuing: Bool, isResyncing: Bool) async throws -> Int {
    var offered = 0
    if isRequeuing {
      // Without the right to sync, which an agent may have: it is one save, and an answer to what the agent asked before counts
      // no more, as this store goes by a new identity then.
      offered = try await network.makeEngine(for: account).offerMissing()
      // Told to the hub before everything is taken anew: its refusal is found before a row goes.
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

  /// At one version: the hub may be written to while it is asked.
  private func compareInStep(_ account: Account) async throws -> HubComparison {
    for _ in 0..<3 {
      try await round.bringInStep(account)
      if let comparison = try await network.compare(for: account) { return comparison }
    }
    throw CommandError(
      "The hub is being written to all the time", hint: "Nothing is wrong by that; ask again: trendy doctor",
      exit: .tryAgain)
  }
}
