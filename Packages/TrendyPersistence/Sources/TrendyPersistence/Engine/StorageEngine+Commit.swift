import Synchronization

extension StorageEngine {
  func lockFile(_ log: Log) throws(StorageError) -> any OpenFile {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      if let lock = state.handle.lock { return lock }
      let lock = try log.openLock()
      state.handle.lock = lock
      // A counter mapped for reading cannot be incremented, so map it again through the lock file.
      state.handle.counter = nil
      return lock
    }
  }

  func release(_ lock: any OpenFile) {
    state.withLock { $0.handle.isAppending = false }
    do {
      try lock.unlock()
    } catch {
      // The lock is released when the last reference to the file is dropped.
      state.withLock { state in
        state.handle.lock = nil
        state.handle.counter = nil
      }
    }
    writing.update { $0 = false }
    state.withLock { $0.handle.observers }?.wake()
  }

  func releaseWriteLock() {
    let lock = state.withLock { $0.handle.lock }
    if let lock { release(lock) }
  }

  /// Makes this handle unusable, because the state of the disk is unknown.
  func fail(_ error: StorageError) {
    state.withLock { $0.handle.failure = error }
    syncing.update { $0.failure = error }
  }

  func check() throws(StorageError) {
    if let failure = state.withLock({ $0.handle.failure }) { throw failure }
  }

  func nextSequence() throws(StorageError) -> UInt64 {
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      return state.tail.sequence + 1
    }
  }

  /// Writes one group. Requires the write lock, which is not released.
  /// - Returns: the sequence number to pass to ``waitUntilDurable(_:)``, or `nil` if nothing has to become durable.
  func append(_ records: [UnsafeRawPointer], bytes: Int) throws(StorageError) -> UInt64? {
    if records.isEmpty {
      // Wait until all earlier groups are durable, because the unit may have read groups that other handles wrote but
      // never synced.
      return state.withLock { $0.tail.sequence > $0.tail.durable ? $0.tail.sequence : nil }
    }
    try makeRoom(for: bytes)
    let durable = syncing.withLock { $0.through }
    return try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let header = state.layOut(records, bytes: bytes, durable: durable)
      try state.writeBeyondEnd(count: bytes)
      state.takeIn(header)
      state.prepareNextChunk(options, directory: directory, fileSystem: fileSystem)
      return state.tail.sequence
    }
  }

  /// Writes one group and syncs it before `publish` makes it visible. Requires the write lock, which is not released.
  /// The disk is accessed outside the lock of `state`, so reads can continue in the meantime.
  func appendDurably(
    _ records: [UnsafeRawPointer], bytes: Int,
    publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    if records.isEmpty {
      if let sequence = try append(records, bytes: bytes) { try waitUntilDurable(sequence) }
      return
    }
    try makeRoom(for: bytes)
    let durable = syncing.withLock { $0.through }
    let (header, memory, file, offset, path) = try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let header = state.layOut(records, bytes: bytes, durable: durable)
      let path = directory + "/" + StoreFormat.chunkName(state.tail.chunk.number)
      return (header, state.tail.memory, state.tail.file, state.tail.end, path)
    }
    let result = Result { () throws(FileSystemError) in
      try file.write(memory.bytes(from: offset, count: bytes), at: offset)
    }
    try state.withLock { state throws(StorageError) in try state.onWritten(result, count: bytes) }
    do {
      try file.synchronize()
    } catch {
      let failure = StorageError.syncFailed(path: path, code: error.code)
      fail(failure)
      throw failure
    }
    syncing.update { $0.through = max($0.through, header.sequence) }
    do {
      try publish { () throws(StorageError) in
        try state.withLock { state throws(StorageError) -> Void in
          if state.tail.memory === memory, state.tail.sequence + 1 == header.sequence {
            state.takeIn(header)
          } else {
            // Maintenance has reread the log in the meantime and may already have applied the group.
            try state.catchUp(directory: directory, fileSystem: fileSystem)
          }
          state.prepareNextChunk(options, directory: directory, fileSystem: fileSystem)
          if let lock = state.handle.lock { state.tail.mark.write(to: lock, with: state.handle.counter) }
        }
      }
    } catch {
      // Do not report an error, because the save is durable. Only this handle becomes unusable.
      fail(error)
    }
  }

  /// Switches to a new chunk if the current chunk has too little space. Space for a seal always remains.
  private func makeRoom(for bytes: Int) throws(StorageError) {
    guard bytes < GroupHeader.largest else { throw .tooLarge(bytes: bytes, limit: GroupHeader.largest) }
    let needsChunk = state.withLock { $0.tail.end + bytes + GroupHeader.bytes > $0.tail.chunk.chunkBytes }
    if needsChunk { try goOnInNewChunk(Log(directory: directory, fileSystem: fileSystem), for: bytes) }
  }

  /// Blocks until a group is durable. One of the waiting threads syncs all groups written so far.
  func waitUntilDurable(_ sequence: UInt64) throws(StorageError) {
    enum Turn {
      case done
      case failed(StorageError)
      case lead
    }
    while true {
      let turn = syncing.wait { sync -> Turn? in
        if sync.through >= sequence { return .done }
        if let failure = sync.failure { return .failed(failure) }
        if sync.isRunning { return nil }
        sync.isRunning = true
        return .lead
      }
      switch turn {
      case .done: return
      case .failed(let error): throw error
      case .lead:
        let (file, mark, lock, counter, path) = state.withLock {
          (
            $0.tail.file, $0.tail.mark, $0.handle.lock, $0.handle.counter,
            directory + "/" + StoreFormat.chunkName($0.tail.chunk.number)
          )
        }
        do {
          try file.synchronize()
          syncing.update {
            $0.isRunning = false
            $0.through = max($0.through, mark.sequence)
          }
          if let lock { mark.write(to: lock, with: counter) }
        } catch {
          let failure = StorageError.syncFailed(path: path, code: error.code)
          syncing.update { $0.isRunning = false }
          fail(failure)
          throw failure
        }
      }
    }
  }

  /// Length in bytes above which a save gains little from a chunk filled with zeros in advance.
  private static let largeSave = 64 << 10

  /// Creates the next chunk, seals and syncs the current chunk, and switches to the next. Groups are written to a chunk
  /// only after everything before it is durable.
  /// - Parameters:
  ///   - log: log of the store.
  ///   - bytes: length of the group that needs space.
  ///   - spare: prepared file for the next chunk, if there is one.
  ///   - isReplacement: whether the seal announces a restore.
  func goOnInNewChunk(
    _ log: Log, for bytes: Int, spare: SpareChunk? = nil, isReplacement: Bool = false
  ) throws(StorageError) {
    let (current, file) = state.withLock { ($0.tail.chunk, $0.tail.file) }
    let next = try makeChunk(log, after: current, for: bytes, spare: spare)
    let durable = syncing.withLock { $0.through }
    let sealed = try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      let seal = GroupHeader(
        length: GroupHeader.bytes, count: 0, epoch: current.epoch, sequence: state.tail.sequence + 1,
        durable: max(durable, state.tail.durable), isSeal: true, isReplacement: isReplacement)
      let target = state.tail.place(for: GroupHeader.bytes)
      seal.write(to: target)
      let checksum = GroupHeader.checksum(of: target)
      try state.writeBeyondEnd(count: GroupHeader.bytes)
      state.tail.end += GroupHeader.bytes
      state.tail.sequence += 1
      state.tail.checksum = checksum
      return state.tail.sequence
    }
    do {
      try file.synchronize()
    } catch {
      let failure = StorageError.syncFailed(path: log.path(current.number), code: error.code)
      fail(failure)
      throw failure
    }
    syncing.update { $0.through = max($0.through, sealed) }
    state.withLock { $0.tail.enter(next.header, file: next.file, memory: next.memory) }
  }

  private func makeChunk(
    _ log: Log, after current: ChunkHeader, for bytes: Int, spare: SpareChunk?
  ) throws(StorageError) -> (header: ChunkHeader, file: any OpenFile, memory: RowMemory?) {
    if let spare {
      let header = ChunkHeader(after: current, chunkBytes: spare.bytes)
      return (header, try log.adopt(spare, as: header), nil)
    }
    let needed = ChunkHeader.bytes + bytes + GroupHeader.bytes
    if let ready = state.withLock({ $0.tail.spare }), ready.header.chunkBytes >= needed {
      // If the prepared chunk cannot be completed, for example on a full disk, create a new chunk instead.
      if let file = try? log.adopt(ready.file, as: ready.header) { return (ready.header, file, ready.memory) }
    }
    func make(_ chunkBytes: Int) throws(StorageError) -> (ChunkHeader, any OpenFile, RowMemory?) {
      let header = ChunkHeader(after: current, chunkBytes: max(needed, chunkBytes))
      // Filling the chunk with zeros would take as long as writing the few large saves that fit into it.
      return (header, try log.createChunk(header, isWrittenOver: bytes < Self.largeSave), nil)
    }
    let usual = min(current.chunkBytes * 2, options.largestChunkBytes)
    do {
      return try make(usual)
    } catch {
      guard case .diskFull = error, usual > options.firstChunkBytes, needed < usual else { throw error }
      return try make(options.firstChunkBytes)
    }
  }
}

extension LogState {
  fileprivate mutating func layOut(_ records: [UnsafeRawPointer], bytes: Int, durable: UInt64) -> GroupHeader {
    let target = tail.place(for: bytes)
    var position = GroupHeader.bytes
    for record in records {
      let size = RowLayout.size(record)
      (target + position).copyMemory(from: record, byteCount: size)
      position += size
    }
    let header = GroupHeader(
      length: bytes, count: records.count, epoch: tail.chunk.epoch, sequence: tail.sequence + 1,
      durable: max(durable, tail.durable), isSeal: false)
    header.write(to: target)
    return header
  }

  fileprivate mutating func takeIn(_ header: GroupHeader) {
    let target = tail.memory.base + tail.end
    apply(header, at: target, isOwn: true)
    tail.advance(past: header, checksum: GroupHeader.checksum(of: target))
    handle.savedBytes += header.length
  }

  /// If the write fails, clears the prepared bytes in memory and, if possible, in the file.
  fileprivate mutating func writeBeyondEnd(count: Int) throws(StorageError) {
    let (file, memory, offset) = (tail.file, tail.memory, tail.end)
    let result = Result { () throws(FileSystemError) in
      try file.write(memory.bytes(from: offset, count: count), at: offset)
    }
    try onWritten(result, count: count)
  }

  fileprivate mutating func onWritten(_ result: Result<Void, FileSystemError>, count: Int) throws(StorageError) {
    switch result {
    case .success:
      // Increment the counter before the save is reported, so that other handles notice the save.
      let now = handle.counter?.advance()
      if let now, handle.seen == now &- 1 { handle.seen = now }
    case .failure(let error):
      let target = tail.memory.base + tail.end
      target.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      // If this write fails too, the next holder of the write lock clears the bytes.
      try? tail.file.write(UnsafeRawBufferPointer(start: target, count: count), at: tail.end)
      tail.isSuspect = true
      throw StorageError(error)
    }
  }
}
