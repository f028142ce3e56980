import Synchronization

/// Sealing and merging, which keep stores quick to open.
///
/// Every step writes a new file, then a manifest that lists the file, then removes files that the manifest does not
/// list. The store is unchanged until the manifest is replaced.
extension StorageEngine {
  /// Performs one step of maintenance if one is due.
  ///
  /// A step seals the log into a segment if the log exceeds ``Options/sealBytes``, merges segments of similar size, or
  /// removes obsolete files. Call this method occasionally until it returns `false`, on a separate thread if saves must
  /// not wait.
  ///
  /// Other reads and saves can continue in the meantime, because the write lock is held only at the start and end of a
  /// step. Do not call this method within a unit of work that has written, because the step would wait for that unit. A
  /// step that fails, for example on a full disk, leaves the store unchanged.
  /// - Parameters:
  ///   - sealsAll: whether to seal the log regardless of its length.
  ///   - minSegments: minimum number of segments for a merge. Merging rewrites recently saved rows, so it can be
  ///     deferred while disk space is scarce.
  /// - Returns: whether further steps may be due. Also `false` if another handle is performing maintenance.
  @discardableResult
  public func maintain(sealingAll sealsAll: Bool = false, mergingFrom minSegments: Int = 0) throws(StorageError)
    -> Bool
  {
    try check()
    try requireWritable()
    let lock = try storing { () throws(FileSystemError) in
      try fileSystem.open(directory + "/" + StoreFormat.maintenanceLockName, .create)
    }
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    guard try storing({ () throws(FileSystemError) in try lock.tryLock() }) else { return false }
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      try state.reload(directory: directory, fileSystem: fileSystem)
    }
    try removeLeftovers()
    // With many segments, merge before sealing. Otherwise the number of segments would grow without limit in a store
    // that is maintained only by its own saves.
    let count = state.withLock { $0.generation.manifest.segments.count }
    let isCrowded = count >= Self.manySegments
    var hasWorked = isCrowded ? try merge() : try seal(sealsAll: sealsAll)
    if !hasWorked {
      if isCrowded {
        hasWorked = try seal(sealsAll: sealsAll)
      } else if count >= minSegments {
        hasWorked = try merge()
      }
    }
    if hasWorked { try removeLeftovers() }
    return hasWorked
  }

  /// Discards the segments' pages from this process's memory. Later reads get them from the page cache or the disk.
  public func releaseMemory() { state.withLock { $0.generation.tables.segments.letGo() } }

  func maintainIfOverdue() throws(StorageError) {
    let isOverdue = state.withLock { state in
      state.tail.logBytes > options.sealBytes * Self.overdueFactor
        || state.generation.manifest.segments.count >= Self.manySegments
    }
    if isOverdue { try maintain() }
  }

  /// Multiple of ``Options/sealBytes`` above which a save seals the log itself.
  private static let overdueFactor = 64
  /// Minimum number of segments for merging to take priority over sealing.
  private static let manySegments = 48

  // MARK: Sealing

  /// Content of the log up to a seal, and the position after the seal.
  private struct Frozen: @unchecked Sendable {  // the rows never change, and the pin keeps them alive
    var records: [UnsafeRawPointer]
    var burials: [RowPlace]
    var pin: RowPin
    var manifest: Manifest
    var firstChunk: UInt64
    var firstSequence: UInt64
  }

  private func seal(sealsAll: Bool) throws(StorageError) -> Bool {
    let isDue = state.withLock { state in
      let hasRows = state.generation.tables.memtable.count > 0
      return state.tail.logBytes > options.sealBytes || (sealsAll && hasRows)
    }
    guard isDue else { return false }
    let frozen = try freeze()
    var next = frozen.manifest
    next.generation += 1
    next.firstChunk = frozen.firstChunk
    next.firstSequence = frozen.firstSequence
    if !frozen.records.isEmpty || !frozen.burials.isEmpty {
      let rows = frozen.records.withUnsafeBufferPointer { SortedRows([$0]) }
      let writer = try makeWriter(for: next, rows: rows.count)
      try rows.forEach(writer.add)
      withExtendedLifetime(frozen.pin) {}
      next.segments.append(try writer.finish(kills: frozen.burials, manifest: next))
    }
    return try install(next)
  }

  /// Seals the current chunk, which makes everything before it immutable, and returns the log's content.
  private func freeze() throws(StorageError) -> Frozen {
    let log = Log(directory: directory, fileSystem: fileSystem)
    // The chunk may be empty after a failed step.
    func isUsed() -> Bool { state.withLock { $0.tail.end > ChunkHeader.bytes } }
    // Create the spare before acquiring the write lock, because creating it takes the most time.
    let spare = isUsed() ? try log.makeSpare(bytes: options.firstChunkBytes) : nil
    let transaction = try beginWrite()
    defer { transaction.rollback() }
    if isUsed() { try goOnInNewChunk(log, for: 0, spare: spare) }
    return try state.withLock { state throws(StorageError) in
      Frozen(
        records: state.generation.tables.memtable.living, burials: try state.generation.tables.burials,
        pin: state.tail.pin,
        manifest: state.generation.manifest, firstChunk: state.tail.chunk.number, firstSequence: state.tail.sequence + 1
      )
    }
  }

  /// `next` is the manifest of the next generation, `rows` the maximum number of rows.
  func makeWriter(for next: Manifest, rows: Int) throws(StorageError) -> SegmentWriter {
    try SegmentWriter(
      number: next.generation, storeID: next.storeID, rows: rows,
      log: Log(directory: directory, fileSystem: fileSystem, manifest: next))
  }

  /// Returns `false` if a repair has replaced the manifest in the meantime.
  private func install(_ next: Manifest) throws(StorageError) -> Bool {
    let transaction = try beginWrite()
    defer { transaction.rollback() }
    let now = try Manifest.read(directory: directory, fileSystem: fileSystem)
    guard now.generation + 1 == next.generation, now.storeID == next.storeID else { return false }
    try next.replace(directory: directory, fileSystem: fileSystem)
    try state.withLock { state throws(StorageError) -> Void in
      try state.reload(directory: directory, fileSystem: fileSystem)
      // The new log is empty and everything before it is durable, so the next process that opens the log need not
      // examine the bytes after its end.
      if state.tail.end == ChunkHeader.bytes, let lock = state.handle.lock {
        state.tail.mark.write(to: lock, with: state.handle.counter)
      }
    }
    return true
  }

  // MARK: Merging

  private func merge() throws(StorageError) -> Bool {
    let (manifest, killed) = try state.withLock { state throws(StorageError) -> (Manifest, [UInt64: Int]) in
      var killed: [UInt64: Int] = [:]
      for layer in state.generation.tables.segments.layers {
        for kill in try layer.segment.kills() { killed[kill.segment, default: 0] += 1 }
      }
      return (state.generation.manifest, killed)
    }
    let chosen = Self.due(manifest.segments, killed: killed)
    guard !chosen.isEmpty else { return false }
    // Release the pages read so far. The stack below maps the segments again.
    releaseMemory()
    let log = Log(directory: directory, fileSystem: fileSystem, manifest: manifest)
    // Use a separate stack without the log, because rows replaced by an unconfirmed save are still needed.
    let stack = try SegmentStack(log)
    let sources = stack.layers.filter { chosen.contains($0.segment.number) }
    var next = manifest
    next.generation += 1
    next.segments.removeAll { chosen.contains($0.number) }
    let others = Set(next.segments.map(\.number))
    var kills: [RowPlace] = []
    for source in sources { kills += try source.segment.kills().filter { others.contains($0.segment) } }
    stack.letGo()
    let rows = sources.reduce(0) { $0 + $1.segment.footer.rowCount }
    let writer = try makeWriter(for: next, rows: rows)
    try Self.merge(sources, into: writer)
    next.segments.append(try writer.finish(kills: kills, manifest: next))
    return try install(next)
  }

  /// Returns the numbers of the segments to merge.
  ///
  /// Selects the smallest segments, stopping before the first that is more than twice as large as all smaller segments
  /// together. A row is therefore rewritten about once each time the store doubles in size. If only one segment is
  /// left, selects instead a segment in which more than half of the rows have been replaced, if there is one.
  static func due(_ segments: [SegmentReference], killed: [UInt64: Int]) -> Set<UInt64> {
    let sorted = segments.sorted { ($0.fileBytes, $0.number) < ($1.fileBytes, $1.number) }
    var sum = 0
    var chosen: Set<UInt64> = []
    for segment in sorted {
      if sum > 0 && segment.fileBytes > sum * 2 { break }
      sum += segment.fileBytes
      chosen.insert(segment.number)
    }
    if chosen.count > 1 { return chosen }
    let mostlyDead = sorted.first { $0.rowCount > 0 && killed[$0.number, default: 0] * 2 > $0.rowCount }
    return mostlyDead.map { [$0.number] } ?? []
  }

  /// Number of bytes copied, across all sources, after which their pages are discarded.
  private static let copiedAtOnce = 8 << 20

  private static func merge(_ sources: [SegmentStack.Layer], into writer: SegmentWriter) throws(StorageError) {
    var rows = [Int](repeating: -1, count: sources.count)
    var heads = [UnsafeRawPointer?](repeating: nil, count: sources.count)
    func advance(_ index: Int) throws(StorageError) {
      let source = sources[index]
      repeat { rows[index] += 1 } while rows[index] < source.segment.footer.rowCount && source.isSuperseded(rows[index])
      heads[index] = rows[index] < source.segment.footer.rowCount ? try source.segment.record(rows[index]) : nil
    }
    for index in sources.indices { try advance(index) }
    // Discard copied pages, so that a merge of any size keeps only part of each source in memory.
    var copied = [Int](repeating: 0, count: sources.count)
    let copiedAtOnce = max(Self.copiedAtOnce / max(sources.count, 8), 256 << 10)
    while true {
      var least: Int?
      for index in sources.indices {
        guard let head = heads[index] else { continue }
        if let known = least, let other = heads[known], !ScanOrder.isBelowInSegment(head, other) { continue }
        least = index
      }
      guard let least, let head = heads[least] else { return }
      try writer.add(head)
      copied[least] += RowLayout.size(head)
      if copied[least] >= copiedAtOnce {
        sources[least].segment.letGo(before: head)
        copied[least] = 0
      }
      try advance(least)
    }
  }

  // MARK: Removing files

  /// Removes files that the manifest does not list. Processes that have these files open can still read them.
  func removeLeftovers() throws(StorageError) {
    let manifest = try Manifest.read(directory: directory, fileSystem: fileSystem)
    let names = try storing { () throws(FileSystemError) in try fileSystem.names(inDirectory: directory) }
    let kept = Set(manifest.segments.map(\.number))
    let leftovers = names.filter { name in
      if name == StoreFormat.spareName { return true }
      if name.hasPrefix("log-"), let number = StoreFormat.number(name.dropFirst(4)) {
        return number < manifest.firstChunk
      }
      if name.hasPrefix("segment-"), let number = StoreFormat.number(name.dropFirst(8)) {
        return !kept.contains(number)
      }
      return false
    }
    guard !leftovers.isEmpty else { return }
    try storing { () throws(FileSystemError) in
      // Sync the directory first: the process that replaced the manifest may have exited before the rename was durable.
      try fileSystem.syncDirectory(directory)
      for name in leftovers { try fileSystem.remove(directory + "/" + name) }
    }
  }
}
