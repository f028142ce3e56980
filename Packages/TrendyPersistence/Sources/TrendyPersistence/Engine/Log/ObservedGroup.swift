import Synchronization

/// Group that was applied while the store had observers.
///
/// @unchecked: used only inside the engine's `Mutex`, and cleared with the generation that keeps the memory alive. The
/// bytes of an applied group never change.
struct ObservedGroup: @unchecked Sendable {
  /// Maximum number of groups to keep for slow observers.
  static let limit = 4096

  let header: GroupHeader
  let base: UnsafeRawPointer
  /// Whether this handle wrote the group.
  let isOwn: Bool
  /// Last versions of the deleted rows whose keys are hashes, in the order of the deletions. They contain the
  /// identifiers, which a deletion does not.
  let deleted: [UnsafeRawPointer]

  var rows: GroupRows { GroupRows(header: header, base: base) }
}

extension LogState {
  /// Adds the rows of an intact group to the tables.
  mutating func apply(_ group: GroupHeader, at base: UnsafeRawPointer, isOwn: Bool) {
    if handle.observers?.isEmpty ?? true {
      handle.observed = []
    } else if group.count > 0 {
      observe(group, at: base, isOwn: isOwn)
    }
    generation.tables.apply(group: group, at: base)
  }

  private mutating func observe(_ group: GroupHeader, at base: UnsafeRawPointer, isOwn: Bool) {
    var deleted: [UnsafeRawPointer] = []
    for row in GroupRows(header: group, base: base) where RowLayout.isDeletion(row) && RowLayout.key(row).isHash {
      // An unreadable row cannot be named; readers of the row report the damage.
      guard let last = try? generation.tables.find(kind: RowLayout.kind(row), key: RowLayout.key(row)) else { continue }
      deleted.append(last)
    }
    if handle.observed.count == ObservedGroup.limit {
      handle.observed.removeFirst(ObservedGroup.limit / 2)
      handle.observedAfter = handle.observed[0].header.sequence - 1
    }
    handle.observed.append(ObservedGroup(header: group, base: base, isOwn: isOwn, deleted: deleted))
  }
}

extension StorageEngine {
  /// Applies all saves and returns those after a position, oldest first, with the new position.
  /// - Parameters:
  ///   - position: position returned by the previous call on this engine.
  ///   - make: converts a group while its rows are in memory. It receives `nil` once for any number of saves whose rows
  ///     cannot be determined, because the position is `nil` or too old, or the generation has changed.
  func observe<Change: Sendable>(
    after position: StorePosition?, _ make: (ObservedGroup?) -> Change
  ) throws(StorageError) -> (changes: [Change], position: StorePosition) {
    // The watch reports a save before the writer increments the counter, so the log is always checked.
    try refresh(evenIfUnchanged: true)
    return try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let now = state.position
      guard let position, now.storeID == position.storeID, now.generation == position.generation,
        position.sequence >= state.handle.observedAfter
      else { return ([make(nil)], now) }
      let groups = state.handle.observed.reversed().prefix { $0.header.sequence > position.sequence }
      return (groups.reversed().map { make($0) }, now)
    }
  }
}
