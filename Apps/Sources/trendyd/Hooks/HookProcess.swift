#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Program that runs in a separate process group with given input and a time limit.
final class HookProcess: Sendable {
  enum Ending: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)
    case overdue
    /// Start failed for the given reason.
    case notStarted(String)
  }

  /// Maximum size of the returned output in bytes.
  private static let outputLimit = 4096

  private let group = Mutex<pid_t?>(nil)

  /// Sends SIGTERM to the running process group, if any.
  func end() { group.withLock { if let group = $0 { kill(-group, SIGTERM) } } }

  /// Runs a program and blocks the calling thread until it exits. Kills its process group after `seconds`.
  ///
  /// `environment` is the program's complete environment, and `input` its standard input.
  /// - Returns: how the program ended, and the first 4 KiB of its standard output and standard error.
  func run(
    _ path: String, _ words: [String] = [], input: [UInt8], environment: [String: String], seconds: Double
  ) -> (ending: Ending, output: String) {
    guard let stdin = Self.makePipe() else { return (.notStarted(String(cString: strerror(errno))), "") }
    guard let stdout = Self.makePipe() else {
      let reason = String(cString: strerror(errno))
      for end in [stdin.reading, stdin.writing] { releaseDescriptor(end) }
      return (.notStarted(reason), "")
    }
    var child: pid_t = 0
    let code = group.withLock { group in
      let code = Self.spawn(&child, [path] + words, input: stdin.reading, output: stdout.writing, environment)
      if code == 0 { group = child }
      return code
    }
    releaseDescriptor(stdin.reading)
    releaseDescriptor(stdout.writing)
    var (writing, output, ending): (Int32, [UInt8], Ending?) = (stdin.writing, [], nil)
    defer {
      if writing >= 0 { releaseDescriptor(writing) }
      releaseDescriptor(stdout.reading)
    }
    for end in [writing, stdout.reading] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    guard code == 0 else { return (.notStarted(String(cString: strerror(code))), "") }
    var rest = input[...]
    let deadline = Self.uptime + seconds
    while true {
      Self.feed(&writing, &rest)
      Self.drain(stdout.reading, into: &output)
      if let ending { return (ending, String(decoding: output.prefix(Self.outputLimit), as: UTF8.self)) }
      // After the exit, one more iteration reads the remaining output. The group id is cleared under the lock because
      // the system may reuse it.
      ending = group.withLock { Self.ending(of: child, &$0, isOverdue: Self.uptime >= deadline) }
      guard ending == nil else { continue }
      var waiting = [pollfd(fd: stdout.reading, events: Int16(POLLIN), revents: 0)]
      if writing >= 0 { waiting.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)) }
      // If the program has closed its output but is still running, sleep to avoid a busy loop.
      let isHungUp = poll(&waiting, nfds_t(waiting.count), 20) > 0 && waiting[0].revents & Int16(POLLIN) == 0
      if isHungUp, writing < 0 { usleep(20_000) }
    }
  }

  /// Returns how the process ended, or `nil` while it is running. If the process is overdue, kills its process group
  /// and reaps it.
  private static func ending(of child: pid_t, _ group: inout pid_t?, isOverdue: Bool) -> Ending? {
    if isOverdue { kill(-child, SIGKILL) }
    var status: Int32 = 0
    let result = waitpid(child, &status, isOverdue ? 0 : WNOHANG)
    guard result != 0, result > 0 || errno != EINTR else { return nil }
    group = nil
    if isOverdue { return .overdue }
    return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  private static func feed(_ descriptor: inout Int32, _ rest: inout ArraySlice<UInt8>) {
    guard descriptor >= 0 else { return }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      // A program that does not read its input is not an error.
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    releaseDescriptor(descriptor)
    descriptor = -1
  }

  /// Reads available output. Output beyond the limit is discarded, because a full pipe would block the program.
  private static func drain(_ descriptor: Int32, into output: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Bounded, so that the time limit is checked even if the program writes endlessly.
    for _ in 0..<256 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      if output.count < outputLimit { output += buffer.prefix(count) }
    }
  }

  private static var uptime: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Creates a pipe that other child processes do not inherit, or returns `nil` on failure.
  private static func makePipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ child: inout pid_t, _ words: [String], input: Int32, output: Int32, _ environment: [String: String]
  ) -> Int32 {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    // Ignored signals would otherwise stay ignored in the child.
    var (mask, defaults) = (sigset_t(), sigset_t())
    sigemptyset(&mask)
    sigfillset(&defaults)
    for signal in [SIGKILL, SIGSTOP] { sigdelset(&defaults, signal) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      for descriptor in openDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    return posix_spawn(&child, words[0], &actions, &attributes, &arguments, &variables)
  }

  #if !canImport(Darwin)
    /// Returns the descriptors above 2 that a child would inherit and must close. Another thread may close one of them
    /// first, which is harmless.
    private static func openDescriptors() -> [Int32] {
      guard let folder = opendir("/proc/self/fd") else { return [] }
      defer { closedir(folder) }
      var found: [Int32] = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0, flags & FD_CLOEXEC == 0 { found.append(descriptor) }
      }
      return found
    }
  #endif
}
