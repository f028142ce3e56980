#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The files of one process: everything that a store does to a disk goes through here, so that a test can stand in
/// for the disk.
///
/// Every call is whole or throws: implementations repeat what a signal interrupted and go on after a short write.
/// Paths are absolute or relative to the process, with `/` between their parts.
public protocol FileSystem: FileHints {
  /// Makes the folder and those above it; one that is there is no error. Its name is durable on return.
  func createDirectory(_ path: String) throws(FileSystemError)
  /// Opens a file, or makes an empty one if `mode` says so. A new name is durable only after ``syncDirectory(_:)``.
  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile
  /// The names in a folder, sorted.
  func names(inDirectory path: String) throws(FileSystemError) -> [String]
  /// Replaces a file by another, or moves a folder to a free name, in one step; durable after ``syncDirectory(_:)`` of both parents.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)
  /// Removes a file or an empty folder. Open handles of a removed file stay usable.
  func remove(_ path: String) throws(FileSystemError)
  /// Makes the names in a folder durable: files made, renamed and removed in it.
  func syncDirectory(_ path: String) throws(FileSystemError)
}

/// What makes a store quicker and changes no file that it has. There are defaults.
public protocol FileHints: Sendable {
  /// Lets a short time pass before a lock is tried again.
  /// - Parameter attempt: how often it was tried, from 0; later pauses are longer, up to a millisecond.
  /// - Returns: how long it was.
  func pause(attempt: Int) -> Duration
  /// Begins to make a file without a name, each byte of it written once and durable, on a thread of its own.
  /// - Parameters:
  ///   - path: of the folder that it is to get its name in.
  ///   - bytes: its length.
  ///   - start: what it begins with; zeros follow.
  ///   - preparing: what else to do there before.
  /// - Returns: `nil` where that cannot be.
  func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)?
}

extension FileHints {
  public func pause(attempt: Int) -> Duration {
    // A save holds the lock for some 20 µs: who tries again late waits for others that came after it.
    let microseconds = attempt < 100 ? min(20 << min(attempt, 6), 160) : 1000
    usleep(UInt32(microseconds))
    return .microseconds(microseconds)
  }

  public func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)? { nil }
}

/// A file that is being made for later. Without a name, it is nobody else's, and goes with its last reference.
public protocol SpareFile: AnyObject, Sendable {
  /// Waits until it is made, and gives it a name that no file has. The name is durable only after ``FileSystem/syncDirectory(_:)``.
  func become(_ path: String) throws(FileSystemError) -> any OpenFile
}

/// What a file is opened for.
public enum FileMode: Hashable, Sendable {
  case read
  case readWrite
  /// Reading and writing; made if it is not there.
  case create
}

/// An open file. Positions and lengths are bytes.
///
/// Safe from several threads at once, as the calls of the system are. The last reference closes it.
public protocol OpenFile: AnyObject, Sendable {
  /// Fills the buffer from `offset` on.
  /// - Returns: how many bytes there were; less than the buffer holds only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int
  /// Writes all of the buffer; when it throws, any part of it may have been written.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError)
  /// Makes what was written, and the length, durable (`fdatasync`). After an error nobody knows what is.
  func synchronize() throws(FileSystemError)
  func size() throws(FileSystemError) -> Int
  func truncate(to size: Int) throws(FileSystemError)
  /// Reserves room for `size` bytes and makes the file that long, or throws without having used the room.
  func allocate(_ size: Int) throws(FileSystemError)
  /// Whether the path it was opened by still leads to this file; one that was removed or replaced keeps nothing.
  func isInPlace() throws(FileSystemError) -> Bool
  /// Takes the lock of this open file if nobody else has it, in this process or another; the kernel lets go of it when
  /// the file is closed, whatever ends the process.
  func tryLock() throws(FileSystemError) -> Bool
  func unlock() throws(FileSystemError)
  /// The first `size` bytes as memory, for a file that nobody writes or truncates any more.
  func map(size: Int) throws(FileSystemError) -> any MappedFile
  /// The counter that belongs to the file, in bytes 64 to 72 of it; `nil` where there is none, or none yet. A file open for
  /// writing is made long enough. Nobody may make it shorter again.
  func counter() throws(FileSystemError) -> (any SharedCounter)?
}

extension OpenFile {
  /// Writes all of the bytes; when it throws, any part of them may have been written.
  public func write(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
    try bytes.withUnsafeBufferPointer { bytes throws(FileSystemError) in
      try write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }
}

/// A file as memory, until the last reference goes.
public protocol MappedFile: AnyObject, Sendable {
  /// Valid as long as the mapping itself is referenced.
  var bytes: UnsafeRawBufferPointer { get }
  /// Has the system map what it holds in memory of these bytes in one step, instead of a few pages at each first touch. A hint.
  func bringIn(_ range: Range<Int>)
  /// Has the system forget that these bytes are mapped here, which it holds on to otherwise until memory is short. They can be read as
  /// before. A hint.
  func letGo(_ range: Range<Int>)
}

extension MappedFile {
  public func bringIn(_ range: Range<Int>) {}
  public func letGo(_ range: Range<Int>) {}
}

/// A call to the file system that failed: which, on what, and the system's number for why.
public struct FileSystemError: Error, Hashable, CustomStringConvertible {
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
    case write
  }

  public var operation: Operation
  public var path: String
  /// `errno`.
  public var code: Int32

  public init(operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  public var description: String {
    "could not \(operation.rawValue) \(path): \(SystemErrorText.text(for: code))"
  }
}
