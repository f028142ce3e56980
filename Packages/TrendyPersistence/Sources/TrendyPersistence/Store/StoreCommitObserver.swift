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
    engine = try folder.usable()
    try engine.refresh()
    position = try engine.position()
  }

  func nextChanges() async throws -> [StoreChange]? {
    while !Task.isCancelled {
      let changes = try newChanges()
      if !changes.isEmpty { return changes }
      var wake = wakes.makeAsyncIterator()
      await wake.next()
    }
    return nil
  }

  nonisolated func makeDataStore() -> any DataStoreProtocol { folder.makeLocalStore() }

  private func newChanges() throws(StorageError) -> [StoreChange] {
    do {
      return try newChanges(in: folder.usable())
    } catch .replaced {
      // After a restore, only a new engine can read the store.
      return try newChanges(in: folder.usable())
    }
  }

  private func newChanges(in current: StorageEngine) throws(StorageError) -> [StoreChange] {
    // A new engine has read the latest saves while opening, unobserved.
    let found = try current.observe(after: current === engine ? position : nil, StoreChange.init)
    (engine, position) = (current, found.position)
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
    let deleted = group.deleted.map { ($0, RowLayout.kind($0), RowLayout.key($0)) }
    for row in group.rows {
      let key = RowLayout.key(row)
      guard let kind = RowKind.entity(RowLayout.kind(row)) else {
        hasSyncState = true
        continue
      }
      var identifier: String? = key.uuidText
      if key.isHash {
        let named =
          RowLayout.isDeletion(row) ? deleted.first { $0.1 == RowLayout.kind(row) && $0.2 == key }?.0 : row
        identifier = named.flatMap { LocalStore.keptIdentifier(RowLayout.payload($0)) }
      }
      guard let identifier else {
        entities = nil
        return
      }
      entities?[kind, default: []].insert(identifier)
    }
  }
}
