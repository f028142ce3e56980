#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization

/// A save of many megabytes becomes a segment at once. By way of the log every row would be written twice, and the next opening
/// would read all of it, or wait until it was sealed.
extension StorageEngine {
  /// A save this many times as long as ``Options/sealBytes`` is large.
  private static let largeSaveFactor = 8

  func isLarge(_ bytes: Int) -> Bool { bytes > options.sealBytes * Self.largeSaveFactor }

  /// Saves a unit of work as a segment, with what the log holds. The caller has the write lock and keeps it.
  ///
  /// The log is sealed first and goes on in another chunk, so that a segment that never counts stands in nobody's way. The save
  /// is done when the manifest names the segment. Nothing in the log tells of it: whoever has the store open asks after the
  /// manifest when the counter says that there is news.
  /// - Parameters:
  ///   - changes: what is put and deleted.
  ///   - newRows: the rows of it that take the place of nothing saved.
  ///   - mustWait: whether it does not fit the log, so that who is maintaining the store is waited for.
  ///   - publish: as of `WriteTransaction.commit(publishing:)`.
  /// - Returns: whether it is saved; not where another handle is maintaining the store.
  func saveAsSegment(
    _ changes: Memtable, newRows: RowSet, mustWait: Bool,
    publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void = {
      show throws(StorageError) in try show()
    }
  ) throws(StorageError) -> Bool {
    let lockPath = directory + "/" + StoreFormat.maintenanceLockName
    let lock = try storing { () throws(FileSystemError) in try fileSystem.open(lockPath, .create) }
    defer { withExtendedLifetime(lock) {} }  // the lock goes with its file
    if mustWait {
      // Who maintains may be waiting for the lock of writing, and gives up first.
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
    logged.removeAll { changes.find(kind: RecordLayout.kind($0), key: RecordLayout.key($0)) != nil }
    let rows = logged.withUnsafeBufferPointer { SortedRecords([$0, changes.records]) }
    if !rows.isEmpty || !kills.isEmpty {
      let writer = try makeWriter(for: next, rows: rows.count)
      try rows.forEach(writer.add)
      next.segments.append(try writer.finish(kills: kills, manifest: next))
    }
    withExtendedLifetime(pin) {}
    try commit(next, publishing: publish)
    // Who saves as much has looked through much, and will look elsewhere for the next: what of the segments it has in memory is no more
    // than the system's own copy of them.
    releaseMemory()
    // What is left over is removed by the next maintenance, too.
    try? removeLeftovers()
    return true
  }

  /// Puts a manifest in place that is the save, and stands on it.
  private func commit(
    _ next: Manifest, publishing publish: (_ show: () throws(StorageError) -> Void) throws(StorageError) -> Void
  ) throws(StorageError) {
    do {
      try next.replace(directory: directory, fileSystem: fileSystem)
    } catch {
      // Where it is in its place, or nobody can tell, only the disk knows whether it stays there.
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
          // Others look from here on, so that they know of it before the save is reported.
          _ = state.handle.counter?.advance()
        }
      }
    } catch {
      // It is saved all the same; only this handle cannot go on.
      fail(error)
    }
  }
}
