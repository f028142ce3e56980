#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization

/// File system of the operating system.
///
/// Retries calls interrupted by a signal and continues short writes. With the compilation condition `TRENDY_PORTABLE`,
/// the Linux build uses the code for other systems as far as that code compiles there.
public struct PosixFileSystem: FileSystem {
  private let mapsLargePages: Bool

  /// Creates a file system.
  /// - Parameter mapsLargePages: whether to map long files with 2 MiB pages if the page cache has them. Random lookups
  ///   then take 10 % less time, but the first access to a page maps 2 MiB instead of 64 KiB. Disable it for
  ///   short-lived or mostly idle programs.
  public init(mapsLargePages: Bool = true) { self.mapsLargePages = mapsLargePages }

  /// Creates a directory and its parents with permissions 0700.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    if mkdir(path, 0o700) == 0 {
      try syncName(ofFolder: path)
      return
    }
    switch errno {
    case EEXIST, EISDIR:
      var status = stat()
      guard stat(path, &status) == 0 else { throw error(.createDirectory, path) }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw FileSystemError(operation: .createDirectory, path: path, code: ENOTDIR)
      }
      // The process that created the directory may have exited before syncing its name.
      try syncName(ofFolder: path)
    case ENOENT:
      let above = parent(of: path)
      guard above != path else { throw FileSystemError(operation: .createDirectory, path: path, code: ENOENT) }
      try createDirectory(above)
      // Another process may have created the directory in the meantime.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw error(.createDirectory, path) }
      try syncName(ofFolder: path)
    default:
      throw error(.createDirectory, path)
    }
  }

  /// Opens a file. A new file has permissions 0600.
  public func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT
      }
    return PosixFile(
      descriptor: try descriptor(path, flags | O_CLOEXEC), path: path, isWritable: mode != .read,
      mapsLargePages: mapsLargePages)
  }

  public func names(inDirectory path: String) throws(FileSystemError) -> [String] {
    guard let directory = opendir(path) else { throw error(.list, path) }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw error(.list, path) }
    return names.sorted()
  }

  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, newPath)
    #elseif canImport(Musl)
      let result = Musl.rename(path, newPath)
    #else
      let result = Glibc.rename(path, newPath)
    #endif
    guard result == 0 else { throw error(.rename, path) }
  }

  public func remove(_ path: String) throws(FileSystemError) {
    if unlink(path) == 0 { return }
    // Linux returns EISDIR for a directory, POSIX and Darwin EPERM.
    guard errno == EISDIR || errno == EPERM, rmdir(path) == 0 else { throw error(.remove, path) }
  }

  public func syncDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try descriptor(path, O_RDONLY | O_CLOEXEC, for: .syncDirectory)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw error(.syncDirectory, path) }
  }

  #if canImport(Glibc) && !TRENDY_PORTABLE
    /// Starts creating an unnamed file (`O_TMPFILE`) on a thread, or returns `nil` if the file system does not support
    /// it.
    public func beginSpare(
      inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
    ) -> (any SpareFile)? {
      // 0x40_0000 is O_TMPFILE.
      guard let descriptor = try? descriptor(path, 0x40_0000 | O_DIRECTORY | O_RDWR | O_CLOEXEC) else { return nil }
      return PosixSpare(descriptor: descriptor, bytes: bytes, start: start, directory: path, preparing: preparing)
    }
  #endif

  #if os(Linux) || canImport(Darwin)
    /// Watches a directory on a thread, with inotify on Linux and kqueue on Darwin.
    public func watch(
      directory path: String, onChange: @escaping @Sendable () -> Void
    ) throws(FileSystemError) -> any Sendable { try PosixWatch(path, onChange: onChange) }
  #endif

  private func syncName(ofFolder path: String) throws(FileSystemError) {
    do {
      try syncDirectory(parent(of: path))
    } catch {
      // A process may be allowed to create directories in a parent that it is not allowed to read. Syncing the new
      // directory then syncs its name as well.
      guard error.code == EACCES || error.code == EPERM else { throw error }
      try syncDirectory(path)
    }
  }

  private func descriptor(
    _ path: String, _ flags: Int32, for operation: FileSystemError.Operation = .open
  ) throws(FileSystemError) -> Int32 {
    while true {
      #if canImport(Darwin)
        let descriptor = Darwin.open(path, flags, 0o600)
      #elseif canImport(Musl)
        let descriptor = Musl.open(path, flags, 0o600)
      #else
        let descriptor = Glibc.open(path, flags, 0o600)
      #endif
      if descriptor >= 3 { return descriptor }
      if descriptor >= 0 {
        // A standard stream was closed and its number reused. Use a higher descriptor, so that the process's output
        // does not end up in the file.
        defer { close(descriptor) }
        let higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard higher >= 0 else { throw error(operation, path) }
        return higher
      }
      if errno != EINTR { throw error(operation, path) }
    }
  }

  private func parent(of path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }
}

private func error(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
  FileSystemError(operation: operation, path: path, code: errno)
}

/// Open file descriptor. Thread-safe, because the kernel's calls are.
private final class PosixFile: OpenFile {
  private struct Identity: Hashable {
    var device: dev_t
    var number: ino_t

    init(_ status: stat) {
      device = status.st_dev
      number = status.st_ino
    }
  }

  private let descriptor: Int32
  private let path: String
  private let isWritable: Bool
  private let mapsLargePages: Bool
  private let identity = Mutex(Identity?.none)

  init(descriptor: Int32, path: String, isWritable: Bool, mapsLargePages: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.isWritable = isWritable
    self.mapsLargePages = mapsLargePages
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let count = pread(descriptor, base + done, buffer.count - done, off_t(offset + done))
      if count > 0 {
        done += count
      } else if count == 0 {
        break
      } else if errno != EINTR {
        throw error(.read, path)
      }
    }
    return done
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    guard let base = buffer.baseAddress else { return }
    var done = 0
    while done < buffer.count {
      let count = pwrite(descriptor, base + done, buffer.count - done, off_t(offset + done))
      if count > 0 {
        done += count
      } else if count == 0 {
        throw FileSystemError(operation: .write, path: path, code: EIO)
      } else if errno != EINTR {
        throw error(.write, path)
      }
    }
    #if canImport(Glibc) && !TRENDY_PORTABLE
      if buffer.count >= Writeback.minBytes { Writeback.begin(descriptor, offset, buffer.count) }
    #endif
  }

  func synchronize() throws(FileSystemError) {
    #if canImport(Darwin)
      // On Darwin, fsync leaves the data in the drive's cache.
      let result = fcntl(descriptor, F_FULLFSYNC) == -1 ? fsync(descriptor) : 0
    #elseif TRENDY_PORTABLE
      let result = fsync(descriptor)
    #else
      // Do not retry after an interruption: after any failure it is unknown what is durable.
      let result = fdatasync(descriptor)
    #endif
    guard result == 0 else { throw error(.synchronize, path) }
  }

  func size() throws(FileSystemError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error(.inspect, path) }
    return Int(status.st_size)
  }

  func isInPlace() throws(FileSystemError) -> Bool {
    var there = stat()
    if stat(path, &there) != 0 {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw error(.inspect, path)
    }
    let known = identity.withLock { $0 }
    if let known { return Identity(there) == known }
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw error(.inspect, path) }
    identity.withLock { $0 = Identity(own) }
    return Identity(there) == Identity(own)
  }

  func truncate(to size: Int) throws(FileSystemError) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      if errno != EINTR { throw error(.truncate, path) }
    }
  }

  func allocate(_ size: Int) throws(FileSystemError) {
    #if canImport(Darwin) || TRENDY_PORTABLE
      let missing = try size - self.size()
      guard missing > 0 else { return }
      #if canImport(Darwin)
        var request = fstore_t(
          fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(missing),
          fst_bytesalloc: 0)
        guard fcntl(descriptor, F_PREALLOCATE, &request) != -1 || errno == ENOTSUP else { throw error(.allocate, path) }
      #endif
      try truncate(to: size)
    #else
      while true {
        // posix_fallocate returns the error code instead of setting errno.
        let code = posix_fallocate(descriptor, 0, off_t(size))
        if code == 0 { return }
        if code != EINTR { throw FileSystemError(operation: .allocate, path: path, code: code) }
      }
    #endif
  }

  func tryLock() throws(FileSystemError) -> Bool {
    #if canImport(Glibc) && !TRENDY_PORTABLE
      // The lock belongs to the open file description, so two handles in one process exclude each other as well.
      return try lock(F_WRLCK)
    #else
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EWOULDBLOCK { return false }
        if errno != EINTR { throw error(.lock, path) }
      }
      return true
    #endif
  }

  func unlock() throws(FileSystemError) {
    #if canImport(Glibc) && !TRENDY_PORTABLE
      _ = try lock(F_UNLCK)
    #else
      guard flock(descriptor, LOCK_UN) == 0 else { throw error(.unlock, path) }
    #endif
  }

  #if canImport(Glibc) && !TRENDY_PORTABLE
    private func lock(_ kind: Int32) throws(FileSystemError) -> Bool {
      // F_OFD_SETLK from fcntl.h, which is visible only with _GNU_SOURCE.
      let setOpenFileLock: Int32 = 37
      var request = flock()
      request.l_type = Int16(kind)
      request.l_whence = Int16(SEEK_SET)
      while fcntl(descriptor, setOpenFileLock, &request) != 0 {
        if errno == EAGAIN || errno == EACCES { return false }
        if errno != EINTR { throw error(kind == F_UNLCK ? .unlock : .lock, path) }
      }
      return true
    }
  #endif

  func map(size: Int) throws(FileSystemError) -> any MappedFile {
    guard size > 0 else { return PosixMapping(UnsafeMutableRawBufferPointer(start: nil, count: 0), of: 0) }
    let length = try self.size()
    // Accessing memory beyond the end of the file would terminate the process.
    guard length >= size else { throw FileSystemError(operation: .map, path: path, code: EINVAL) }
    if !mapsLargePages, size >= PosixMapping.largePage { return try mapInSmallPages(size) }
    guard let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
      throw error(.map, path)
    }
    return PosixMapping(UnsafeMutableRawBufferPointer(start: address, count: size), of: size)
  }

  /// Maps a file at an address that is not aligned to large pages, so that only small pages are used.
  private func mapInSmallPages(_ size: Int) throws(FileSystemError) -> PosixMapping {
    let shift = 64 << 10
    let (space, nowhere) = (size + shift, MAP_PRIVATE | MAP_ANONYMOUS)
    guard let start = mmap(nil, space, PROT_NONE, nowhere, -1, 0), start != MAP_FAILED else { throw error(.map, path) }
    let isBeside = (Int(bitPattern: start) + shift) % PosixMapping.largePage != 0
    let place = isBeside ? start + shift : start
    guard mmap(place, size, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0) != MAP_FAILED else {
      let failure = error(.map, path)
      munmap(start, space)
      throw failure
    }
    return PosixMapping(
      UnsafeMutableRawBufferPointer(start: start, count: space), at: place - start, of: size, inSmallPages: true)
  }

  func counter() throws(FileSystemError) -> (any SharedCounter)? {
    // Accessing memory beyond the end of the file would terminate the process, and so would writing to a hole on a full
    // disk.
    if try size() < PosixCounter.bytes {
      guard isWritable else { return nil }
      try allocate(PosixCounter.bytes)
    }
    let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    let address = mmap(nil, PosixCounter.bytes, access, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw error(.map, path) }
    return PosixCounter(address)
  }
}

#if canImport(Glibc) && !TRENDY_PORTABLE
  /// Starts writing the dirty pages of a large write to the device, so that a later sync takes less time and delays
  /// other syncs less. Only a hint. Does not consume errors that a later sync has to report.
  private enum Writeback {
    static let minBytes = 1 << 20

    /// `sync_file_range` from fcntl.h, which is visible only with _GNU_SOURCE.
    private static let call = unsafeBitCast(
      dlsym(nil, "sync_file_range"), to: (@convention(c) (Int32, off_t, off_t, UInt32) -> Int32)?.self)

    static func begin(_ descriptor: Int32, _ offset: Int, _ count: Int) {
      // SYNC_FILE_RANGE_WRITE
      _ = call?(descriptor, off_t(offset), off_t(count), 2)
    }
  }

  private final class PosixSpare: SpareFile {
    private let bytes: Int
    private let start: [UInt8]
    private let file: PosixFile
    private let descriptor: Int32
    private let prepare: @Sendable () -> Void
    private let filling = Monitor(Filling.going)

    private enum Filling {
      case going
      case done
      case failed(FileSystemError)
    }

    init?(
      descriptor: Int32, bytes: Int, start: [UInt8], directory: String, preparing: @escaping @Sendable () -> Void
    ) {
      self.bytes = bytes
      self.start = start
      prepare = preparing
      self.descriptor = descriptor
      file = PosixFile(descriptor: descriptor, path: directory, isWritable: true)
      guard startThread({ self.fill() }) == 0 else { return nil }
    }

    private func fill() {
      prepare()
      let outcome: Filling
      do {
        try file.allocate(bytes)
        let zeros = RowMemory(zeroed: min(bytes, 256 << 10))
        for position in stride(from: 0, to: bytes, by: zeros.count) {
          try file.write(zeros.bytes(from: 0, count: min(zeros.count, bytes - position)), at: position)
          // Sync in pieces, because the sync of a save waits for everything sent to the device earlier.
          try file.synchronize()
        }
        try file.write(start, at: 0)
        try file.synchronize()
        outcome = .done
      } catch {
        // Free the space now; the file itself is removed with its last reference.
        try? file.truncate(to: 0)
        outcome = .failed(error)
      }
      filling.update { $0 = outcome }
    }

    func become(_ path: String) throws(FileSystemError) -> any OpenFile {
      let failure = filling.wait { filling -> FileSystemError?? in
        switch filling {
        case .going: nil
        case .done: .some(nil)
        case .failed(let error): .some(error)
        }
      }
      if let failure { throw failure }
      guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
        throw error(.rename, path)
      }
      let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard own >= 0 else { throw error(.open, path) }
      return PosixFile(descriptor: own, path: path, isWritable: true)
    }
  }
#endif
