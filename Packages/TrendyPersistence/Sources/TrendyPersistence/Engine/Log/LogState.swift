/// What an open store has in memory.
struct LogState {
  var generation: Generation
  var tail: LogTail
  var handle = Handle()
}

/// A generation of the store: the manifest, and the rows of its segments and of the log.
///
/// `@unchecked`: it is made by the opening thread and from then on lives in the engine's `Mutex`.
struct Generation: @unchecked Sendable {
  let tables: StoreTables
  let manifest: Manifest
  /// File of the manifest: as long as it is in its place, so is this generation.
  let manifestFile: (any OpenFile)?
}

/// What belongs to this handle, whatever generation it stands on.
struct Handle {
  var lock: (any OpenFile)?
  /// Whether a unit of work of this handle has the write lock and has caught up.
  var isAppending = false
  /// Bytes that this handle has saved.
  var savedBytes = 0
  /// Says whether somebody saved since it was ``seen``; `nil` where it has to be looked for in the log.
  var counter: (any SharedCounter)?
  /// What the counter said before all that was there was taken in.
  var seen: UInt64?
  /// How often it was asked whether there is more.
  var looks = 0
  /// Why this handle must not be used any more.
  var failure: StorageError?
}

extension LogState {
  /// Stands on the newest generation from now on, if there is a newer one.
  /// - Returns: whether there was a newer one.
  @discardableResult
  mutating func reload(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Bool {
    let now = try Manifest.read(directory: directory, fileSystem: fileSystem)
    guard now.generation > generation.manifest.generation else { return false }
    let path = directory + "/" + StoreFormat.chunkName(tail.chunk.number)
    guard now.storeID == generation.manifest.storeID else { throw .missing(path: path) }
    // A tail that is not whole may be a save under way: who has the write lock judges it.
    let new = try Log.current(
      directory: directory, fileSystem: fileSystem, keepingSegmentsOf: generation.tables.segments
    ).recovered.state
    // Only a repair takes something away, and then the store has to be opened anew.
    guard new.tail.sequence >= tail.sequence else { throw .missing(path: path) }
    generation = new.generation
    tail = new.tail.replacing(tail)
    handle.seen = nil
    return true
  }

  /// Stands on the newest generation from now on. Where the folder is gone it stays with what it has.
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

  /// Takes in the groups that lie beyond the end.
  /// - Returns: whether zeros follow, as far as a header reaches.
  @discardableResult
  mutating func catchUp(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Bool {
    while true {
      let available = tail.chunk.chunkBytes - tail.end
      guard available >= GroupHeader.bytes else { return false }
      // Into the chunk's memory beyond the end, which nobody reads.
      var target = tail.place(for: GroupHeader.bytes)
      guard try tail.read(into: target, count: GroupHeader.bytes) else {
        // A chunk has its full length from the start; somebody has cut it off.
        throw .damaged(path: directory + "/" + StoreFormat.chunkName(tail.chunk.number), offset: tail.end)
      }
      guard
        let header = GroupHeader.read(target, available: available, epoch: tail.chunk.epoch),
        header.sequence == tail.sequence + 1
      else { return tail.memory.isZero(from: tail.end, count: GroupHeader.bytes) }
      target = tail.place(for: header.length)
      guard try tail.read(into: target, count: header.length),
        // Read again with the rest: the first look may have been at half of it.
        let group = GroupHeader.read(target, available: available, epoch: tail.chunk.epoch), group == header,
        group.isWhole(target)
      else { return false }
      var next: (file: any OpenFile, header: ChunkHeader, failure: StorageError?)?
      if group.isReplacement {
        if try reload(directory: directory, fileSystem: fileSystem) { continue }
        // The rows are replaced in this moment, or a restore was cut off here; only who opens the store anew knows which.
        let replaced = StorageError.replaced(path: directory)
        handle.failure = replaced
        throw replaced
      }
      if group.isSeal {
        // All before the seal was synced before anything went into the next chunk.
        let log = Log(directory: directory, fileSystem: fileSystem)
        do {
          next = try log.openChunk(tail.chunk.number + 1)
        } catch {
          guard case .missing = error, try reload(directory: directory, fileSystem: fileSystem) else { throw error }
          continue  // what was there is in a segment by now
        }
        guard next?.header.storeID == tail.chunk.storeID else {
          throw .damaged(path: log.path(tail.chunk.number + 1), offset: 40)
        }
      }
      generation.tables.apply(group: group, at: target)
      let doubtfulFrom = tail.doubt?.offset ?? tail.end
      tail.advance(past: group, checksum: GroupHeader.checksum(of: target))
      tail.durable = max(tail.durable, group.durable)
      tail.doubt = LogTail.Doubt(offset: doubtfulFrom, sequence: tail.sequence)
      if let next {
        tail.writeFailure = next.failure
        tail.previous = LogTail.SealedChunk(
          file: tail.file, memory: tail.memory, number: tail.chunk.number, doubtful: doubtfulFrom..<tail.end,
          seal: tail.sequence)
        tail.enter(next.header, file: next.file)
      }
    }
  }

  /// Begins to make the next chunk while there is room in this one: who saves much does not wait for it then, nor for its memory,
  /// and its pages are written over before.
  mutating func prepareNextChunk(_ options: StorageEngine.Options, directory: String, fileSystem: any FileSystem) {
    // A program that saves once and ends makes nothing ahead.
    guard tail.spare == nil, handle.savedBytes >= options.firstChunkBytes / 4, tail.end * 2 >= tail.chunk.chunkBytes
    else { return }
    let header = ChunkHeader(after: tail.chunk, chunkBytes: min(tail.chunk.chunkBytes * 2, options.largestChunkBytes))
    let memory = RecordMemory(zeroed: header.chunkBytes)
    let file = fileSystem.beginSpare(
      inDirectory: directory, bytes: header.chunkBytes, beginningWith: header.encoded
    ) { memory.bringIn(from: 0, count: memory.count) }
    tail.spare = file.map { (header, $0, memory) }
  }
}

// MARK: Before anything is appended

extension LogState {
  /// What the owner of the write lock does first: takes in everything, and makes sure that nothing lies beyond it.
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
      try tail.clean(log, mark: lock.flatMap { DurableMark(of: $0) }, in: generation.manifest)
      tail.isSuspect = false
    }
    if tail.sequence > tail.durable, let lock = handle.lock, DurableMark(of: lock) == tail.mark {
      tail.durable = tail.sequence
    }
    try confirmWhatOthersLeft(log)
    handle.seen = now
    handle.isAppending = true
  }

  /// Before anything is saved: whoever reads may rely on it.
  private mutating func attachCounter() throws(StorageError) {
    guard handle.counter == nil, let lock = handle.lock else { return }
    handle.counter = try storing { () throws(FileSystemError) in try lock.counter() }
  }

  /// Asks after the manifest and not after the chunk: Linux gives a file whose times were asked for new ones with its next
  /// write, to the nanosecond, and the journal's commit of those made a save half as slow again.
  private mutating func standOnNewestGeneration(_ log: Log) throws(StorageError) {
    let file = generation.manifestFile
    let isInPlace = try storing { () throws(FileSystemError) in try file?.isInPlace() ?? false }
    if isInPlace { return }
    do {
      if try reload(directory: log.directory, fileSystem: log.fileSystem) { return }
    } catch .missing {
      // The folder was moved or removed.
    }
    throw .missing(path: log.path(tail.chunk.number))
  }

  /// What is saved from here on stands on what others wrote before: whoever did may have ended before it was synced, or
  /// have seen the sync fail. So it is written again, and this handle's own sync makes it durable.
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
