import TrendyHub
import TrendyModels
import TrendyPersistence

// MARK: Several hubs with one database, which must all serve the same feed
extension SimulationRun {
  func onDatabaseFault(_ fault: DatabaseFault) {
    count(fault.kind)
    tell("  the database: \(fault)")
    switch fault {
    // A hub's streams end when it is killed.
    case .hubKilled: for wire in wires { wire.loseSignals(isSilent: false) }
    default: break
    }
  }

  /// Performs an action. Returns whether it was possible.
  func carryOutDatabase(_ action: Action) -> Bool {
    guard let database = hub.database else { return false }
    switch action {
    case .database(let fault, let transactions):
      database.planned.append(SimulatedDatabase.Planned(fault: fault, afterTransactions: transactions))
      return true
    case .restartDatabase:
      database.restart()
      return true
    case .letStandbyFallBehind:
      guard hub.letStandbyFallBehind() else { return false }
      ledger.onStandbyBehind()
      return true
    case .failOver:
      guard let isLossy = hub.failOver() else { return false }
      count(isLossy ? "database_failover_lossy" : "database_failover")
      if isLossy {
        ledger.onFailover()
        onHubWentBack()
      }
      return true
    default: return false
    }
  }

  /// Checks that a device with a cursor loads a snapshot only after a loss of data or on request. A failover, a killed
  /// hub or a lost connection does not justify a snapshot.
  func checkSnapshot(of number: Int) {
    let device = devices[number]
    guard hub.database != nil, !ledger.mayFork, !ledger.hubWasRestored,
      Self.causesOfSnapshots.allSatisfy({ story.faults[$0] == nil }),
      let store = device.process?.factory.makeLocalStore(),
      // An unreadable store has no known cursor.
      let cursor = try? store.syncCursor(), cursor > 0, (try? store.syncMemory())?.snapshot == nil
    else { return }
    ledger.report(
      .resetKeepsPendingEdits, "\(device.name), whose cursor is \(cursor), loads a snapshot although nothing was lost")
  }

  private static let causesOfSnapshots = ["resync", "compaction", "store_restored", "store_copied", "old_version"]

  func onHubWentBack() {
    for wire in wires { wire.loseSignals(isSilent: false) }
    // Devices whose cursor is ahead of the hub must move it back.
    for device in devices { device.restoresToNotice += 1 }
    tracking?.onHubWentBack()
  }

  /// Checks that all hubs serve the same complete feed. Each page is read from a different hub than the previous page.
  func checkHubsAgree(_ entries: [ChangeEntry]) async throws {
    guard hub.database != nil, let horizon = hub.horizon else { return }
    var fed: [String] = []
    // The feed does not reach back beyond the horizon.
    var cursor = horizon
    while true {
      let client = InProcessClient(token: hub.tokens[0], server: hub.nextServer())
      let page = try await client.getChanges(since: cursor, limit: 7)
      for change in page.changes {
        if change.id <= cursor {
          ledger.report(.feedIsComplete, "the feed returns version \(change.id) after \(cursor)")
        }
        fed.append("\(change.id) \(change.entityType) \(change.entityId)")
      }
      cursor = page.nextCursor
      if !page.hasMore { break }
    }
    let whole = entries.filter { $0.id > horizon }.map { "\($0.id) \($0.entityType) \($0.entityId)" }
    if Set(fed) != Set(whole) || fed.count != whole.count {
      ledger.report(.storesConverge, "the feed with pages from different hubs differs from a snapshot")
    }
    for server in hub.servers {
      let head = try await InProcessClient(token: hub.tokens[0], server: server).getLatestCursor()
      if head != cursor {
        ledger.report(.storesConverge, "the head of a hub is \(head), but its feed ends at \(cursor)")
      }
    }
  }
}
