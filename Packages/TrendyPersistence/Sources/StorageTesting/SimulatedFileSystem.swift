import Synchronization
public import TrendyPersistence

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// In-memory disk as seen by one process. Tracks which data has been synced and can lose the rest.
///
/// ```swift
/// let disk = SimulatedFileSystem()
/// let engine = try StorageEngine.open(directory: "/store", fileSystem: disk)
/// disk.powerOff(beforeChange: 7)     // the seventh and all later changes fail
/// …
/// disk.restart(losing: .unsynced)    // data that was never synced is lost; reopen and check
/// ```
///
/// A file name becomes durable when its directory is synced. After a failed sync the affected data can still be read,
/// but is lost at the next restart, as on a real disk.
public final class SimulatedFileSystem: FileSystem {
  /// Effect of a power loss on data that was written but not synced.
  public enum Loss: Hashable, Sendable {
    /// All unsynced data is lost.
    case unsynced
    /// Nothing is lost, but all processes end. Unsynced data can still be lost in a later restart.
    case nothing
    /// A random part of the unsynced data is lost. Writes and changes to file names survive in any order. Writes can be
    /// torn at the boundaries of 512-byte sectors.
    case random(seed: UInt64)
  }

  /// Failure injected into a call.
  public struct Fault: Hashable, Sendable {
    /// Operation whose calls are counted, or `nil` for all.
    public var operation: FileSystemError.Operation?
    /// Index of the failing call, counted from 1.
    public var call: Int
    /// Error number (`errno`), for example `ENOSPC` or `EIO`.
    public var code: Int32
    /// Whether all later calls fail as well.
    public var isForever: Bool

    /// Creates a fault.
    public init(operation: FileSystemError.Operation? = nil, call: Int, code: Int32, isForever: Bool = false) {
      self.operation = operation
      self.call = call
      self.code = code
      self.isForever = isForever
    }
  }

  let disk: SimulatedDisk
  private let process: Int

  /// Creates an empty disk.
  /// - Parameter capacity: maximum total length of all files in bytes, or `nil` for no limit.
  public init(capacity: Int? = nil) {
    disk = SimulatedDisk(capacity: capacity)
    process = disk.state.withLock { $0.newProcess() }
  }

  private init(disk: SimulatedDisk) {
    self.disk = disk
    process = disk.state.withLock { $0.newProcess() }
  }

  /// Returns the same disk as seen by another process.
  public func anotherProcess() -> SimulatedFileSystem { SimulatedFileSystem(disk: disk) }

  /// Ends this process: closes its files and releases its locks, but keeps its writes. The process can be used again.
  public func kill() { disk.state.withLock { $0.endProcess(process) } }

  // MARK: Faults

  /// Number of calls by all processes so far.
  public var calls: Int { disk.state.withLock { $0.calls } }

  /// Number of calls so far that changed the disk or made data durable.
  public var changes: Int { disk.state.withLock { $0.changes } }

  /// Sets the fault to inject, or removes the current fault if `nil`. Calls are counted from now on.
  public func fail(_ fault: Fault?) { disk.state.withLock { $0.setFault(fault) } }

  /// Whether the fault has occurred since it was set.
  public var metFault: Bool { disk.state.withLock { $0.metFault } }

  /// Cuts the power just before the `count`-th change from now. All calls fail from then until ``restart(losing:)``.
  public func powerOff(beforeChange count: Int) { disk.state.withLock { $0.changesLeft = count - 1 } }

  /// Whether power was lost after ``powerOff(beforeChange:)``.
  public var isOff: Bool { disk.state.withLock { $0.isOff } }

  /// Ends all processes, discards unsynced data as specified by `loss`, and turns the power on again.
  public func restart(losing loss: Loss) { disk.state.withLock { $0.restart(losing: loss) } }

  /// Sets the capacity of the disk in bytes. `nil` removes the limit.
  public func setCapacity(_ capacity: Int?) { disk.state.withLock { $0.capacity = capacity } }

  /// Number of active watches of all processes.
  public var watchCount: Int { disk.state.withLock { $0.watches.count } }

  /// Total length of all files in bytes.
  public var usedBytes: Int { disk.state.withLock { $0.usedBytes } }

  // MARK: Direct access for tests

  /// Returns the current bytes of a file, or `nil` if there is no such file.
  public func contents(_ path: String) -> [UInt8]? { disk.state.withLock { $0.contents(path) } }

  /// Replaces the bytes of a file durably, for example to simulate damage.
  public func setContents(_ path: String, _ bytes: [UInt8]) { disk.state.withLock { $0.setContents(path, bytes) } }

  /// Sorted paths of all files.
  public var files: [String] { disk.state.withLock { $0.names.keys.sorted() } }

  /// Returns a copy of the disk. All files in the copy are durable and closed.
  public func copy() -> SimulatedFileSystem {
    let other = SimulatedFileSystem()
    let files = disk.state.withLock { state in state.names.mapValues { state.nodes[$0]?.bytes ?? [] } }
    let folders = disk.state.withLock { $0.folders }
    other.disk.state.withLock { state in
      for folder in folders { state.makeFolder(folder) }
      for (path, bytes) in files.sorted(by: { $0.key < $1.key }) { state.setContents(path, bytes) }
    }
    return other
  }
}

// MARK: FileSystem

extension SimulatedFileSystem {
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try disk.change(.createDirectory, path) { state throws(FileSystemError) in
      for (file, _) in state.names where path == file || path.hasPrefix(file + "/") {
        throw FileSystemError(operation: .createDirectory, path: path, code: ENOTDIR)
      }
      state.makeFolder(path)
    }
  }

  public func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    let makes = disk.state.withLock { mode == .create && $0.names[path] == nil }
    let body = { (state: inout DiskState) throws(FileSystemError) -> (Int, Int, Int) in
      let node: Int
      if let known = state.names[path] {
        node = known
      } else if mode == .create {
        guard state.folders.contains(DiskState.folder(of: path)) else {
          throw FileSystemError(operation: .open, path: path, code: ENOENT)
        }
        node = state.makeFile(path)
      } else {
        throw FileSystemError(operation: .open, path: path, code: state.folders.contains(path) ? EISDIR : ENOENT)
      }
      return (node, state.newHandle(self.process, node: node), state.boot)
    }
    let (node, handle, boot) =
      makes ? try disk.change(.open, path, body) : try disk.call(.open, path, body)
    return SimulatedFile(
      disk: disk, path: path, node: node, handle: handle, process: process, boot: boot, isWritable: mode != .read)
  }

  public func names(inDirectory path: String) throws(FileSystemError) -> [String] {
    try disk.call(.list, path) { state throws(FileSystemError) in
      guard state.folders.contains(path) else {
        throw FileSystemError(operation: .list, path: path, code: ENOENT)
      }
      return (Array(state.names.keys) + state.folders.subtracting([path, "/", "."]))
        .filter { DiskState.folder(of: $0) == path }
        .map { String($0.dropFirst(path == "/" ? 1 : path.count + 1)) }.sorted()
    }
  }

  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try disk.change(.rename, path) { state throws(FileSystemError) in
      guard state.folders.contains(DiskState.folder(of: newPath)) else {
        throw FileSystemError(operation: .rename, path: path, code: ENOENT)
      }
      if state.folders.contains(path) {
        guard state.names[newPath] == nil else {
          throw FileSystemError(operation: .rename, path: path, code: ENOTDIR)
        }
        guard state.isEmpty(folder: newPath) else {
          throw FileSystemError(operation: .rename, path: path, code: ENOTEMPTY)
        }
        state.apply(.renameFolder(from: path, to: newPath))
        return
      }
      guard let node = state.names[path] else {
        throw FileSystemError(operation: .rename, path: path, code: ENOENT)
      }
      state.apply(.rename(from: path, to: newPath, node: node))
    }
  }

  public func remove(_ path: String) throws(FileSystemError) {
    try disk.change(.remove, path) { state throws(FileSystemError) in
      if state.folders.contains(path) {
        guard state.isEmpty(folder: path) else {
          throw FileSystemError(operation: .remove, path: path, code: ENOTEMPTY)
        }
        state.apply(.removeFolder(path))
        return
      }
      guard state.names[path] != nil else { throw FileSystemError(operation: .remove, path: path, code: ENOENT) }
      state.apply(.remove(path))
    }
  }

  public func syncDirectory(_ path: String) throws(FileSystemError) {
    try disk.change(.syncDirectory, path) { state throws(FileSystemError) in
      guard state.folders.contains(path) else {
        throw FileSystemError(operation: .syncDirectory, path: path, code: ENOENT)
      }
      state.syncNames(in: path)
    }
  }

  /// Watches a directory. `onChange` is called by each write and rename before it returns.
  public func watch(
    directory path: String, onChange: @escaping @Sendable () -> Void
  ) throws(FileSystemError) -> any Sendable {
    let process = process
    let number = try disk.call(.watch, path) { state throws(FileSystemError) in
      guard state.folders.contains(path) else { throw FileSystemError(operation: .watch, path: path, code: ENOENT) }
      return state.add(DiskState.Watch(process: process, directory: path, onChange: onChange))
    }
    return SimulatedWatch(disk: disk, number: number)
  }

  public func pause(attempt: Int) -> Duration {
    // Gives a thread that holds the lock a chance to run. Reports a longer pause than the real pause, so that a wait
    // for a lock that no thread will release times out quickly.
    usleep(200)
    return .milliseconds(1)
  }
}

/// Watch that ends when it is released.
private final class SimulatedWatch: Sendable {
  private let disk: SimulatedDisk
  private let number: Int

  init(disk: SimulatedDisk, number: Int) {
    self.disk = disk
    self.number = number
  }

  deinit { disk.state.withLock { $0.removeWatch(number) } }
}

/// An open file of a simulated process.
final class SimulatedFile: OpenFile {
  private let disk: SimulatedDisk
  private let path: String
  private let node: Int
  private let handle: Int
  private let process: Int
  private let boot: Int
  private let isWritable: Bool

  init(disk: SimulatedDisk, path: String, node: Int, handle: Int, process: Int, boot: Int, isWritable: Bool) {
    self.disk = disk
    self.path = path
    self.node = node
    self.handle = handle
    self.process = process
    self.boot = boot
    self.isWritable = isWritable
  }

  deinit { disk.state.withLock { $0.close(handle, node: node) } }

  private func check(_ state: DiskState, _ operation: FileSystemError.Operation) throws(FileSystemError) {
    guard state.boot == boot, state.handles[handle] == process else {
      throw FileSystemError(operation: operation, path: path, code: EBADF)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
    // Safe because the caller waits while its buffer is used.
    nonisolated(unsafe) let buffer = buffer
    return try disk.call(.read, path) { state throws(FileSystemError) in
      try check(state, .read)
      return state.read(node, into: buffer, at: offset)
    }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    let bytes = [UInt8](copying: buffer)
    do {
      try disk.change(.write, path) { state throws(FileSystemError) in
        try check(state, .write)
        guard isWritable else { throw FileSystemError(operation: .write, path: path, code: EBADF) }
        let end = offset + bytes.count
        if !state.hasRoom(for: end, node: node) {
          throw FileSystemError(operation: .write, path: path, code: ENOSPC)
        }
        state.change(node, .write(offset: offset, bytes: bytes))
      }
    } catch {
      disk.state.withLock { state in
        let part = Array(bytes.prefix(bytes.count / 2))
        if !state.isOff, state.boot == boot, state.handles[handle] == process, isWritable,
          state.hasRoom(for: offset + part.count, node: node)
        {
          state.change(node, .write(offset: offset, bytes: part))
        }
      }
      throw error
    }
  }

  func synchronize() throws(FileSystemError) {
    do {
      try disk.change(.synchronize, path) { state throws(FileSystemError) in
        try check(state, .synchronize)
        state.synchronize(node)
      }
    } catch {
      // Discard the unwritten data and treat its pages as clean, as a real kernel does.
      disk.state.withLock { state in if !state.isOff, state.boot == boot { state.forgetPending(node) } }
      throw error
    }
  }

  func size() throws(FileSystemError) -> Int {
    try disk.call(.inspect, path) { state throws(FileSystemError) in
      try check(state, .inspect)
      return state.nodes[node]?.bytes.count ?? 0
    }
  }

  func isInPlace() throws(FileSystemError) -> Bool {
    try disk.call(.inspect, path) { state throws(FileSystemError) in
      try check(state, .inspect)
      return state.names[path] == node
    }
  }

  func truncate(to size: Int) throws(FileSystemError) {
    try disk.change(.truncate, path) { state throws(FileSystemError) in
      try check(state, .truncate)
      state.change(node, .resize(size))
    }
  }

  func allocate(_ size: Int) throws(FileSystemError) {
    try disk.change(.allocate, path) { state throws(FileSystemError) in
      try check(state, .allocate)
      guard state.hasRoom(for: size, node: node) else {
        throw FileSystemError(operation: .allocate, path: path, code: ENOSPC)
      }
      if size > state.nodes[node]?.bytes.count ?? 0 { state.change(node, .resize(size)) }
    }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    try disk.call(.lock, path) { state throws(FileSystemError) in
      try check(state, .lock)
      return state.lock(node, handle: handle)
    }
  }

  func unlock() throws(FileSystemError) {
    try disk.call(.unlock, path) { state throws(FileSystemError) in
      try check(state, .unlock)
      state.unlock(node, handle: handle)
    }
  }

  func counter() throws(FileSystemError) -> (any SharedCounter)? {
    SimulatedCounter(disk: disk, node: node, isWritable: isWritable)
  }

  func map(size: Int) throws(FileSystemError) -> any MappedFile {
    let bytes = try disk.call(.map, path) { state throws(FileSystemError) -> [UInt8] in
      try check(state, .map)
      let bytes = state.nodes[node]?.bytes ?? []
      guard bytes.count >= size else { throw FileSystemError(operation: .map, path: path, code: EINVAL) }
      return Array(bytes.prefix(size))
    }
    return SimulatedMapping(bytes)
  }
}

/// Copy of a file's bytes.
///
/// `@unchecked`: written only in `init`.
final class SimulatedMapping: MappedFile, @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ content: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
    memory.copyBytes(from: content)
    bytes = UnsafeRawBufferPointer(memory)
  }

  deinit { bytes.deallocate() }
}

/// Counter shared by all processes that have a file open. A power loss resets it.
final class SimulatedCounter: SharedCounter {
  private let disk: SimulatedDisk
  private let node: Int
  private let isWritable: Bool

  init(disk: SimulatedDisk, node: Int, isWritable: Bool) {
    self.disk = disk
    self.node = node
    self.isWritable = isWritable
  }

  var value: UInt64 { disk.state.withLock { $0.nodes[node]?.counter ?? 0 } }

  func advance() -> UInt64 {
    precondition(isWritable, "write to a counter of a file opened for reading")
    return disk.state.withLock { state in
      state.nodes[node]?.counter += 1
      return state.nodes[node]?.counter ?? 0
    }
  }
}
