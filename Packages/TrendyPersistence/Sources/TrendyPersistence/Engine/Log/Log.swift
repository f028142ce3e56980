#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Zero-filled file that can become the next chunk.
struct SpareChunk {
  var file: any OpenFile
  var bytes: Int
}

struct Log {
  let directory: String
  let fileSystem: any FileSystem
  var manifest = Manifest(generation: 0, storeID: 0, firstChunk: 1, firstSequence: 1)
  /// Open file that ``manifest`` was read from.
  var manifestFile: (any OpenFile)?

  enum Tail: Hashable {
    case clean
    /// The last intact group is followed by this many bytes from an unfinished save.
    case torn(Int)
    case damaged(path: String, offset: Int)
  }

  struct Recovered {
    var state: LogState
    var tail: Tail
    var report: RecoveryReport

    /// Returns the damage at the end of the log. Returns `nil` if the log is intact, or if it ends with an unfinished
    /// save that was never confirmed.
    func damage(confirmedBy mark: DurableEnd?) -> StorageError? {
      if case .damaged(let path, let offset) = tail { return .damaged(path: path, offset: offset) }
      let isConfirmed = mark?.isAhead(of: state.tail.sequence, in: state.generation.manifest) ?? false
      return isConfirmed ? .damaged(path: report.path, offset: report.offset) : nil
    }
  }

  func path(_ chunk: UInt64) -> String { directory + "/" + StoreFormat.chunkName(chunk) }
  func path(segment number: UInt64) -> String { directory + "/" + StoreFormat.segmentName(number) }
  var lockPath: String { directory + "/" + StoreFormat.lockName }

  func openLock() throws(StorageError) -> any OpenFile {
    try storing { () throws(FileSystemError) in try fileSystem.open(lockPath, .create) }
  }

  func take(_ lock: any OpenFile, atMost limit: Duration) throws(StorageError) {
    try fileSystem.take(lock, of: lockPath, atMost: limit)
  }

  /// Reads the current generation. Starts over if maintenance replaces the manifest and removes files in the meantime.
  /// For `earlier` see ``read(believingMark:keepingSegmentsOf:)``.
  static func current(
    directory: String, fileSystem: any FileSystem, keepingSegmentsOf earlier: SegmentStack? = nil
  ) throws(StorageError) -> (log: Log, recovered: Recovered) {
    var log = Log(directory: directory, fileSystem: fileSystem)
    var failure: StorageError?
    while true {
      let (manifest, file) = try Manifest.open(directory: directory, fileSystem: fileSystem)
      if let failure, manifest.generation <= log.manifest.generation { throw failure }
      log.manifest = manifest
      log.manifestFile = file
      do {
        return (log, try log.read(believingMark: true, keepingSegmentsOf: earlier))
      } catch {
        guard case .damaged = error else { throw error }
        failure = error
      }
    }
  }

  /// Reads the current generation without the write lock, while other processes may be saving.
  ///
  /// A save that completes during the read can look like damage. Real damage is found again at the same offset in a
  /// second read.
  static func currentWithoutLock(
    directory: String, fileSystem: any FileSystem
  ) throws(StorageError) -> Recovered {
    let lockPath = Log(directory: directory, fileSystem: fileSystem).lockPath
    var earlier: StorageError?
    while true {
      // Read the durable end before the log, so that the log contains every save that it confirms.
      let mark = (try? fileSystem.open(lockPath, .read)).flatMap { DurableEnd(of: $0) }
      let recovered = try current(directory: directory, fileSystem: fileSystem).recovered
      guard let damage = recovered.damage(confirmedBy: mark) else { return recovered }
      if damage == earlier { throw damage }
      earlier = damage
    }
  }

  /// Opens a chunk and validates its header.
  /// - Returns: the file, its header, and, if the file can be opened only for reading, the error that prevents writing.
  func openChunk(_ number: UInt64) throws(StorageError) -> (
    file: any OpenFile, header: ChunkHeader, failure: StorageError?
  ) {
    let path = path(number)
    var failure: StorageError?
    var opened: (any OpenFile)?
    do {
      opened = try storing { () throws(FileSystemError) in try fileSystem.open(path, .readWrite) }
    } catch {
      switch error {
      case .permissionDenied, .readOnly: failure = error  // reading may still be allowed
      default: throw error
      }
    }
    let file: any OpenFile
    if let opened {
      file = opened
    } else {
      file = try storing { () throws(FileSystemError) in try fileSystem.open(path, .read) }
    }
    let bytes = RowMemory(zeroed: ChunkHeader.bytes)
    let count = try storing { () throws(FileSystemError) in
      try file.read(into: UnsafeMutableRawBufferPointer(start: bytes.base, count: bytes.count), at: 0)
    }
    switch ChunkHeader.read(bytes.bytes(from: 0, count: count)) {
    case .otherVersion(let version):
      throw .newerVersion(path: path, found: version, supported: StoreFormat.version)
    case .bad:
      throw .damaged(path: path, offset: 0)
    case .valid(let header):
      guard header.number == number, manifest.storeID == 0 || header.storeID == manifest.storeID else {
        throw .damaged(path: path, offset: 16)
      }
      let size = try storing { () throws(FileSystemError) in try file.size() }
      guard size >= header.chunkBytes else { throw .damaged(path: path, offset: size) }
      return (file, header, failure)
    }
  }

  /// Creates an empty chunk, which is durable under its name when this returns. If `isWrittenOver`, the chunk is filled
  /// with zeros, so that saves write only data and allocate no extents.
  func createChunk(_ header: ChunkHeader, isWrittenOver: Bool) throws(StorageError) -> any OpenFile {
    let path = path(header.number)
    return try makeChunk(path, bytes: header.chunkBytes, isWrittenOver: isWrittenOver) { file throws(FileSystemError) in
      try file.write(header.encoded, at: 0)
      try file.synchronize()
      try fileSystem.syncDirectory(directory)
    }
  }

  /// Creates a spare file. Requires the maintenance lock, so that no other process uses the same name.
  func makeSpare(bytes: Int) throws(StorageError) -> SpareChunk {
    let file = try makeChunk(sparePath, bytes: bytes, isWrittenOver: true) { file throws(FileSystemError) in
      try file.synchronize()
    }
    return SpareChunk(file: file, bytes: bytes)
  }

  /// Turns a spare file into a durable chunk.
  func adopt(_ spare: SpareChunk, as header: ChunkHeader) throws(StorageError) -> any OpenFile {
    try storing { () throws(FileSystemError) in
      try spare.file.write(header.encoded, at: 0)
      try spare.file.synchronize()
      try fileSystem.rename(sparePath, to: path(header.number))
      try fileSystem.syncDirectory(directory)
    }
    return spare.file
  }

  /// Turns a file prepared in the background, which already contains this header, into a durable chunk.
  func adopt(_ spare: any SpareFile, as header: ChunkHeader) throws(StorageError) -> any OpenFile {
    let path = path(header.number)
    return try storing { () throws(FileSystemError) in
      let file = try spare.become(path)
      try fileSystem.syncDirectory(directory)
      return file
    }
  }

  private var sparePath: String { directory + "/" + StoreFormat.spareName }

  /// Creates a file with a length of `bytes`, after deleting any leftover file with this name, and calls `finish` to
  /// complete it. Removes the file if a step fails.
  private func makeChunk(
    _ path: String, bytes: Int, isWrittenOver: Bool,
    finish: (any OpenFile) throws(FileSystemError) -> Void
  ) throws(StorageError) -> any OpenFile {
    do {
      return try storing { () throws(FileSystemError) in
        try removeLeftover(path)
        let file = try fileSystem.open(path, .create)
        try file.allocate(bytes)
        if isWrittenOver {
          let piece = RowMemory(zeroed: min(bytes, 256 << 10))
          for position in stride(from: 0, to: bytes, by: piece.count) {
            try file.write(piece.bytes(from: 0, count: min(piece.count, bytes - position)), at: position)
          }
        }
        try finish(file)
        return file
      }
    } catch {
      // Free the space now rather than at the next attempt.
      try? fileSystem.remove(path)
      throw error
    }
  }

  /// Deletes the leftover file from an earlier attempt. The file must not be reused: if a sync of the file failed, the
  /// kernel may never write its pages, even if later syncs succeed.
  private func removeLeftover(_ path: String) throws(FileSystemError) {
    do {
      try fileSystem.remove(path)
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// Reads the whole log described by the manifest.
  /// - Parameters:
  ///   - marked: whether to trust a durable end in the lock file without examining the bytes after it. A process
  ///     examines those bytes before it appends.
  ///   - earlier: open segments of this handle, which are reused. The caller must not use them after this call.
  func read(
    believingMark marked: Bool = false, keepingSegmentsOf earlier: SegmentStack? = nil
  ) throws(StorageError) -> Recovered {
    let tables = StoreTables(try SegmentStack(self, keepingSegmentsOf: earlier))
    var memories: [RowMemory] = []
    var number = manifest.firstChunk
    var sequence = manifest.firstSequence - 1
    var previous: LogTail.SealedChunk?
    var durable = sequence
    var checksum: UInt64 = 0
    var saves = 0
    var bytesBefore = 0
    while true {
      var chunk: LoadedChunk
      let writeFailure: StorageError?
      do {
        let (file, header, failure) = try openChunk(number)
        chunk = LoadedChunk(file: file, header: header, path: path(number))
        writeFailure = failure
      } catch .missing(let path) {
        // The seal of the preceding chunk proves that this chunk existed.
        throw .damaged(path: path, offset: 0)
      }
      var end = ChunkHeader.bytes
      var isSealed = false
      var offsets: [Int] = []
      var rows = 0
      while !isSealed, let group = try chunk.group(at: end), group.sequence == sequence + 1,
        group.isWhole(chunk.memory.base + end)
      {
        rows += group.count
        checksum = GroupHeader.checksum(of: chunk.memory.base + end)
        offsets.append(end)
        end += group.length
        sequence += 1
        durable = max(durable, group.durable)
        if group.isSeal { isSealed = true } else { saves += 1 }
      }
      let (header, memory) = (chunk.header, chunk.memory)
      memories.append(memory)
      tables.memtable.reserve(rows)
      for offset in offsets {
        let base = memory.base + offset
        if let group = GroupHeader.read(base, available: memory.count - offset, epoch: header.epoch) {
          tables.apply(group: group, at: base)
        }
      }
      let unknown = Int(min(sequence - durable, UInt64(offsets.count)))
      let doubtfulFrom = unknown > 0 ? offsets[offsets.count - unknown] : end
      if isSealed {
        previous = LogTail.SealedChunk(
          file: chunk.file, memory: memory, number: number, doubtful: doubtfulFrom..<end, seal: sequence)
        number += 1
        bytesBefore += end
        continue
      }
      let mark = DurableEnd(storeID: header.storeID, sequence: sequence, checksum: checksum)
      var isMarked = false
      if marked, try chunk.isZero(at: end) { isMarked = isInLockFile(mark) }
      let tail: Tail
      if isMarked {
        tail = .clean
      } else {
        try chunk.load(to: header.chunkBytes)
        // Rows read earlier keep their addresses, so keep both blocks of memory.
        if chunk.memory !== memory { memories.append(chunk.memory) }
        tail = try self.tail(of: chunk.memory, chunk: header, from: end, after: sequence)
        // Release these bytes, which were needed only for the check. In a process with many small stores they would use
        // most of the memory.
        if tail == .clean { chunk.memory.returnZeros(from: end) }
      }
      var cut = 0
      if case .torn(let bytes) = tail { cut = bytes }
      let logTail = LogTail(
        pin: RowPin(memories: memories, others: tables.segments.pins), memory: chunk.memory, file: chunk.file,
        chunk: header, end: end, sequence: sequence, checksum: checksum, durable: durable,
        isSuspect: isMarked || tail != .clean, previous: previous,
        doubt: unknown > 0 ? LogTail.UnconfirmedRange(offset: doubtfulFrom, sequence: sequence) : nil,
        isNew: durable < manifest.firstSequence, writeFailure: writeFailure, bytesBefore: bytesBefore)
      let state = LogState(
        generation: Generation(tables: tables, manifest: manifest, manifestFile: manifestFile), tail: logTail)
      return Recovered(
        state: state, tail: tail,
        report: RecoveryReport(path: path(number), offset: end, cutBytes: cut, saves: saves))
    }
  }

  private func isInLockFile(_ mark: DurableEnd) -> Bool {
    // An unreadable lock file counts as missing.
    guard let lock = try? fileSystem.open(lockPath, .read) else { return false }
    return DurableEnd(of: lock) == mark
  }

  /// Prefix of a chunk in memory. The log is usually much shorter than its chunk.
  private struct LoadedChunk {
    let file: any OpenFile
    let header: ChunkHeader
    let path: String
    /// Starts small, because large allocations are costly. Grows to the full length of the chunk at the second read.
    private(set) var memory: RowMemory
    private var loaded = 0
    /// Length of the next read in bytes. Starts small, because the log is short after sealing.
    private var piece = 1 << 10

    init(file: any OpenFile, header: ChunkHeader, path: String) {
      self.file = file
      self.header = header
      self.path = path
      memory = RowMemory(min(piece, header.chunkBytes))
    }

    mutating func load(to end: Int) throws(StorageError) {
      guard end > loaded else { return }
      let target = min(max(end, loaded + piece), header.chunkBytes)
      piece = min(piece * 4, 1 << 20)
      if target > memory.count {
        memory = RowMemory(zeroed: header.chunkBytes, beginningWith: memory.bytes(from: 0, count: loaded))
      }
      let (file, buffer) = (file, UnsafeMutableRawBufferPointer(start: memory.base + loaded, count: target - loaded))
      let offset = loaded
      memory.bringIn(from: offset, count: buffer.count)
      let count = try storing { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
      guard count == buffer.count else { throw .damaged(path: path, offset: loaded + count) }
      loaded = target
    }

    mutating func group(at offset: Int) throws(StorageError) -> GroupHeader? {
      let available = header.chunkBytes - offset
      try load(to: offset + min(GroupHeader.bytes, available))
      guard let group = GroupHeader.read(memory.base + offset, available: available, epoch: header.epoch)
      else { return nil }
      try load(to: offset + group.length)
      return group
    }

    /// Returns whether a possible group header at an offset is all zeros.
    mutating func isZero(at offset: Int) throws(StorageError) -> Bool {
      let end = min(offset + GroupHeader.bytes, header.chunkBytes)
      try load(to: end)
      return memory.isZero(from: offset, count: end - offset)
    }
  }

  /// Classifies the bytes after the last intact group.
  ///
  /// Several saves may be in progress at once, so after a crash a later group can be intact while an earlier group is
  /// broken. Each group contains the number of the last group that its writer knew to be durable. If an intact group
  /// lists the broken group as durable, the broken group is damage.
  func tail(
    of memory: RowMemory, chunk: ChunkHeader, from end: Int, after sequence: UInt64
  ) throws(StorageError) -> Tail {
    let isEmpty = memory.isZero(from: end)
    var last = isEmpty ? end : memory.count
    while last >= end + 8, word(memory.base, last - 8) == 0 { last -= 8 }
    let damage = Tail.damaged(path: path(chunk.number), offset: end)
    var position = end
    while position + GroupHeader.bytes <= last {
      if let group = GroupHeader.read(memory.base + position, available: memory.count - position, epoch: chunk.epoch),
        group.durable > sequence, group.isWhole(memory.base + position)
      {
        return damage
      }
      position += 8
    }
    if try hasGroup(after: chunk) { return damage }
    return isEmpty ? .clean : .torn(last - end)
  }

  /// Returns whether the next chunk contains a group. Groups are written to it only after this chunk and its seal are
  /// durable.
  private func hasGroup(after chunk: ChunkHeader) throws(StorageError) -> Bool {
    do {
      let (file, header, _) = try Log(directory: directory, fileSystem: fileSystem, manifest: manifest).openChunk(
        chunk.number + 1)
      let next = RowMemory(zeroed: header.chunkBytes)
      _ = try storing { () throws(FileSystemError) in
        try file.read(into: UnsafeMutableRawBufferPointer(start: next.base, count: next.count), at: 0)
      }
      let first = GroupHeader.read(
        next.base + ChunkHeader.bytes, available: next.count - ChunkHeader.bytes, epoch: header.epoch)
      return first?.isWhole(next.base + ChunkHeader.bytes) ?? false
    } catch .newerVersion(let path, let found, let supported) {
      throw .newerVersion(path: path, found: found, supported: supported)
    } catch .missing, .damaged {
      // The chunk was not created or not completed, so it contains no saves.
      return false
    }
  }

  /// Returns whether only zeros follow the end of the log, so that no unfinished save needs to be removed.
  func endsClean(at end: Int, of file: any OpenFile, chunk: ChunkHeader) throws(StorageError) -> Bool {
    let piece = RowMemory(zeroed: min(64 << 10, chunk.chunkBytes - end))
    var position = end
    while position < chunk.chunkBytes {
      let buffer = UnsafeMutableRawBufferPointer(
        start: piece.base, count: min(piece.count, chunk.chunkBytes - position))
      let offset = position
      let count = try storing { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
      guard count == buffer.count else { throw .damaged(path: path(chunk.number), offset: end) }
      guard piece.isZero(from: 0, count: count) else { return false }
      position += count
    }
    return try !hasGroup(after: chunk)
  }
}
