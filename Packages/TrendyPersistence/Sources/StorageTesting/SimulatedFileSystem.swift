import Synchronization
public import TrendyPersistence

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A disk in memory, as one process sees it: it knows what was synced, and can lose the rest.
///
/// ```swift
/// let disk = SimulatedFileSystem()
/// let engine = try StorageEngine.open(directory: "/store", fileSystem: disk)
/// disk.powerOff(beforeChange: 7)     // from the seventh change on nothing reaches the disk
/// …
/// disk.restart(losing: .unsynced)    // what was never synced is gone; open again and look
/// ```
///
/// Names count as synced when their folder was. After a sync that failed, what it should have written is lost for good, as
/// on a real disk, though it can still be read until the next restart.
public final class SimulatedFileSystem: FileSystem {
  /// What a loss of power does to what was written and not synced.
  public enum Loss: Hashable, Sendable {
    /// All of it is gone.
    case unsynced
    /// None of it is: only the processes end, and what was not synced can still be lost later.
    case nothing
    /// Any part of it is gone, by chance: writes in any order, torn between sectors of 512 bytes, names of files too.
    case random(seed: UInt64)
  }

  /// A call that fails though nothing is wrong with it.
  public struct Fault: Hashable, Sendable {
    /// Only calls of this kind count; `nil` for all.
    public var operation: FileSystemError.Operation?
    /// Which of them fails, from 1.
    public var call: Int
    /// `errno`, for instance `ENOSPC` or `EIO`.
    public var code: Int32
    /// Whether all later ones fail too.
    public var isForever: Bool

    public init(operation: FileSystemError.Operation? = nil, call: Int, code: Int32, isForever: Bool = false) {
      self.operation = operation
      self.call = call
      self.code = code
      self.isForever = isForever
    }
  }

  let disk: SimulatedDisk
  private let process: Int

  /// - Parameter capacity: bytes that all files together may take; `nil` for no limit.
  public init(capacity: Int? = nil) {
    disk = SimulatedDisk(capacity: capacity)
    process = disk.state.withLock { $0.newProcess() }
  }

  private init(disk: SimulatedDisk) {
    self.disk = disk
    process = disk.state.withLock { $0.newProcess() }
  }

  /// The same disk, as another process sees it.
  public func anotherProcess() -> SimulatedFileSystem { SimulatedFileSystem(disk: disk) }

  /// Ends this process at once: its open files and locks are gone, what it wrote is still there. It can begin anew.
  public func kill() { disk.state.withLock { $0.endProcess(process) } }

  // MARK: Faults

  /// Calls made so far, of all processes.
  public var calls: Int { disk.state.withLock { $0.calls } }

  /// Calls so far that changed something, or made it durable.
  public var changes: Int { disk.state.withLock { $0.changes } }

  /// Makes a call fail, counted from now on; `nil` ends that.
  public func fail(_ fault: Fault?) { disk.state.withLock { $0.setFault(fault) } }

  /// Whether the fault was met since it was set.
  public var metFault: Bool { disk.state.withLock { $0.metFault } }

  /// Lets no change through from the `count`-th on, counted from now: every call fails until ``restart(losing:)``.
  public func powerOff(beforeChange count: Int) { disk.state.withLock { $0.changesLeft = count - 1 } }

  /// Whether power went since ``powerOff(beforeChange:)``.
  public var isOff: Bool { disk.state.withLock { $0.isOff } }

  /// Ends all processes, loses what was not synced, and goes on with what is left.
  public func restart(losing loss: Loss) { disk.state.withLock { $0.restart(losing: loss) } }

  /// Changes how much the disk holds.
  public func setCapacity(_ capacity: Int?) { disk.state.withLock { $0.capacity = capacity } }

  /// Bytes that all files take.
  public var usedBytes: Int { disk.state.withLock { $0.usedBytes } }

  // MARK: Behind the back of those who have it open

  /// The bytes of a file as they can be read now; `nil` without such a file.
  public func contents(_ path: String) -> [UInt8]? { disk.state.withLock { $0.contents(path) } }

  /// Puts other bytes in a file, as damage does; they are durable.
  public func setContents(_ path: String, _ bytes: [UInt8]) { disk.state.withLock { $0.setContents(path, bytes) } }

  /// All files, sorted.
  public var files: [String] { disk.state.withLock { $0.names.keys.sorted() } }

  /// A disk with the same files, all durable, and nobody who has them open.
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

  public func pause(attempt: Int) -> Duration {
    // Another thread may have the lock; in a world of one thread nobody lets go of it, and this ends soon.
    usleep(200)
    return .milliseconds(1)
  }
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
    // The caller's buffer, used while it waits.
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
      // A write that fails has done a part of its work first.
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
      // The system gives up on what it could not write and calls it clean.
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

/// A copy of a file's bytes. `@unchecked`: written once, in `init`.
final class SimulatedMapping: MappedFile, @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ content: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 16)
    memory.copyBytes(from: content)
    bytes = UnsafeRawBufferPointer(memory)
  }

  deinit { bytes.deallocate() }
}

/// A number of a file that a loss of power does not keep.
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
    precondition(isWritable, "a page that is mapped for reading was written")
    return disk.state.withLock { state in
      state.nodes[node]?.counter += 1
      return state.nodes[node]?.counter ?? 0
    }
  }
}
