struct LogState {
  var generation: Generation
  var tail: LogTail
  var handle = Handle()
}

/// Generation of a store: its manifest, and the rows in its segments and log.
///
/// `@unchecked`: used by the thread that opens the store, and afterwards only inside the engine's `Mutex`.
struct Generation: @unchecked Sendable {
  let tables: StoreTables
  let manifest: Manifest
  /// The open manifest file. The generation is current while the manifest's path refers to this file.
  let manifestFile: (any OpenFile)?
}

struct Handle {
  var lock: (any OpenFile)?
  /// Whether a unit of work on this handle holds the write lock and has applied every group.
  var isAppending = false
  var savedBytes = 0
  /// Counter incremented by every save, or `nil` if this handle has to check the log for new groups.
  var counter: (any SharedCounter)?
  /// Value of ``counter`` from before the log was last read to its end.
  var seen: UInt64?
  var looks = 0
  /// Error that makes this handle permanently unusable.
  var failure: StorageError?
  /// Observers of the store, which are woken when this handle releases the write lock.
  var observers: CommitObservers?
  /// Groups of the current generation that were applied while there were observers.
  var observed: [ObservedGroup] = []
  /// Sequence number after which no group is missing in ``observed``.
  var observedAfter: UInt64 = 0
}

extension LogState {
  /// Switches to the newest generation.
  /// - Returns: whether there was a newer generation.
  @discardableResult
  mutating func reload(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Bool {
    let now = try Manifest.read(directory: directory, fileSystem: fileSystem)
    guard now.generation > generation.manifest.generation else { return false }
    let path = directory + "/" + StoreFormat.chunkName(tail.chunk.number)
    guard now.storeID == generation.manifest.storeID else { throw .missing(path: path) }
    // An incomplete tail may be a save in progress. Only the holder of the write lock can rule that out.
    let new = try Log.current(
      directory: directory, fileSystem: fileSystem, keepingSegmentsOf: generation.tables.segments
    ).recovered.state
    // If groups are missing, the store must be reopened, because only a repair removes groups.
    guard new.tail.sequence >= tail.sequence else { throw .missing(path: path) }
    generation = new.generation
    tail = new.tail.replacing(tail)
    handle.seen = nil
    handle.observed = []
    return true
  }

  /// Switches to the newest generation, or keeps the current generation if the directory no longer exists.
  mutating func standOnNewest(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let file = generation.manifestFile
    let isInPlace = try storing { () throws(FileSystemError) in try file?.isInPlace() ?? true }
    if isInPlace { return }
    do {
      try reload(directory: directory, fileSystem: fileSystem)
    } catch {
      guard case .missing = error else { throw error }
    }
  }

  /// Applies all groups after the current end.
  /// - Returns: whether the bytes after the new end, where a group header would be, are all zero.
  @discardableResult
  mutating func catchUp(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Bool {
    while true {
      let available = tail.chunk.chunkBytes - tail.end
      guard available >= GroupHeader.bytes else { return false }
      // Read into the chunk's memory beyond the end, where no reader looks.
      var target = tail.place(for: GroupHeader.bytes)
      guard try tail.read(into: target, count: GroupHeader.bytes) else {
        // A chunk is created with its full length, so the file must have been truncated.
        throw .damaged(path: directory + "/" + StoreFormat.chunkName(tail.chunk.number), offset: tail.end)
      }
      guard
        let header = GroupHeader.read(target, available: available, epoch: tail.chunk.epoch),
        header.sequence == tail.sequence + 1
      else { return tail.memory.isZero(from: tail.end, count: GroupHeader.bytes) }
      target = tail.place(for: header.length)
      guard try tail.read(into: target, count: header.length),
        // Read the header again with the body, because the first read may have seen a partly written header.
        let group = GroupHeader.read(target, available: available, epoch: tail.chunk.epoch), group == header,
        group.isWhole(target)
      else { return false }
      var next: (file: any OpenFile, header: ChunkHeader, failure: StorageError?)?
      if group.isReplacement {
        if try reload(directory: directory, fileSystem: fileSystem) { continue }
        // Either a restore is in progress or it was interrupted. Only reopening the store shows which.
        let replaced = StorageError.replaced(path: directory)
        handle.failure = replaced
        throw replaced
      }
      if group.isSeal {
        // Everything before the seal was synced before the first group was written to the next chunk.
        let log = Log(directory: directory, fileSystem: fileSystem)
        do {
          next = try log.openChunk(tail.chunk.number + 1)
        } catch {
          guard case .missing = error, try reload(directory: directory, fileSystem: fileSystem) else { throw error }
          continue  // the groups are in a segment by now
        }
        guard next?.header.storeID == tail.chunk.storeID else {
          throw .damaged(path: log.path(tail.chunk.number + 1), offset: 40)
        }
      }
      apply(group, at: target, isOwn: false)
      let doubtfulFrom = tail.doubt?.offset ?? tail.end
      tail.advance(past: group, checksum: GroupHeader.checksum(of: target))
      tail.durable = max(tail.durable, group.durable)
      tail.doubt = LogTail.UnconfirmedRange(offset: doubtfulFrom, sequence: tail.sequence)
      if let next {
        tail.writeFailure = next.failure
        tail.previous = LogTail.SealedChunk(
          file: tail.file, memory: tail.memory, number: tail.chunk.number, doubtful: doubtfulFrom..<tail.end,
          seal: tail.sequence)
        tail.enter(next.header, file: next.file)
      }
    }
  }

  /// Starts creating the next chunk in the background while the current chunk still has space, so that a handle that
  /// saves a lot need not wait for the file or its memory.
  mutating func prepareNextChunk(_ options: StorageEngine.Options, directory: String, fileSystem: any FileSystem) {
    // Preparing a chunk is not worthwhile for a program that saves once and exits.
    guard tail.spare == nil, handle.savedBytes >= options.firstChunkBytes / 4, tail.end * 2 >= tail.chunk.chunkBytes
    else { return }
    let header = ChunkHeader(after: tail.chunk, chunkBytes: min(tail.chunk.chunkBytes * 2, options.largestChunkBytes))
    let memory = RowMemory(zeroed: header.chunkBytes)
    let file = fileSystem.beginSpare(
      inDirectory: directory, bytes: header.chunkBytes, beginningWith: header.encoded
    ) { memory.bringIn(from: 0, count: memory.count) }
    tail.spare = file.map { (header, $0, memory) }
  }
}

// MARK: Preparing to append

extension LogState {
  /// Prepares for appending under the write lock: applies every group and clears any bytes after the last group.
  mutating func prepareToAppend(_ log: Log) throws(StorageError) {
    if let failure = handle.failure { throw failure }
    if let writeFailure = tail.writeFailure { throw writeFailure }
    try standOnNewestGeneration(log)
    try attachCounter()
    let now = handle.counter?.value
    let isClean = try catchUp(directory: log.directory, fileSystem: log.fileSystem)
    if let writeFailure = tail.writeFailure { throw writeFailure }
    if tail.isSuspect || !isClean {
      let lock = handle.lock
      try tail.clean(log, mark: lock.flatMap { DurableEnd(of: $0) }, in: generation.manifest)
      tail.isSuspect = false
    }
    if tail.sequence > tail.durable, let lock = handle.lock, DurableEnd(of: lock) == tail.mark {
      tail.durable = tail.sequence
    }
    try confirmWhatOthersLeft(log)
    handle.seen = now
    handle.isAppending = true
  }

  /// Maps the counter in the lock file. Required before the first save, because readers rely on the counter.
  private mutating func attachCounter() throws(StorageError) {
    guard handle.counter == nil, let lock = handle.lock else { return }
    handle.counter = try storing { () throws(FileSystemError) in try lock.counter() }
  }

  /// Switches to the newest generation. Throws if the directory was moved or removed.
  ///
  /// Queries the file status of the manifest rather than of the chunk, because Linux updates the timestamp of a queried
  /// file on the file's next write. Journaling the timestamp would make a save 50 % slower.
  private mutating func standOnNewestGeneration(_ log: Log) throws(StorageError) {
    let file = generation.manifestFile
    let isInPlace = try storing { () throws(FileSystemError) in try file?.isInPlace() ?? false }
    if isInPlace { return }
    do {
      if try reload(directory: log.directory, fileSystem: log.fileSystem) { return }
    } catch .missing {
      // The directory was moved or removed.
    }
    throw .missing(path: log.path(tail.chunk.number))
  }

  /// Makes groups written by other handles durable before anything is saved after them.
  ///
  /// Their writer may have exited before its sync, or the sync may have failed. Groups in the current chunk are
  /// rewritten and become durable with this handle's next sync. A preceding chunk is synced here.
  private mutating func confirmWhatOthersLeft(_ log: Log) throws(StorageError) {
    if tail.isNew {
      try storing { () throws(FileSystemError) in try log.fileSystem.syncDirectory(log.directory) }
      tail.isNew = false
    }
    if let doubt = tail.doubt, doubt.sequence > tail.durable {
      let file = tail.file
      let bytes = tail.memory.bytes(from: doubt.offset, count: tail.end - doubt.offset)
      try storing { () throws(FileSystemError) in try file.write(bytes, at: doubt.offset) }
    }
    tail.doubt = nil
    guard let previous = tail.previous else { return }
    if tail.durable < previous.seal {
      let bytes = previous.memory.bytes(from: previous.doubtful.lowerBound, count: previous.doubtful.count)
      try storing { () throws(FileSystemError) in
        try previous.file.write(bytes, at: previous.doubtful.lowerBound)
      }
      do {
        try previous.file.synchronize()
      } catch {
        let failure = StorageError.syncFailed(path: log.path(previous.number), code: error.code)
        handle.failure = failure
        throw failure
      }
      tail.durable = previous.seal
    }
    tail.previous = nil
  }
}
