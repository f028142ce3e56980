import Foundation
import TrendyModels

/// Assigns versions during one write transaction for a user and updates the record's totals.
final class HubWriter {
  let transaction: any HubTransaction
  let now: Date
  private(set) var state: HubState
  private var isChanged = false
  private let quota: HubQuota
  /// Growth caused by the write itself. Conflicts are excluded, because even a deletion can create them.
  private var growth = HubQuota(rows: 0, bytes: 0)

  /// `quota` is the hub's default, over which the user's own quota takes precedence.
  init(_ transaction: any HubTransaction, now: Date, quota: HubQuota) throws {
    self.transaction = transaction
    self.now = now
    state = try transaction.state()
    self.quota = state.quota.otherwise(quota)
  }

  func nextVersion() -> Int64 {
    state.head += 1
    isChanged = true
    return state.head
  }

  func put(_ entry: HubEntry, replacing old: HubEntry?) throws {
    try transaction.put(entry)
    if let old { state.sums[old.kind, default: .init()].remove(old) }
    state.sums[entry.kind, default: .init()].add(entry)
    let bytes = entry.contentBytes - (old?.contentBytes ?? 0)
    state.contentBytes += bytes
    guard entry.kind != SyncedKind.conflict.name else { return }
    growth.rows? += (entry.isAlive ? 1 : 0) - (old?.isAlive == true ? 1 : 0)
    growth.bytes? += bytes
  }

  func setHorizon(_ horizon: Int64) {
    state.horizon = horizon
    isChanged = true
  }

  /// Saves the state. Must be called once, after all writes.
  func finish() throws {
    guard isChanged else { return }
    try checkQuota()
    try transaction.setState(state)
  }

  private func checkQuota() throws {
    if let most = quota.rows, (growth.rows ?? 0) > 0, state.rows > most {
      throw HubQuotaError(quota: most, isOfRows: true)
    }
    guard let most = quota.bytes, most < HubQuota.unlimited, (growth.bytes ?? 0) > 0 else { return }
    if state.contentBytes > most { throw HubQuotaError(quota: most, isOfRows: false) }
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
