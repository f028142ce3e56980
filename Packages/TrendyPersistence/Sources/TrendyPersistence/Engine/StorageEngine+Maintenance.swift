import Synchronization

/// Sealing and merging: how a store stays quick to open however long its log would be.
///
/// Every step writes a new file beside the others, then has a manifest name it, then removes what that one does not name.
/// Until the manifest is replaced, the store is as it was.
extension StorageEngine {
  /// Does one step of what keeps the store quick, if one is due: seals the log into a segment when it is longer than
  /// ``Options/sealBytes``, merges segments of like size, or removes files that are not needed any more. Call it now and then
  /// until it returns `false`, on a thread of its own if saves must not wait.
  ///
  /// Saves and reads of others go on meanwhile; the write lock is only held at the beginning and the end of a step. Not to be
  /// called in a unit of work that has written: it would wait for itself. When a step fails, for instance for want of room,
  /// the store is as it was before it.
  /// - Parameters:
  ///   - sealsAll: seals the log however short it is.
  ///   - leastSegments: of fewer segments none are merged: to write all anew that was just saved takes as long as the save, and can
  ///     wait for whoever has room for it.
  /// - Returns: whether there may be more to do. `false` also when another handle is at it.
  @discardableResult
  public func maintain(sealingAll sealsAll: Bool = false, mergingFrom leastSegments: Int = 0) throws(StorageError)
    -> Bool
  {
    try check()
    let lock = try storing { () throws(FileSystemError) in
      try fileSystem.open(directory + "/" + StoreFormat.maintenanceLockName, .create)
    }
    defer { withExtendedLifetime(lock) {} }  // the lock goes with its file
    guard try storing({ () throws(FileSystemError) in try lock.tryLock() }) else { return false }
    try state.withLock { state throws(StorageError) in
      if let failure = state.handle.failure { throw failure }
      try state.reload(directory: directory, fileSystem: fileSystem)
    }
    try removeLeftovers()
    // Where only saves ever seal, their segments must not become too many.
    let count = state.withLock { $0.generation.manifest.segments.count }
    let isCrowded = count >= Self.manySegments
    var hasWorked = isCrowded ? try merge() : try seal(sealsAll: sealsAll)
    if !hasWorked {
      if isCrowded {
        hasWorked = try seal(sealsAll: sealsAll)
      } else if count >= leastSegments {
        hasWorked = try merge()
      }
    }
    if hasWorked { try removeLeftovers() }
    return hasWorked
  }

  /// Lets go of what is in memory of the segments' files. They are read as before: the system holds its copy for as long as it has room.
  public func releaseMemory() { state.withLock { $0.generation.tables.segments.letGo() } }

  /// After a save: does a step of maintenance if nobody else seems to do any.
  func maintainIfOverdue() throws(StorageError) {
    let isOverdue = state.withLock { state in
      state.tail.logBytes > options.sealBytes * Self.overdueFactor
        || state.generation.manifest.segments.count >= Self.manySegments
    }
    if isOverdue { try maintain() }
  }

  /// A log this many times as long as ``Options/sealBytes`` is sealed by the save that makes it so.
  private static let overdueFactor = 64
  /// From here on merging comes before sealing.
  private static let manySegments = 48

  // MARK: Sealing

  /// What the log says up to a seal, and where it goes on.
  private struct Frozen: @unchecked Sendable {  // rows that nobody writes again, kept by the pin
    var records: [UnsafeRawPointer]
    var burials: [RowPlace]
    var pin: RecordPin
    var manifest: Manifest
    var firstChunk: UInt64
    var firstSequence: UInt64
  }

  private func seal(sealsAll: Bool) throws(StorageError) -> Bool {
    let isDue = state.withLock { state in
      let hasRows = state.generation.tables.memtable.count > 0
      // A log of nothing but what took itself back is long too.
      return state.tail.logBytes > options.sealBytes || (sealsAll && hasRows)
    }
    guard isDue else { return false }
    let frozen = try freeze()
    var next = frozen.manifest
    next.generation += 1
    next.firstChunk = frozen.firstChunk
    next.firstSequence = frozen.firstSequence
    if !frozen.records.isEmpty || !frozen.burials.isEmpty {
      let rows = frozen.records.withUnsafeBufferPointer { SortedRecords([$0]) }
      let writer = try makeWriter(for: next, rows: rows.count)
      try rows.forEach(writer.add)
      withExtendedLifetime(frozen.pin) {}
      next.segments.append(try writer.finish(kills: frozen.burials, manifest: next))
    }
    return try install(next)
  }

  /// Ends the chunk that is written now, so that all before it stays as it is, and notes what that is.
  private func freeze() throws(StorageError) -> Frozen {
    let log = Log(directory: directory, fileSystem: fileSystem)
    // After a step that failed there may be nothing new in it.
    func isUsed() -> Bool { state.withLock { $0.tail.end > ChunkHeader.bytes } }
    // Without the write lock, as it takes longest.
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

  /// - Parameter rows: how many there will be at most.
  func makeWriter(for next: Manifest, rows: Int) throws(StorageError) -> SegmentWriter {
    try SegmentWriter(
      number: next.generation, storeID: next.storeID, rows: rows,
      log: Log(directory: directory, fileSystem: fileSystem, manifest: next))
  }

  /// Puts the next generation in place, unless a repair came between.
  private func install(_ next: Manifest) throws(StorageError) -> Bool {
    let transaction = try beginWrite()
    defer { transaction.rollback() }
    let now = try Manifest.read(directory: directory, fileSystem: fileSystem)
    guard now.generation + 1 == next.generation, now.storeID == next.storeID else { return false }
    try next.replace(directory: directory, fileSystem: fileSystem)
    try state.withLock { state throws(StorageError) -> Void in
      try state.reload(directory: directory, fileSystem: fileSystem)
      // All before the log is on the disk: whoever opens the store need not look beyond its end.
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
    // What segments say of others is read twice, here and by the stack below, and is not needed after that.
    releaseMemory()
    let log = Log(directory: directory, fileSystem: fileSystem, manifest: manifest)
    // Of its own, without the log: what an unconfirmed save took the place of is still needed.
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

  /// The segments to be made one: the smallest, as long as the next is not much larger than all before it; so a row is
  /// written anew about as often as the store doubles. Or one of which most is dead.
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

  /// Bytes that all sources together may have of what was copied before it is let go of.
  private static let copiedAtOnce = 8 << 20

  private static func merge(_ sources: [SegmentStack.Layer], into writer: SegmentWriter) throws(StorageError) {
    var rows = [Int](repeating: -1, count: sources.count)
    var heads = [UnsafeRawPointer?](repeating: nil, count: sources.count)
    func advance(_ index: Int) throws(StorageError) {
      let source = sources[index]
      repeat { rows[index] += 1 } while rows[index] < source.segment.footer.rowCount && source.isBuried(rows[index])
      heads[index] = rows[index] < source.segment.footer.rowCount ? try source.segment.record(rows[index]) : nil
    }
    for index in sources.indices { try advance(index) }
    // What was copied is not needed any more: a merge of any size has but a piece of each source in memory.
    var copied = [Int](repeating: 0, count: sources.count)
    let copiedAtOnce = max(Self.copiedAtOnce / max(sources.count, 8), 256 << 10)
    while true {
      var least: Int?
      for index in sources.indices {
        guard let head = heads[index] else { continue }
        if let known = least, let other = heads[known], !RecordOrder.isBelowInSegment(head, other) { continue }
        least = index
      }
      guard let least, let head = heads[least] else { return }
      try writer.add(head)
      copied[least] += RecordLayout.size(head)
      if copied[least] >= copiedAtOnce {
        sources[least].segment.letGo(before: head)
        copied[least] = 0
      }
      try advance(least)
    }
  }

  // MARK: Removing

  /// Removes the files that the manifest no longer counts. Who has them open keeps them.
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
      // Not before the manifest that was read is there for good: whoever wrote it may have ended before its name was synced.
      try fileSystem.syncDirectory(directory)
      for name in leftovers { try fileSystem.remove(directory + "/" + name) }
    }
  }
}
