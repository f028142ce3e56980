#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs this executable again with other arguments.
struct ChildProcess {
  private let process: pid_t
  private let output: Int32

  struct Ending: Hashable, Sendable {
    var output: String
    /// Peak resident memory in KiB.
    var peakMemory: Int
  }

  init(arguments: [String]) throws(BenchmarkError) {
    #if os(Linux)
      let program = "/proc/self/exe"
    #else
      let program = CommandLine.arguments[0]
    #endif
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .system(call: "pipe", path: "", code: errno) }
    // Prevents other children from inheriting the read end.
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var texts = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, program, &actions, nil, &texts, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw .system(call: "start", path: program, code: code)
    }
    process = identifier
    output = ends[0]
  }

  /// Waits until the process exits. The process's output must fit into the pipe buffer.
  func wait() throws(BenchmarkError) -> Ending {
    defer { close(output) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      if errno != EINTR { throw .system(call: "wait", path: "", code: errno) }
    }
    guard status == 0 else { throw .child("a child process exited with status \(status >> 8 & 0xFF)") }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(output, &bytes, bytes.count)
    return Ending(
      output: String(decoding: bytes[..<max(count, 0)], as: UTF8.self), peakMemory: SystemCalls.kilobytes(usage))
  }
}
