#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a closure on a new thread.
/// - Returns: an error number, or 0.
func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  let box = Unmanaged.passRetained(Body(body))
  #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
  #else
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
  #endif
  guard code == 0 else {
    box.release()
    return code
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
  return 0
}

#if os(Linux)
  /// Watch of a directory on a thread that waits for inotify.
  final class PosixWatch: Sendable {
    private let queue: Descriptor
    private let watch: Int32

    init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileSystemError) {
      guard let queue = Descriptor(inotify_init1(Int32(IN_CLOEXEC))) else { throw error(.watch, path) }
      watch = inotify_add_watch(queue.number, path, UInt32(IN_MODIFY | IN_MOVED_TO))
      guard watch >= 0 else { throw error(.watch, path) }
      self.queue = queue
      let code = startThread { Self.wait(for: queue, onChange) }
      guard code == 0 else { throw FileSystemError(operation: .watch, path: path, code: code) }
    }

    // The kernel reports the end of the watch as the last event, which ends the thread.
    deinit { inotify_rm_watch(queue.number, watch) }

    private static func wait(for queue: Descriptor, _ onChange: () -> Void) {
      let buffer = RowMemory(4096)
      while true {
        let count = read(queue.number, buffer.base, buffer.count)
        guard count > 0 || errno == EINTR else { return }
        var position = 0
        while position < count {
          // struct inotify_event: descriptor, mask, cookie and length of the name that follows, 4 bytes each
          let mask = (buffer.base + position + 4).load(as: UInt32.self)
          if mask & UInt32(IN_IGNORED) != 0 { return }
          position += 16 + Int((buffer.base + position + 12).load(as: UInt32.self))
        }
        if count > 0 { onChange() }
      }
    }
  }
#elseif canImport(Darwin)
  /// Watch of a directory and its files on a thread that waits for a kernel queue. The queue reports writes only for
  /// files that are open, so files are opened again after each change of the directory.
  final class PosixWatch: Sendable {
    private let queue: Descriptor

    init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileSystemError) {
      guard let queue = Descriptor(kqueue()), let folder = Descriptor(open(path, O_EVTONLY | O_CLOEXEC)) else {
        throw error(.watch, path)
      }
      var end = kevent()
      end.filter = Int16(EVFILT_USER)
      end.flags = UInt16(EV_ADD)
      guard kevent(queue.number, &end, 1, nil, 0, nil) == 0, Self.add(folder, to: queue) else {
        throw error(.watch, path)
      }
      self.queue = queue
      var files = Self.files(in: path, to: queue)
      let code = startThread { [files] in Self.wait(for: queue, folder, path, files, onChange) }
      files = []
      guard code == 0 else { throw FileSystemError(operation: .watch, path: path, code: code) }
    }

    deinit {
      var end = kevent()
      end.filter = Int16(EVFILT_USER)
      end.fflags = UInt32(NOTE_TRIGGER)
      _ = kevent(queue.number, &end, 1, nil, 0, nil)
    }

    private static func add(_ file: Descriptor, to queue: Descriptor) -> Bool {
      var change = kevent()
      change.ident = UInt(file.number)
      change.filter = Int16(EVFILT_VNODE)
      change.flags = UInt16(EV_ADD | EV_CLEAR)
      change.fflags = UInt32(NOTE_WRITE | NOTE_EXTEND)
      return kevent(queue.number, &change, 1, nil, 0, nil) == 0
    }

    private static func files(in path: String, to queue: Descriptor) -> [Descriptor] {
      // A file that cannot be opened was removed in the meantime.
      ((try? PosixFileSystem().names(inDirectory: path)) ?? []).compactMap { name in
        Descriptor(open("\(path)/\(name)", O_EVTONLY | O_CLOEXEC)).flatMap { add($0, to: queue) ? $0 : nil }
      }
    }

    private static func wait(
      for queue: Descriptor, _ folder: Descriptor, _ path: String, _ files: [Descriptor], _ onChange: () -> Void
    ) {
      var files = files
      while true {
        var event = kevent()
        guard kevent(queue.number, nil, 0, &event, 1, nil) > 0 || errno == EINTR else { return }
        if event.filter == Int16(EVFILT_USER) { return }
        if event.ident == UInt(folder.number) { files = Self.files(in: path, to: queue) }
        withExtendedLifetime(files) { onChange() }
      }
    }
  }
#endif

/// File descriptor that is closed with its last reference.
private final class Descriptor: Sendable {
  let number: Int32

  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}

private func error(_ operation: FileSystemError.Operation, _ path: String) -> FileSystemError {
  FileSystemError(operation: operation, path: path, code: errno)
}
