#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// File system used by a store. All disk access goes through this protocol, so tests can simulate a disk.
///
/// A call completes or throws: implementations retry after signals and continue short writes. Paths are absolute or
/// relative to the working directory, separated by `/`.
public protocol FileSystem: FileHints {
  /// Creates a directory and any missing parents. An existing directory is not an error. The name is durable on return.
  func createDirectory(_ path: String) throws(FileSystemError)
  /// Opens a file. ``FileMode/create`` creates a missing file, whose name is durable only after ``syncDirectory(_:)``.
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile
  /// Returns the names in a directory, sorted.
  func names(inDirectory path: String) throws(FileSystemError) -> [String]
  /// Atomically replaces a file, or moves a directory to an unused path. Durable after ``syncDirectory(_:)`` on both
  /// parents.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)
  /// Removes a file or an empty directory. Open handles of a removed file remain usable.
  func remove(_ path: String) throws(FileSystemError)
  /// Makes the names in a directory durable after files have been created, renamed or removed in it.
  func syncDirectory(_ path: String) throws(FileSystemError)
}

/// Optional operations that make a store faster. Each has a default implementation.
public protocol FileHints: Sendable {
  /// Pauses before another attempt to acquire a lock.
  /// - Parameter attempt: number of earlier attempts. Pauses grow with it, up to one millisecond.
  /// - Returns: duration of the pause.
  func pause(attempt: Int) -> Duration
  /// Starts creating an unnamed file on a background thread, which writes every byte once and syncs the file.
  /// - Parameters:
  ///   - path: directory where the file will be named.
  ///   - bytes: length of the file.
  ///   - start: first bytes of the file, which is otherwise filled with zeros.
  ///   - preparing: called first on that thread.
  /// - Returns: the file, or `nil` if the file system does not support this.
  func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)?
  /// Watches a directory for written or replaced files.
  /// - Parameters:
  ///   - path: directory, without its subdirectories.
  ///   - onChange: called on any thread after one or more changes by any process, including this one. A write through
  ///     a mapping is not a change.
  /// - Returns: the watch, which ends when it is released. A call of `onChange` may then still be running.
  func watch(
    directory path: String, onChange: @escaping @Sendable () -> Void
  ) throws(FileSystemError) -> any Sendable
}

extension FileHints {
  /// Pauses for 20 to 160 µs during the first 100 attempts, then for a millisecond.
  public func pause(attempt: Int) -> Duration {
    // A save holds the lock for about 20 µs. After a longer pause, later arrivals would get the lock first.
    let microseconds = attempt < 100 ? min(20 << min(attempt, 6), 160) : 1000
    usleep(UInt32(microseconds))
    return .microseconds(microseconds)
  }

  /// Returns `nil`, because spare files are not supported.
  public func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)? { nil }

  /// Throws `ENOTSUP`, so the store cannot be observed.
  public func watch(
    directory path: String, onChange: @escaping @Sendable () -> Void
  ) throws(FileSystemError) -> any Sendable {
    throw FileSystemError(operation: .watch, path: path, code: ENOTSUP)
  }
}

/// File being prepared in the background. It has no name, so no other process can use it, and it is removed with its
/// last reference.
public protocol SpareFile: AnyObject, Sendable {
  /// Waits for the preparation and gives the file an unused name, which is durable only after
  /// ``FileSystem/syncDirectory(_:)``.
  func become(_ path: String) throws(FileSystemError) -> any OpenFile
}

/// Access mode of a file.
public enum FileMode: Hashable, Sendable {
  case read
  case readWrite
  /// For reading and writing. Creates a missing file.
  case create
}

/// Open file. Offsets and lengths are in bytes.
///
/// All methods are thread-safe. The file is closed when its last reference is dropped.
public protocol OpenFile: AnyObject, Sendable {
  /// Reads bytes starting at `offset`.
  /// - Parameters:
  ///   - buffer: memory to fill.
  ///   - offset: offset in the file.
  /// - Returns: number of bytes read, which is less than the buffer's length only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int
  /// Writes the whole buffer. If this throws, any part may have been written.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError)
  /// Makes written bytes and the file length durable (`fdatasync`). After an error it is unknown which bytes are
  /// durable.
  func synchronize() throws(FileSystemError)
  /// Returns the length of the file in bytes.
  func size() throws(FileSystemError) -> Int
  /// Changes the length of the file to `size` bytes.
  func truncate(to size: Int) throws(FileSystemError)
  /// Reserves space for `size` bytes and extends the file to that length. If this throws, no space is used.
  func allocate(_ size: Int) throws(FileSystemError)
  /// Returns whether the path still refers to this file, which may have been removed or replaced.
  func isInPlace() throws(FileSystemError) -> Bool
  /// Acquires the exclusive lock on this file unless another open file, in any process, holds it. The kernel releases
  /// the lock when the file is closed or the process ends.
  /// - Returns: whether the lock was acquired.
  func tryLock() throws(FileSystemError) -> Bool
  /// Releases the lock.
  func unlock() throws(FileSystemError)
  /// Maps the first `size` bytes of a file that will never be written or truncated again.
  func map(size: Int) throws(FileSystemError) -> any MappedFile
  /// Maps the counter in bytes 64..<72 of the file, or returns `nil` if there is none yet. A file opened for writing
  /// is extended as needed and must not be truncated afterwards.
  func counter() throws(FileSystemError) -> (any SharedCounter)?
}

extension OpenFile {
  /// Writes all bytes. If this throws, any part may have been written.
  public func write(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
    try bytes.withUnsafeBufferPointer { bytes throws(FileSystemError) in
      try write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }
}

/// Memory-mapped file. Unmapped when its last reference is dropped.
public protocol MappedFile: AnyObject, Sendable {
  /// The mapped bytes, valid as long as the mapping is referenced.
  var bytes: UnsafeRawBufferPointer { get }
  /// Maps all cached pages in a range at once instead of a few at a time on first access. Only a hint.
  func bringIn(_ range: Range<Int>)
  /// Unmaps the pages in a range, which would otherwise stay mapped until memory is short. The range can still be read.
  /// Only a hint.
  func letGo(_ range: Range<Int>)
}

extension MappedFile {
  /// Does nothing.
  public func bringIn(_ range: Range<Int>) {}
  /// Does nothing.
  public func letGo(_ range: Range<Int>) {}
}

/// Failed file system call with its operation, path and error number.
public struct FileSystemError: Error, Hashable, CustomStringConvertible {
  /// Operation that failed.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case allocate
    case createDirectory = "create folder"
    case inspect
    case list
    case lock
    case map
    case open
    case read
    case remove
    case rename
    case synchronize
    case syncDirectory = "synchronize folder"
    case truncate
    case unlock
    case watch
    case write
  }

  /// Operation that failed.
  public var operation: Operation
  /// Path of the file or directory.
  public var path: String
  /// Error number (`errno`).
  public var code: Int32

  /// Creates an error.
  public init(operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Operation, path and the system's description of the error.
  public var description: String {
    "cannot \(operation.rawValue) \(path) (\(SystemErrorText.text(for: code)))"
  }
}
