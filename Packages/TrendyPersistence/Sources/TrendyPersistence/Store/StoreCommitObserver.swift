import TrendyModels
import TrendyProtocols

/// Observer of the store of a ``DefaultDataStoreFactory``.
actor StoreCommitObserver: StoreObserver {
  private let folder: SharedEngine
  private let wakes: AsyncStream<Void>
  /// Engine from which the last changes were read.
  private var engine: StorageEngine
  private var position: StorePosition

  init(_ folder: SharedEngine) throws(StorageError) {
    self.folder = folder
    wakes = try folder.addObserver()
    // The watch has started before the position is read, so that no save is missed between the two.
    (engine, position) = try folder.retrying { engine throws(StorageError) in
      try engine.refresh()
      return (engine, try engine.position())
    }
  }

  func nextChanges() async throws -> [StoreChange]? {
    while !Task.isCancelled {
      let changes = try newChanges()
      if !changes.isEmpty { return changes }
      var wake = wakes.makeAsyncIterator()
      guard await wake.next() != nil else { return nil }
    }
    return nil
  }

  nonisolated func makeDataStore() -> any DataStoreProtocol { folder.makeLocalStore() }

  private func newChanges() throws(StorageError) -> [StoreChange] {
    let (last, position) = (engine, position)
    let (current, found) = try folder.retrying { current throws(StorageError) in
      // A new engine has read the latest saves while opening, unobserved.
      (current, try current.observe(after: current === last ? position : nil, StoreChange.init))
    }
    (engine, self.position) = (current, found.position)
    return found.changes
  }
}

extension StoreChange {
  /// Describes a group of rows, or changes of any rows if it is `nil`.
  fileprivate init(_ group: ObservedGroup?) {
    guard let group else {
      self.init(entities: nil, hasSyncState: true, isLocal: false)
      return
    }
    self.init(entities: [:], hasSyncState: false, isLocal: group.isOwn)
    var deleted = group.deleted[...]
    for row in group.rows {
      let key = RowLayout.key(row)
      var named: UnsafeRawPointer? = row
      if key.isHash, RowLayout.isDeletion(row) {
        // A deletion without a last version follows in order.
        let isNext = deleted.first.map { RowLayout.kind($0) == RowLayout.kind(row) && RowLayout.key($0) == key }
        named = isNext == true ? deleted.popFirst() : nil
      }
      guard let kind = RowKind.entity(RowLayout.kind(row)) else {
        hasSyncState = true
        continue
      }
      let identifier = key.isHash ? named.flatMap { LocalStore.keptIdentifier(RowLayout.payload($0)) } : key.uuidText
      guard let identifier else {
        (entities, hasSyncState) = (nil, true)
        return
      }
      entities?[kind, default: []].insert(identifier)
    }
  }
}
