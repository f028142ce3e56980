/// Current chunk of the log and the end of the groups read by this handle.
struct LogTail {
  var pin: RowPin
  /// Memory of the chunk. Bytes before `end` equal the bytes in the file. Grows to the full length of the chunk when
  /// the handle writes or reads beyond the initial prefix.
  var memory: RowMemory
  var file: any OpenFile
  var chunk: ChunkHeader
  var end: Int
  var sequence: UInt64
  var checksum: UInt64
  /// Sequence number of the last group known to be durable.
  var durable: UInt64
  /// Whether the remains of an unfinished save may follow `end`.
  var isSuspect: Bool
  /// Preceding chunk, if another handle sealed it.
  var previous: SealedChunk?
  var doubt: UnconfirmedRange?
  /// Whether no save is known to be durable. The file names may then not be durable either.
  var isNew: Bool
  /// Error that prevents this handle from writing to the chunk.
  var writeFailure: StorageError?
  /// Length of the log in preceding chunks, in bytes.
  var bytesBefore: Int
  var spare: (header: ChunkHeader, file: any SpareFile, memory: RowMemory)?

  /// Groups at the end of the log that another handle wrote and that may not be durable.
  ///
  /// Their sync may have failed or never started. After a failed sync, the kernel may return bytes from its cache that
  /// it will never write to the disk.
  struct UnconfirmedRange {
    var offset: Int
    /// Sequence number of the last group in the range.
    var sequence: UInt64
  }

  struct SealedChunk {
    var file: any OpenFile
    var memory: RowMemory
    var number: UInt64
    /// Range of bytes that may not be durable.
    var doubtful: Range<Int>
    /// Sequence number of the seal.
    var seal: UInt64
  }

  /// Length of the log in memory, in bytes.
  var logBytes: Int { bytesBefore + end }

  /// Durable end to record after the last group has been synced.
  var mark: DurableEnd { DurableEnd(storeID: chunk.storeID, sequence: sequence, checksum: checksum) }

  /// Returns this newly read tail, supplemented with the handle's earlier state, such as which groups are durable.
  ///
  /// If the chunk is still current, its open file is kept, because the kernel reports a lost write only on descriptors
  /// that were open at the time.
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

  /// Returns the address after the end, allocating memory if fewer than `count` bytes are available there.
  mutating func place(for count: Int) -> UnsafeMutableRawPointer {
    if end + count > memory.count {
      memory = RowMemory(zeroed: chunk.chunkBytes, beginningWith: memory.bytes(from: 0, count: end))
      pin = RowPin(memories: pin.memories + [memory], others: pin.others)
    }
    return memory.base + end
  }

  /// Continues in another chunk. `memory` must be zeroed and have the chunk's length, or be `nil` to allocate new
  /// memory.
  mutating func enter(_ header: ChunkHeader, file: any OpenFile, memory: RowMemory? = nil) {
    bytesBefore += end
    self.file = file
    chunk = header
    let memory = memory ?? RowMemory(zeroed: header.chunkBytes)
    self.memory = memory
    pin = RowPin(memories: pin.memories + [memory], others: pin.others)
    doubt = nil
    end = ChunkHeader.bytes
    spare = nil
  }

  /// Reads `count` bytes after the end.
  /// - Returns: whether the file contains that many bytes.
  func read(into target: UnsafeMutableRawPointer, count: Int) throws(StorageError) -> Bool {
    let (file, offset) = (file, end)
    let done = try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: target, count: count), at: offset)
    }
    return done == count
  }

  /// Copies any remains of an unfinished save to a `cut-` file and overwrites them with zeros, so that they never
  /// become part of the log.
  /// - Throws: ``StorageError/damaged(path:offset:)`` if the bytes belong to a confirmed save.
  mutating func clean(_ log: Log, mark: @autoclosure () -> DurableEnd?, in manifest: Manifest) throws(StorageError) {
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
      let zeros = RowMemory(zeroed: bytes)
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
