#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization

/// Large saves, which are written directly as segments. If they were written to the log, every row would be written
/// twice, and the next process to open the store would have to read or seal all rows.
extension StorageEngine {
  /// Multiple of ``Options/sealBytes`` above which a save is large.
  private static let largeSaveFactor = 8

  func isLarge(_ bytes: Int) -> Bool { bytes > options.sealBytes * Self.largeSaveFactor }

  /// Saves a unit of work, together with the rows in the log, as a segment. Requires the write lock, which is not
  /// released.
  ///
  /// The log is first sealed and continued in another chunk, so an unused segment has no effect. The save is complete
  /// once the manifest lists the segment. The save is not recorded in the log, so other handles check the manifest when
  /// the counter has changed.
  /// - Parameters:
  ///   - changes: rows put and deleted.
  ///   - newRows: indices of the rows in `changes` that replace no saved row.
  ///   - mustWait: whether to wait for running maintenance. Required if the save does not fit into the log.
  ///   - publish: see `WriteTransaction.commit(publishing:)`.
  /// - Returns: `true` if the changes were saved, or `false` if another handle is performing maintenance.
  func saveAsSegment(
    _ changes: Memtable, newRows: RowSet, mustWait: Bool,
    publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void = {
      show throws(StorageError) in try show()
    }
  ) throws(StorageError) -> Bool {
    let lockPath = directory + "/" + StoreFormat.maintenanceLockName
    let lock = try storing { () throws(FileSystemError) in try fileSystem.open(lockPath, .create) }
    defer { withExtendedLifetime(lock) {} }  // closing the file releases the lock
    if mustWait {
      // Running maintenance may be waiting for the write lock, which this handle holds. Wait longer than maintenance
      // does, so that maintenance times out first.
      try fileSystem.take(lock, of: lockPath, atMost: options.lockTimeout * 2)
    } else {
      guard try storing({ () throws(FileSystemError) in try lock.tryLock() }) else { return false }
    }
    let log = Log(directory: directory, fileSystem: fileSystem)
    try goOnInNewChunk(log, for: 0, spare: try log.makeSpare(bytes: options.firstChunkBytes))
    var (next, logged, kills, pin) = try state.withLock { state throws(StorageError) in
      var next = state.generation.manifest
      next.generation += 1
      next.firstChunk = state.tail.chunk.number
      next.firstSequence = state.tail.sequence + 1
      let kills = try state.generation.tables.rowsReplaced(by: changes.records, newRows: newRows)
      return (next, Array(state.generation.tables.memtable.records), kills, state.tail.pin)
    }
    logged.removeAll { changes.find(kind: RowLayout.kind($0), key: RowLayout.key($0)) != nil }
    let rows = logged.withUnsafeBufferPointer { SortedRows([$0, changes.records]) }
    if !rows.isEmpty || !kills.isEmpty {
      let writer = try makeWriter(for: next, rows: rows.count)
      try rows.forEach(writer.add)
      next.segments.append(try writer.finish(kills: kills, manifest: next))
    }
    withExtendedLifetime(pin) {}
    try commit(next, publishing: publish)
    // This save has read large parts of the segments, and the next save will read other parts. Released pages stay in
    // the page cache.
    releaseMemory()
    // If this fails, the next maintenance run removes the leftovers.
    try? removeLeftovers()
    return true
  }

  private func commit(
    _ next: Manifest, publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    do {
      try next.replace(directory: directory, fileSystem: fileSystem)
    } catch {
      // If the new manifest is in place, or cannot be read, only reopening the store can show whether it is durable.
      guard let there = try? Manifest.read(directory: directory, fileSystem: fileSystem),
        there.generation < next.generation
      else {
        let path = directory + "/" + StoreFormat.manifestName
        var code = EIO
        if case .failed(let failed) = error { code = failed.code }
        let failure = StorageError.syncFailed(path: path, code: code)
        fail(failure)
        throw failure
      }
      try? fileSystem.remove(directory + "/" + StoreFormat.segmentName(next.generation))
      throw error
    }
    do {
      try publish { () throws(StorageError) in
        try state.withLock { state throws(StorageError) -> Void in
          try state.reload(directory: directory, fileSystem: fileSystem)
          if let lock = state.handle.lock { state.tail.mark.write(to: lock, with: state.handle.counter) }
          // Increment the counter before the save is reported, so that other handles notice the save.
          _ = state.handle.counter?.advance()
        }
      }
    } catch {
      // Do not report an error, because the save is durable. Only this handle becomes unusable.
      fail(error)
    }
  }
}
