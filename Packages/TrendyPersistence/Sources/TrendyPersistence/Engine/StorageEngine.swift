import Synchronization

/// Store of rows in plain files: a log, synced with every save, and immutable segments.
///
/// A row has a kind, a 128-bit key, a sort value, a group key and a payload; kind and key identify it. Any number of
/// handles in any number of processes can use a directory at the same time. Reads return the state as of the last
/// ``refresh()``. Call ``refresh()`` first if other handles may have saved. Rows that have been read do not change.
///
/// After a failed sync every call throws ``StorageError/syncFailed(path:code:)`` and the store must be reopened.
public final class StorageEngine: Sendable {
  /// Sizes and timeouts of a store.
  public struct Options: Hashable, Sendable {
    /// Maximum time a save waits for the write lock before it throws ``StorageError/busy(path:)``.
    public var lockTimeout: Duration
    /// Length of the log's first chunk in bytes, at least 4096. Each further chunk is twice as long.
    public var firstChunkBytes: Int
    /// Maximum length of a chunk in bytes. A larger save gets a longer chunk.
    public var largestChunkBytes: Int
    /// Length of the log in bytes above which ``StorageEngine/maintain(sealingAll:mergingFrom:)`` seals it into a
    /// segment. Limits how much has to be read to open a store.
    ///
    /// Without maintenance, a save seals a log of 64 times this length. A save of more than eight times this length is
    /// written directly as a segment.
    public var sealBytes: Int

    /// Creates options. Values below their minimum are raised to it.
    public init(
      lockTimeout: Duration = .seconds(5), firstChunkBytes: Int = 256 << 10, largestChunkBytes: Int = 4 << 20,
      sealBytes: Int = 1 << 20
    ) {
      self.lockTimeout = lockTimeout
      self.firstChunkBytes = (max(firstChunkBytes, 4096) + 7) & ~7
      self.largestChunkBytes = max(largestChunkBytes, self.firstChunkBytes)
      self.sealBytes = max(sealBytes, 4096)
    }
  }

  /// Path of the directory.
  public let directory: String
  /// State of the end of the log when the store was opened.
  public let recovery: RecoveryReport
  let fileSystem: any FileSystem
  let options: Options
  let isReadOnly: Bool
  /// Whether a unit of work on this handle holds the write lock.
  let writing = Monitor(false)
  /// Durable end of the log. Threads that wait for a sync block here.
  let syncing: Monitor<SyncState>
  let state: Mutex<LogState>

  struct SyncState: Sendable {
    var through: UInt64
    var isRunning = false
    var failure: StorageError?
  }

  init(
    directory: String, fileSystem: any FileSystem, options: Options, isReadOnly: Bool, state: LogState,
    recovery: RecoveryReport
  ) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
    self.isReadOnly = isReadOnly
    self.recovery = recovery
    syncing = Monitor(SyncState(through: state.tail.durable))
    self.state = Mutex(state)
  }

  /// Opens the store in a directory, whose path must not end with a slash. By default a missing store is created. An
  /// existing store is not changed.
  /// - Throws: ``StorageError/damaged(path:offset:)`` if anything before the torn tail is damaged;
  ///   ``StorageError/notFound(path:)`` if the mode does not create a missing store;
  ///   ``StorageError/newerVersion(path:found:supported:)``; or errors from the file system.
  public static func open(
    directory: String, mode: StoreMode = .createIfMissing, fileSystem: any FileSystem = PosixFileSystem(),
    options: Options = Options()
  ) throws(StorageError) -> StorageEngine {
    var generator = SystemRandomNumberGenerator()
    return try open(directory: directory, mode: mode, fileSystem: fileSystem, options: options, generator: &generator)
  }

  /// Opens a store. If the store is new, its id comes from the generator.
  public static func open(
    directory: String, mode: StoreMode = .createIfMissing, fileSystem: any FileSystem, options: Options,
    generator: inout some RandomNumberGenerator
  ) throws(StorageError) -> StorageEngine {
    let isReadOnly = mode == .readOnly
    let fileSystem: any FileSystem = isReadOnly ? ReadOnlyFileSystem(base: fileSystem) : fileSystem
    var (log, recovered): (Log, Log.Recovered)
    do {
      (log, recovered) = try Log.current(directory: directory, fileSystem: fileSystem)
    } catch .missing {
      if mode == .createIfMissing {
        try create(directory: directory, fileSystem: fileSystem, options: options, storeID: generator.next())
      } else {
        try requireManifest(Log(directory: directory, fileSystem: fileSystem))
      }
      (log, recovered) = try Log.current(directory: directory, fileSystem: fileSystem)
    }
    if recovered.tail != .clean {
      if let lock = try? log.openLock() {
        // Read under the lock, because another process may be saving. Under the lock, an unfinished save can only be
        // the result of a crash.
        defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
        try log.take(lock, atMost: options.lockTimeout)
        recovered = try Log.current(directory: directory, fileSystem: fileSystem).recovered
        if let damage = recovered.damage(confirmedBy: DurableEnd(of: lock)) { throw damage }
      } else {
        // Read without the lock, because a reader without write permission cannot acquire it.
        recovered = try Log.currentWithoutLock(directory: directory, fileSystem: fileSystem)
      }
    }
    let report = recovered.report
    return StorageEngine(
      directory: directory, fileSystem: fileSystem, options: options, isReadOnly: isReadOnly, state: recovered.state,
      recovery: report)
  }

  func requireWritable() throws(StorageError) {
    if isReadOnly { throw .openedReadOnly(path: directory) }
  }

  /// Whether this handle is usable. A failed sync makes it permanently unusable.
  public var isUsable: Bool { state.withLock { $0.handle.failure == nil } }

  // MARK: Reads

  /// Applies the saves that other handles and processes have made since the last call.
  public func refresh() throws(StorageError) { try refresh(evenIfUnchanged: false) }

  /// Applies the saves of other handles.
  /// - Parameter evenIfUnchanged: whether to check the files even if the counter has not changed.
  func refresh(evenIfUnchanged: Bool) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      // This handle holds the write lock, so it has applied everything and no other handle can save.
      if state.handle.isAppending { return }
      state.handle.looks &+= 1
      let looksAnyway = state.handle.looks & 63 == 0
      if state.handle.counter == nil, state.handle.looks == Self.readsToShare {
        state.handle.counter = sharedCounter(lock: state.handle.lock)
      }
      // Read the counter before the log, so that the next comparison detects a save that this read of the log misses.
      let now = state.handle.counter?.value
      if let now, now == state.handle.seen, !looksAnyway, !evenIfUnchanged { return }
      try state.catchUp(directory: directory, fileSystem: fileSystem)
      // Switch to the newest generation, because large saves are recorded only in the manifest. A newer generation also
      // needs less memory.
      try state.standOnNewest(directory: directory, fileSystem: fileSystem)
      state.handle.seen = now
    }
  }

  func position() throws(StorageError) -> StorePosition {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return state.position
    }
  }

  /// Number of refreshes after which the counter is mapped. For fewer refreshes, mapping costs more time than it saves.
  private static let readsToShare = 4

  /// Maps the counter for a handle that has not saved. If the counter cannot be mapped, the log is checked on each
  /// refresh.
  private func sharedCounter(lock: (any OpenFile)?) -> (any SharedCounter)? {
    if let lock { return try? lock.counter() }  // another thread is about to save and will increment this counter
    return try? fileSystem.open(directory + "/" + StoreFormat.lockName, .read).counter()
  }

  /// Returns the row with this kind and key, or `nil` if there is none.
  public func get(kind: UInt8, key: RowKey) throws(StorageError) -> Row? {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.find(kind: kind, key: key).map { Row(pointer: $0, pin: state.tail.pin) }
    }
  }

  /// Returns rows of a kind, or of one of its groups, with sort values in `lower..<upper`, in order of sort value, then
  /// key. `descending` reverses the order.
  public func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RowList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let found = try state.generation.tables.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
      return RowList(pointers: found, pin: state.tail.pin)
    }
  }

  /// Returns the rows of a kind whose keys are hashes or UUIDs in a range, and possibly further rows, in no particular
  /// order. If `keys` is `nil`, the range is empty.
  func records(kind: UInt8, keys: ClosedRange<RowKey>?) throws(StorageError) -> RowList {
    try listing { tables throws(StorageError) in try tables.records(kind: kind, keys: keys) }
  }

  /// Returns the most recently created rows of a kind, and possibly further rows, in no particular order. The creation
  /// time is taken from the key if it is a version 7 UUID, or else from the sort value.
  func latest(kind: UInt8, count: Int) throws(StorageError) -> RowList {
    try listing { tables throws(StorageError) in try tables.latest(kind: kind, count: count) }
  }

  private func listing(
    _ list: (StoreTables) throws(StorageError) -> [UnsafeRawPointer]
  ) throws(StorageError) -> RowList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return RowList(pointers: try list(state.generation.tables), pin: state.tail.pin)
    }
  }

  /// Returns the number of rows between consecutive boundaries, which must be ascending. A row whose sort value equals
  /// a boundary is counted after that boundary. The result has one element fewer than `boundaries`.
  public func counts(
    kind: UInt8, group: UInt64? = nil, boundaries: [Int64]
  ) throws(StorageError) -> [Int] {
    try counts(kind: kind, group: group, boundaries: SortBoundaries(boundaries))
  }

  func counts(kind: UInt8, group: UInt64?, boundaries: SortBoundaries) throws(StorageError) -> [Int] {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      var counts = [Int](repeating: 0, count: boundaries.count)
      try state.generation.tables.addCounts(kind: kind, group: group, boundaries: boundaries, to: &counts)
      return counts
    }
  }

  /// Returns the number of rows of a kind, or of one of its groups.
  public func count(kind: UInt8, group: UInt64? = nil) throws(StorageError) -> Int {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.count(kind: kind, group: group)
    }
  }

  /// Whether there may be rows of the kind. `false` means that there are certainly none. Takes constant time.
  func mayHold(kind: UInt8) throws(StorageError) -> Bool {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return state.generation.tables.mayHold(kind: kind)
    }
  }

  func lookAhead(kind: UInt8, keys: [RowKey], _ ahead: PrefetchCache) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      var records: [UnsafeRawPointer] = []
      try state.generation.tables.find(kind: kind, keys: keys) { records.append($1) }
      ahead.know(kind: kind, keys: keys, records: records, pin: state.tail.pin)
    }
  }

  /// Prefetches the rows of all identifiers with these hashes. `hashes` contains the first key of each hash.
  func lookAhead(kind: UInt8, hashes: [RowKey], _ ahead: PrefetchCache) throws(StorageError) {
    let sorted = hashes.sorted()
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      var records: [UnsafeRawPointer] = []
      try state.generation.tables.find(kind: kind, hashes: sorted) { records.append($0) }
      ahead.know(kind: kind, keys: sorted, records: records, pin: state.tail.pin)
    }
  }

  func lookAhead(kind: UInt8, groups: [UInt64], _ ahead: PrefetchCache) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      ahead.know(
        kind: kind, groups: groups, found: try state.generation.tables.records(kind: kind, groups: groups),
        pin: state.tail.pin)
    }
  }

  func holds(kind: UInt8, keys: [RowKey]) throws(StorageError) -> [Bool] {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.holds(kind: kind, keys: keys)
    }
  }

  /// Returns for each group whether it may have rows of a kind. `false` means that it certainly has none.
  func mayHold(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.mayHold(kind: kind, groups: groups)
    }
  }

  /// Scans saved rows, omitting those whose keys a unit of work has put or deleted in `overlay`.
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    hiddenBy overlay: Memtable
  ) throws(StorageError) -> RowList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let found = try state.generation.tables.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit
      ) { overlay.find(kind: RowLayout.kind($0), key: RowLayout.key($0)) != nil }
      return RowList(pointers: found, pin: state.tail.pin)
    }
  }

  // MARK: Writes

  /// Saves everything that `body` puts and deletes. When this returns, the changes are durable. If `body` throws,
  /// nothing is saved.
  public func write<Result>(
    _ body: (WriteTransaction) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let transaction = try beginWrite()
    do {
      let result = try body(transaction)
      try transaction.commit()
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Acquires the write lock, which excludes all other handles and processes, and applies their saves.
  ///
  /// No other handle can save until the transaction is committed or rolled back.
  /// - Throws: ``StorageError/busy(path:)`` after ``Options/lockTimeout``, or ``StorageError/openedReadOnly(path:)``.
  public func beginWrite() throws(StorageError) -> WriteTransaction {
    try requireWritable()
    let lockPath = directory + "/" + StoreFormat.lockName
    let isMine = writing.wait(atMost: options.lockTimeout) { isTaken -> Bool? in
      if isTaken { return nil }
      isTaken = true
      return true
    }
    guard isMine == true else { throw .busy(path: lockPath) }
    var lock: (any OpenFile)?
    do {
      let log = Log(directory: directory, fileSystem: fileSystem)
      let file = try lockFile(log)
      try log.take(file, atMost: options.lockTimeout)
      lock = file
      let synced = syncing.withLock { $0.through }
      try state.withLock { state throws(StorageError) in
        state.tail.durable = max(state.tail.durable, synced)
        try state.prepareToAppend(log)
      }
    } catch {
      if let lock { release(lock) } else { writing.update { $0 = false } }
      throw error
    }
    return WriteTransaction(engine: self)
  }
}
