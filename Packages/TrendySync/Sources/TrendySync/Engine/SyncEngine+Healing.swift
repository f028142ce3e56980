import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Puts right what an earlier version saved of numbers that cannot be: it took them from a hub as they came. What is read as a
  /// type with a range of its own, such as a mark or the memory, is brought into it there.
  func heal() throws(SyncFailure) {
    let (cursor, sequence, memory) = try inStore {
      (try $0.syncCursor() ?? 0, try $0.syncIdentity()?.lastSequence ?? 0, try $0.syncMemory())
    }
    // A cursor beyond all that was seen is one that the hub never gave, or not in this life: counted as seen, it is found out.
    let seen = memory.map { $0.holdsVersions ? max($0.seen, cursor.clamped(to: SyncRange.counter)) : $0.seen }
    // A hub without versions counts from wherever it likes: what it calls a cursor goes back to it as it came.
    let isCursorGood = memory?.holdsVersions == true ? SyncRange.counter.contains(cursor) : cursor >= 0
    if isCursorGood, SyncRange.counter.contains(sequence), seen == memory?.seen { return }
    try saving { store in
      try store.takeWriteLock()
      if !isCursorGood { try store.setSyncCursor(nil) }
      if !SyncRange.counter.contains(sequence) {
        try NewIdentity(store: store, chance: chance, now: clock.now).take()
      }
      if let seen, var memory, memory.seen != seen {
        memory.seen = seen
        try store.setSyncMemory(memory)
      }
    }
  }
}
