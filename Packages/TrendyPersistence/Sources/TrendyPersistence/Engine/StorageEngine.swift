import Synchronization

/// A store of records in plain files: a log that is synced at every save, and in memory what it says.
///
/// A record has a kind, a 128-bit key, a sort value, a group and a payload; kind and key name it. Any number of handles in
/// any number of processes use one folder at once. Reads answer from what this handle has taken in: call ``refresh()``
/// before, where others may have saved. What is read stays as it was, whatever is saved meanwhile.
///
/// When a sync fails, this handle answers nothing more but ``StorageError/syncFailed(path:code:)``: open the store again.
public final class StorageEngine: Sendable {
  public struct Options: Hashable, Sendable {
    /// How long a save waits for another's to end before it throws ``StorageError/busy(path:)``.
    public var lockTimeout: Duration
    /// Bytes of the first file of the log, at least 4096; each further one is twice as large.
    public var firstChunkBytes: Int
    /// Bytes of a later file of the log; only one save that is larger makes a larger one.
    public var largestChunkBytes: Int
    /// Bytes of log from which ``StorageEngine/maintain(sealingAll:mergingFrom:)`` makes a segment of it: what an opening has to read at
    /// most where somebody calls that. A save seals by itself where nobody does, at 64 times as many; one that has eight times
    /// as many of its own becomes a segment at once.
    public var sealBytes: Int

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

  /// The folder.
  public let directory: String
  /// What opening found at the end of the log.
  public let recovery: RecoveryReport
  let fileSystem: any FileSystem
  let options: Options
  /// True while a unit of work of this handle holds the write lock.
  let writing = Monitor(false)
  /// What is known to be on the disk; a thread that waits for a sync waits here.
  let syncing: Monitor<SyncState>
  let state: Mutex<LogState>

  struct SyncState: Sendable {
    /// The last group that is durable.
    var through: UInt64
    /// Whether a thread is making more durable just now.
    var isRunning = false
    var failure: StorageError?
  }

  init(
    directory: String, fileSystem: any FileSystem, options: Options, state: LogState,
    recovery: RecoveryReport
  ) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
    self.recovery = recovery
    syncing = Monitor(SyncState(through: state.tail.durable))
    self.state = Mutex(state)
  }

  /// Opens the store of a folder, or makes one there. Opening changes nothing in a store that is there.
  /// - Throws: ``StorageError/damaged(path:offset:)`` when something before the tail is not as it was written,
  ///   ``StorageError/newerVersion(path:found:supported:)``, or what the file system says.
  public static func open(
    directory: String, fileSystem: any FileSystem = PosixFileSystem(), options: Options = Options()
  ) throws(StorageError) -> StorageEngine {
    var generator = SystemRandomNumberGenerator()
    return try open(directory: directory, fileSystem: fileSystem, options: options, generator: &generator)
  }

  /// The same with a generator, which gives a new store its identity.
  public static func open(
    directory: String, fileSystem: any FileSystem, options: Options, generator: inout some RandomNumberGenerator
  ) throws(StorageError) -> StorageEngine {
    var (log, recovered): (Log, Log.Recovered)
    do {
      (log, recovered) = try Log.current(directory: directory, fileSystem: fileSystem)
    } catch .missing {
      try create(directory: directory, fileSystem: fileSystem, options: options, storeID: generator.next())
      (log, recovered) = try Log.current(directory: directory, fileSystem: fileSystem)
    }
    if recovered.tail != .clean {
      // Another process may be in the middle of a save; whether this is what a crash left shows when nobody writes.
      let lock = try? log.openLock()  // without the right to write there is no lock, and what was read stands
      let readable = lock ?? (try? fileSystem.open(log.lockPath, .read))  // nor, perhaps, a mark
      defer { withExtendedLifetime(lock) {} }  // the lock goes with its file
      if let lock {
        try log.take(lock, atMost: options.lockTimeout)
        recovered = try Log.current(directory: directory, fileSystem: fileSystem).recovered
      }
      if case .damaged(let path, let offset) = recovered.tail { throw .damaged(path: path, offset: offset) }
      if let mark = readable.flatMap({ DurableMark(of: $0) }),
        mark.isAhead(of: recovered.state.tail.sequence, in: recovered.state.generation.manifest)
      {
        throw .damaged(path: recovered.report.path, offset: recovered.report.offset)
      }
    }
    let report = recovered.report
    return StorageEngine(
      directory: directory, fileSystem: fileSystem, options: options, state: recovered.state, recovery: report)
  }

  /// Whether this handle still answers: `false` after a sync that failed.
  public var isUsable: Bool { state.withLock { $0.handle.failure == nil } }

  // MARK: Reads

  /// Takes in what others saved since.
  public func refresh() throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      // Whoever writes here has taken in everything, and nobody else can add to it now.
      if state.handle.isAppending { return }
      state.handle.looks &+= 1
      let looksAnyway = state.handle.looks & 63 == 0
      if state.handle.counter == nil, state.handle.looks == Self.readsToShare {
        state.handle.counter = sharedCounter(lock: state.handle.lock)
      }
      // Before the log is looked at: what is saved meanwhile may be missed there, and then shows here.
      let now = state.handle.counter?.value
      if let now, now == state.handle.seen, !looksAnyway { return }
      try state.catchUp(directory: directory, fileSystem: fileSystem)
      // A large save stands in the manifest alone; and after a seal less memory will do.
      try state.standOnNewest(directory: directory, fileSystem: fileSystem)
      state.handle.seen = now
    }
  }

  /// Position of the last save that this handle has read.
  func position() throws(StorageError) -> StorePosition {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return StorePosition(
        storeID: state.generation.manifest.storeID, generation: state.generation.manifest.generation,
        sequence: state.tail.sequence)
    }
  }

  /// A handle that reads but a few times has no use for a counter.
  private static let readsToShare = 4

  /// For a handle that has not saved. The lock file may not be there, or not for this user: then it looks in the log each
  /// time.
  private func sharedCounter(lock: (any OpenFile)?) -> (any SharedCounter)? {
    if let lock { return try? lock.counter() }  // another thread is about to save: this is what it will advance
    return try? fileSystem.open(directory + "/" + StoreFormat.lockName, .read).counter()
  }

  /// The record of this name.
  public func get(kind: UInt8, key: RecordKey) throws(StorageError) -> Record? {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.find(kind: kind, key: key).map { Record(pointer: $0, pin: state.tail.pin) }
    }
  }

  /// The records of a kind, or of a group in it, with a sort value from `lower` up to and without `upper`, by sort value
  /// and key.
  public func scan(
    kind: UInt8, group: UInt64? = nil, from lower: Int64 = .min, to upper: Int64 = .max, descending: Bool = false,
    limit: Int = .max
  ) throws(StorageError) -> RecordList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let found = try state.generation.tables.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit)
      return RecordList(pointers: found, pin: state.tail.pin)
    }
  }

  /// The records of a kind whose keys are of UUIDs in a range, those whose keys are hashes, and perhaps others, in no order.
  /// - Parameter keys: `nil` for hashes alone.
  func records(kind: UInt8, keys: ClosedRange<RecordKey>?) throws(StorageError) -> RecordList {
    try listing { tables throws(StorageError) in try tables.records(kind: kind, keys: keys) }
  }

  /// The records of a kind that were made last, and perhaps others, in no order: by the time in a UUID of version 7, else by the
  /// sort value.
  func latest(kind: UInt8, count: Int) throws(StorageError) -> RecordList {
    try listing { tables throws(StorageError) in try tables.latest(kind: kind, count: count) }
  }

  private func listing(
    _ list: (StoreTables) throws(StorageError) -> [UnsafeRawPointer]
  ) throws(StorageError) -> RecordList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return RecordList(pointers: try list(state.generation.tables), pin: state.tail.pin)
    }
  }

  /// How many records have a sort value from each boundary, they rise, up to and without the next.
  /// - Returns: one number less than there are boundaries.
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

  /// How many records there are of a kind, or of a group in it.
  public func count(kind: UInt8, group: UInt64? = nil) throws(StorageError) -> Int {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.count(kind: kind, group: group)
    }
  }

  /// `false` where there is no record of the kind: at once, and for certain.
  func mayHold(kind: UInt8) throws(StorageError) -> Bool {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return state.generation.tables.mayHold(kind: kind)
    }
  }

  /// Looks once for the records of many names.
  func lookAhead(kind: UInt8, keys: [RecordKey], _ ahead: LookAhead) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      var records: [UnsafeRawPointer] = []
      try state.generation.tables.find(kind: kind, keys: keys) { records.append($1) }
      ahead.know(kind: kind, keys: keys, records: records, pin: state.tail.pin)
    }
  }

  /// Looks once for the records that have a key of many hashes.
  /// - Parameter hashes: the first place of each.
  func lookAhead(kind: UInt8, hashes: [RecordKey], _ ahead: LookAhead) throws(StorageError) {
    let sorted = hashes.sorted()
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      var records: [UnsafeRawPointer] = []
      try state.generation.tables.find(kind: kind, hashes: sorted) { records.append($0) }
      ahead.know(kind: kind, keys: sorted, records: records, pin: state.tail.pin)
    }
  }

  /// Looks once for the records of many groups.
  func lookAhead(kind: UInt8, groups: [UInt64], _ ahead: LookAhead) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      ahead.know(
        kind: kind, groups: groups, found: try state.generation.tables.records(kind: kind, groups: groups),
        pin: state.tail.pin)
    }
  }

  /// Whether a record lies under each of these keys.
  func holds(kind: UInt8, keys: [RecordKey]) throws(StorageError) -> [Bool] {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.holds(kind: kind, keys: keys)
    }
  }

  /// Whether each group may have records of a kind: `false` where it has none, for certain.
  func mayHold(kind: UInt8, groups: [UInt64]) throws(StorageError) -> [Bool] {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return try state.generation.tables.mayHold(kind: kind, groups: groups)
    }
  }

  /// A scan that leaves out what a unit of work has in its own table.
  func scan(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, descending: Bool, limit: Int,
    hiddenBy overlay: Memtable
  ) throws(StorageError) -> RecordList {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let found = try state.generation.tables.scan(
        kind: kind, group: group, from: lower, to: upper, descending: descending, limit: limit
      ) { overlay.find(kind: RecordLayout.kind($0), key: RecordLayout.key($0)) != nil }
      return RecordList(pointers: found, pin: state.tail.pin)
    }
  }

  // MARK: Writes

  /// Saves what `body` puts and deletes, all or nothing; durable on return. When `body` throws, nothing changes.
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

  /// Takes the write lock of the store, over all processes, and takes in what others saved.
  ///
  /// Until the transaction is committed or rolled back nobody else can save.
  public func beginWrite() throws(StorageError) -> WriteTransaction {
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
