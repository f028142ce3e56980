/// Where a handle stands in the log, and what it has taken in.
///
/// `@unchecked`: it is made by the opening thread and from then on lives in the engine's `Mutex`.
struct LogState: @unchecked Sendable {
  let tables: StoreTables
  /// The generation that this stands on.
  let manifest: Manifest
  /// That of the manifest: as long as it is in its place, so is this generation.
  let manifestFile: (any OpenFile)?
  var pin: RecordPin
  /// The chunk that is written now, as memory: what lies before `end` is as on the disk. As long as the chunk, once there was more
  /// to read than a little, or something was written.
  var memory: RecordMemory
  var file: any OpenFile
  var chunk: ChunkHeader
  var end: Int
  /// That of the last group taken in.
  var sequence: UInt64
  /// That of the last group taken in.
  var checksum: UInt64
  /// The last group known to be on the disk.
  var durable: UInt64
  /// Whether something may lie beyond `end` that no save owns.
  var tailIsSuspect: Bool
  /// The chunk before, when another handle has sealed it.
  var previous: SealedChunk?
  var doubt: Doubt?
  /// Whether no save is known to be durable: then the names of the files may not be either.
  var isNew: Bool
  /// Why this handle cannot write, if it cannot.
  var writeFailure: StorageError?
  var lock: (any OpenFile)?
  /// Whether a unit of work of this handle has the write lock and has caught up.
  var isAppending = false
  /// What becomes the next chunk, and its memory, where this handle saves much.
  var spare: (header: ChunkHeader, file: any SpareFile, memory: RecordMemory)?
  /// Bytes that this handle has saved.
  var savedBytes = 0
  /// Bytes of the chunks before this one.
  var bytesBefore = 0
  /// Says whether somebody saved since it was ``seen``; `nil` where it has to be looked for in the log.
  var counter: (any SharedCounter)?
  /// What the counter said before all that was there was taken in.
  var seen: UInt64?
  /// How often it was asked whether there is more.
  var looks = 0
  /// Why this handle must not be used any more.
  var failure: StorageError?

  /// Groups that another handle wrote and that are not known to be on the disk: from an offset to the end. Its sync may
  /// never have come, or have failed: then the system may show bytes that it will not write any more.
  struct Doubt {
    var offset: Int
    /// That of the last of them.
    var sequence: UInt64
  }

  struct SealedChunk {
    var file: any OpenFile
    var memory: RecordMemory
    var number: UInt64
    /// Where what is not known to be on the disk begins and ends.
    var doubtful: Range<Int>
    /// The sequence of its seal.
    var seal: UInt64
  }

  init(
    tables: StoreTables, manifest: Manifest, manifestFile: (any OpenFile)?, pin: RecordPin, memory: RecordMemory,
    file: any OpenFile, chunk: ChunkHeader, end: Int, sequence: UInt64, checksum: UInt64, durable: UInt64,
    tailIsSuspect: Bool,
    previous: SealedChunk?, doubt: Doubt?,
    isNew: Bool, writeFailure: StorageError?
  ) {
    self.tables = tables
    self.manifest = manifest
    self.manifestFile = manifestFile
    self.pin = pin
    self.memory = memory
    self.file = file
    self.chunk = chunk
    self.end = end
    self.sequence = sequence
    self.checksum = checksum
    self.durable = durable
    self.tailIsSuspect = tailIsSuspect
    self.previous = previous
    self.doubt = doubt
    self.isNew = isNew
    self.writeFailure = writeFailure
  }

  /// Bytes of log that are in memory.
  var logBytes: Int { bytesBefore + end }

  /// Stands on the newest generation from now on, if there is a newer one.
  ///
  /// What was known to be durable stays so, and a chunk that stays the one that is written keeps its open file, which is
  /// where the system says that a write was lost.
  /// - Returns: whether there was a newer one.
  @discardableResult
  mutating func reload(directory: String, fileSystem: any FileSystem) throws(StorageError) -> Bool {
    let now = try Manifest.read(directory: directory, fileSystem: fileSystem)
    guard now.generation > manifest.generation else { return false }
    let path = directory + "/" + StoreFormat.chunkName(chunk.number)
    guard now.storeID == manifest.storeID else { throw .missing(path: path) }
    // A tail that is not whole may be a save under way: who has the write lock judges it.
    var new = try Log.current(
      directory: directory, fileSystem: fileSystem, keepingSegmentsOf: tables.segments
    ).recovered.state
    // Only a repair takes something away, and then the store has to be opened anew.
    guard new.sequence >= sequence else { throw .missing(path: path) }
    if new.chunk.number == chunk.number {
      new.file = file
      new.writeFailure = writeFailure
    }
    new.durable = max(new.durable, durable)
    new.isNew = new.isNew && isNew
    new.tailIsSuspect = new.tailIsSuspect || tailIsSuspect
    new.lock = lock
    new.counter = counter
    new.looks = looks
    new.isAppending = isAppending
    new.failure = failure
    self = new
    return true
  }

  /// Stands on the newest generation from now on. Where the folder is gone it stays with what it has.
  mutating func standOnNewest(directory: String, fileSystem: any FileSystem) throws(StorageError) {
    let file = manifestFile
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
      let available = chunk.chunkBytes - end
      guard available >= GroupHeader.bytes else { return false }
      // Into the chunk's memory beyond the end, which nobody reads.
      var target = place(for: GroupHeader.bytes)
      guard try read(into: target, count: GroupHeader.bytes) else {
        // A chunk has its full length from the start; somebody has cut it off.
        throw .damaged(path: directory + "/" + StoreFormat.chunkName(chunk.number), offset: end)
      }
      guard
        let header = GroupHeader.read(target, available: available, epoch: chunk.epoch),
        header.sequence == sequence + 1
      else { return memory.isZero(from: end, count: GroupHeader.bytes) }
      target = place(for: header.length)
      guard try read(into: target, count: header.length),
        // Read again with the rest: the first look may have been at half of it.
        let group = GroupHeader.read(target, available: available, epoch: chunk.epoch), group == header,
        group.isWhole(target)
      else { return false }
      var next: (file: any OpenFile, header: ChunkHeader, failure: StorageError?)?
      if group.isReplacement {
        if try reload(directory: directory, fileSystem: fileSystem) { continue }
        // The rows are replaced in this moment, or a restore was cut off here; only who opens the store anew knows which.
        let replaced = StorageError.replaced(path: directory)
        failure = replaced
        throw replaced
      }
      if group.isSeal {
        // All before the seal was synced before anything went into the next chunk.
        let log = Log(directory: directory, fileSystem: fileSystem)
        do {
          next = try log.openChunk(chunk.number + 1)
        } catch {
          guard case .missing = error, try reload(directory: directory, fileSystem: fileSystem) else { throw error }
          continue  // what was there is in a segment by now
        }
        guard next?.header.storeID == chunk.storeID else {
          throw .damaged(path: log.path(chunk.number + 1), offset: 40)
        }
      }
      tables.apply(group: group, at: target)
      let doubtfulFrom = doubt?.offset ?? end
      end += group.length
      sequence = group.sequence
      checksum = GroupHeader.checksum(of: target)
      durable = max(durable, group.durable)
      doubt = Doubt(offset: doubtfulFrom, sequence: sequence)
      if let next {
        writeFailure = next.failure
        previous = SealedChunk(
          file: self.file, memory: memory, number: chunk.number, doubtful: doubtfulFrom..<end, seal: sequence)
        enter(next.header, file: next.file)
      }
    }
  }

  /// Where the memory of what lies beyond the end begins; it has room for so many bytes.
  mutating func place(for count: Int) -> UnsafeMutableRawPointer {
    if end + count > memory.count {
      memory = RecordMemory(zeroed: chunk.chunkBytes, beginningWith: memory.bytes(from: 0, count: end))
      pin = RecordPin(memories: pin.memories + [memory], others: pin.others)
    }
    return memory.base + end
  }

  /// Goes on in another chunk.
  /// - Parameter memory: of its length, zeros; `nil` has it made.
  mutating func enter(_ header: ChunkHeader, file: any OpenFile, memory: RecordMemory? = nil) {
    bytesBefore += end
    self.file = file
    chunk = header
    let memory = memory ?? RecordMemory(zeroed: header.chunkBytes)
    self.memory = memory
    pin = RecordPin(memories: pin.memories + [memory], others: pin.others)
    doubt = nil
    end = ChunkHeader.bytes
    spare = nil
  }

  /// Begins to make the next chunk while there is room in this one: who saves much does not wait for it then, nor for its memory,
  /// and its pages are written over before.
  mutating func prepareNextChunk(_ options: StorageEngine.Options, directory: String, fileSystem: any FileSystem) {
    // A program that saves once and ends makes nothing ahead.
    guard spare == nil, savedBytes >= options.firstChunkBytes / 4, end * 2 >= chunk.chunkBytes else { return }
    let header = ChunkHeader(after: chunk, chunkBytes: min(chunk.chunkBytes * 2, options.largestChunkBytes))
    let memory = RecordMemory(zeroed: header.chunkBytes)
    let file = fileSystem.beginSpare(
      inDirectory: directory, bytes: header.chunkBytes, beginningWith: header.encoded
    ) { memory.bringIn(from: 0, count: memory.count) }
    spare = file.map { (header, $0, memory) }
  }

  /// What is noted once the last group is on the disk.
  var mark: DurableMark { DurableMark(storeID: chunk.storeID, sequence: sequence, checksum: checksum) }

  private func read(into target: UnsafeMutableRawPointer, count: Int) throws(StorageError) -> Bool {
    let file = file
    let offset = end
    let done = try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: target, count: count), at: offset)
    }
    return done == count
  }

  /// What the owner of the write lock does first: takes in everything, and makes sure that nothing lies beyond it.
  mutating func prepareToAppend(_ log: Log) throws(StorageError) {
    if let failure { throw failure }
    if let writeFailure { throw writeFailure }
    try standOnNewestGeneration(log)
    try attachCounter()
    let now = counter?.value
    let isClean = try catchUp(directory: log.directory, fileSystem: log.fileSystem)
    if let writeFailure { throw writeFailure }
    if tailIsSuspect || !isClean {
      try cleanTail(log)
      tailIsSuspect = false
    }
    if sequence > durable, let lock, let mark = DurableMark(of: lock), mark == self.mark { durable = sequence }
    try confirmWhatOthersLeft(log)
    seen = now
    isAppending = true
  }

  /// Before anything is saved: whoever reads may rely on it.
  private mutating func attachCounter() throws(StorageError) {
    guard counter == nil, let lock else { return }
    counter = try storing { () throws(FileSystemError) in try lock.counter() }
  }

  /// Asks after the manifest and not after the chunk: Linux gives a file whose times were asked for new ones with its next
  /// write, to the nanosecond, and the journal's commit of those made a save half as slow again.
  private mutating func standOnNewestGeneration(_ log: Log) throws(StorageError) {
    let file = manifestFile
    let isInPlace = try storing { () throws(FileSystemError) in try file?.isInPlace() ?? false }
    if isInPlace { return }
    do {
      if try reload(directory: log.directory, fileSystem: log.fileSystem) { return }
    } catch .missing {
      // The folder was moved or removed.
    }
    throw .missing(path: log.path(chunk.number))
  }

  /// What is saved from here on stands on what others wrote before: whoever did may have ended before it was synced, or
  /// have seen the sync fail. So it is written again, and this handle's own sync makes it durable.
  private mutating func confirmWhatOthersLeft(_ log: Log) throws(StorageError) {
    if isNew {
      try storing { () throws(FileSystemError) in try log.fileSystem.syncDirectory(log.directory) }
      isNew = false
    }
    if let doubt, doubt.sequence > durable {
      let file = file
      let bytes = memory.bytes(from: doubt.offset, count: end - doubt.offset)
      try storing { () throws(FileSystemError) in try file.write(bytes, at: doubt.offset) }
    }
    doubt = nil
    guard let previous else { return }
    if durable < previous.seal {
      let bytes = previous.memory.bytes(from: previous.doubtful.lowerBound, count: previous.doubtful.count)
      try storing { () throws(FileSystemError) in
        try previous.file.write(bytes, at: previous.doubtful.lowerBound)
      }
      do {
        try previous.file.synchronize()
      } catch {
        let failure = StorageError.syncFailed(path: log.path(previous.number), code: error.code)
        self.failure = failure
        throw failure
      }
      durable = previous.seal
    }
    self.previous = nil
  }

  /// Sets aside what lies beyond the end and writes zeros over it, so that no remains of it can ever join the log.
  private mutating func cleanTail(_ log: Log) throws(StorageError) {
    if try log.endsClean(at: end, of: file, chunk: chunk) { return }
    let count = chunk.chunkBytes - end
    guard try read(into: place(for: count), count: count) else {
      throw .damaged(path: log.path(chunk.number), offset: end)
    }
    switch try log.tail(of: memory, chunk: chunk, from: end, after: sequence) {
    case .clean: return
    case .damaged(let path, let offset): throw .damaged(path: path, offset: offset)
    case .torn(let bytes):
      if let lock, let mark = DurableMark(of: lock), mark.isAhead(of: sequence, in: manifest) {
        throw .damaged(path: log.path(chunk.number), offset: end)
      }
      let aside = log.directory + "/cut-\(chunk.number)-\(end)"
      let remains = memory.bytes(from: end, count: bytes)
      let zeros = RecordMemory(zeroed: bytes)
      let file = file
      let offset = end
      try storing { () throws(FileSystemError) in
        let copy = try log.fileSystem.open(aside, .create)
        try copy.truncate(to: 0)
        try copy.write(remains, at: 0)
        try copy.synchronize()
        try log.fileSystem.syncDirectory(log.directory)
        try file.write(zeros.bytes(from: 0, count: bytes), at: offset)
        try file.synchronize()
      }
      (memory.base + end).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
  }
}
