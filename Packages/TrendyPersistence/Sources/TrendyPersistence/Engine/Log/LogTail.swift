/// The chunk that is being written, and the position behind the last group that this handle has read.
struct LogTail {
  var pin: RecordPin
  /// The chunk as memory: what lies before `end` is as on the disk. As long as the chunk, once there was more to read than a
  /// little, or something was written.
  var memory: RecordMemory
  var file: any OpenFile
  var chunk: ChunkHeader
  var end: Int
  /// Sequence of the last group.
  var sequence: UInt64
  /// Checksum of the last group.
  var checksum: UInt64
  /// Sequence of the last group known to be on the disk.
  var durable: UInt64
  /// Whether something may lie beyond `end` that no save owns.
  var isSuspect: Bool
  /// The chunk before, when another handle has sealed it.
  var previous: SealedChunk?
  var doubt: Doubt?
  /// Whether no save is known to be durable: then the names of the files may not be either.
  var isNew: Bool
  /// Why this handle cannot write to the chunk, if it cannot.
  var writeFailure: StorageError?
  /// Bytes of the chunks before this one.
  var bytesBefore: Int
  /// What becomes the next chunk, and its memory, where this handle saves much.
  var spare: (header: ChunkHeader, file: any SpareFile, memory: RecordMemory)?

  /// Groups that another handle wrote and that are not known to be on the disk: from an offset to the end. Its sync may
  /// never have come, or have failed: then the system may show bytes that it will not write any more.
  struct Doubt {
    var offset: Int
    /// Sequence of the last of them.
    var sequence: UInt64
  }

  struct SealedChunk {
    var file: any OpenFile
    var memory: RecordMemory
    var number: UInt64
    /// Where what is not known to be on the disk begins and ends.
    var doubtful: Range<Int>
    /// Sequence of its seal.
    var seal: UInt64
  }

  /// Bytes of log that are in memory.
  var logBytes: Int { bytesBefore + end }

  /// Mark to write once the last group is on the disk.
  var mark: DurableMark { DurableMark(storeID: chunk.storeID, sequence: sequence, checksum: checksum) }

  /// This tail, read again by the handle that stood at another: what was known to be durable stays so, and a chunk that stays the one
  /// that is written keeps its open file, which is where the system reports that a write was lost.
  func replacing(_ old: LogTail) -> LogTail {
    var new = self
    if new.chunk.number == old.chunk.number {
      new.file = old.file
      new.writeFailure = old.writeFailure
    }
    new.durable = max(new.durable, old.durable)
    new.isNew = new.isNew && old.isNew
    new.isSuspect = new.isSuspect || old.isSuspect
    return new
  }

  mutating func advance(past group: GroupHeader, checksum: UInt64) {
    end += group.length
    sequence = group.sequence
    self.checksum = checksum
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

  /// - Returns: whether there were so many bytes beyond the end.
  func read(into target: UnsafeMutableRawPointer, count: Int) throws(StorageError) -> Bool {
    let (file, offset) = (file, end)
    let done = try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: target, count: count), at: offset)
    }
    return done == count
  }

  /// Sets aside what lies beyond the end and writes zeros over it, so that no remains of it can ever join the log.
  /// - Parameter mark: in the lock file, if there is one.
  mutating func clean(_ log: Log, mark: @autoclosure () -> DurableMark?, in manifest: Manifest) throws(StorageError) {
    if try log.endsClean(at: end, of: file, chunk: chunk) { return }
    let count = chunk.chunkBytes - end
    guard try read(into: place(for: count), count: count) else {
      throw .damaged(path: log.path(chunk.number), offset: end)
    }
    switch try log.tail(of: memory, chunk: chunk, from: end, after: sequence) {
    case .clean: return
    case .damaged(let path, let offset): throw .damaged(path: path, offset: offset)
    case .torn(let bytes):
      if let mark = mark(), mark.isAhead(of: sequence, in: manifest) {
        throw .damaged(path: log.path(chunk.number), offset: end)
      }
      let aside = log.directory + "/cut-\(chunk.number)-\(end)"
      let remains = memory.bytes(from: end, count: bytes)
      let zeros = RecordMemory(zeroed: bytes)
      let (file, offset) = (file, end)
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
