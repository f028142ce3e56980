import Foundation
import TrendyModels

/// One person's state while it is written: gives out versions, and keeps what the living add up to.
final class HubWriter {
  let transaction: any HubTransaction
  let now: Date
  private(set) var state: HubState
  private var isChanged = false

  init(_ transaction: any HubTransaction, now: Date) throws {
    self.transaction = transaction
    self.now = now
    state = try transaction.state()
    if state.head == 0, state.sums == nil { state.sums = [:] }
  }

  func nextVersion() -> Int64 {
    state.head += 1
    isChanged = true
    return state.head
  }

  func put(_ entry: HubEntry, replacing old: HubEntry?) throws {
    try transaction.put(entry)
    if let old { state.sums?[old.kind, default: .init()].remove(old) }
    state.sums?[entry.kind, default: .init()].add(entry)
  }

  func setHorizon(_ horizon: Int64) {
    state.horizon = horizon
    isChanged = true
  }

  /// Once, when all is written.
  func finish() throws {
    if isChanged { try transaction.setState(state) }
  }
}

extension KindSum {
  mutating func add(_ entry: HubEntry) {
    guard entry.isAlive else { return }
    add(kind: entry.kind, id: entry.id, version: entry.version, incarnation: entry.incarnation)
  }

  mutating func remove(_ entry: HubEntry) {
    guard entry.isAlive else { return }
    remove(kind: entry.kind, id: entry.id, version: entry.version, incarnation: entry.incarnation)
  }
}
