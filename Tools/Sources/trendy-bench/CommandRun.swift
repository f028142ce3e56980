#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a program until it exits and measures time and memory.
struct CommandRun {
  /// Wall-clock time in seconds.
  let wall: Double
  /// CPU time in seconds.
  let processor: Double
  /// Peak resident memory in KiB.
  let peakMemory: Int

  /// Runs a program.
  /// - Parameters:
  ///   - program: path of the executable.
  ///   - arguments: arguments without the program name.
  ///   - environment: the complete environment as `NAME=value`.
  ///   - output: file for standard output.
  /// - Throws: ``InputError`` if the program cannot be started or exits with a status other than 0.
  init(_ program: String, _ arguments: [String], environment: [String], output: String = "/dev/null") throws(InputError)
  {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let start = ContinuousClock.now
    let code = posix_spawn(&process, program, &actions, nil, &words, &variables)
    guard code == 0 else { throw InputError(text: "\(program) cannot be started: \(Self.describe(code))") }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw InputError(text: "waiting for \(program) failed: \(Self.describe(errno))") }
    }
    wall = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0 else {
      throw InputError(
        text: "\(([program] + arguments).joined(separator: " ")) exited with status \(status >> 8 & 0xFF)")
    }
    processor = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    #if canImport(Darwin)
      peakMemory = usage.ru_maxrss / 1024
    #else
      peakMemory = usage.ru_maxrss
    #endif
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  private static func describe(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
