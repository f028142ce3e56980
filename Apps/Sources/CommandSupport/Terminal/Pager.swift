#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Pager process that receives standard output and shows it on the terminal.
public struct Pager: Sendable {
  public static let option = OptionSpec("--pager", help: "show the output in $PAGER, or in less if PAGER is not set")

  private let process: pid_t

  /// Starts the pager and redirects standard output to it.
  ///
  /// Returns `nil` if standard output is not a terminal, if `PAGER` is `cat`, or if `PAGER` is not set and `less` is
  /// not installed.
  /// - Throws: ``CommandError`` if the pager cannot be started.
  public init?(_ console: Console, environment: [String: String]) throws(CommandError) {
    guard console.terminal.isTerminal, let command = Self.command(environment), command != "cat" else { return nil }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Self.failure(command, errno) }
    // Same options as git: quit if the text fits on the screen, pass colours through, do not clear the screen.
    if environment["LESS"] == nil { setenv("LESS", "FRX", 1) }
    let child: pid_t
    do throws(CommandError) {
      child = try Self.start(command, reading: ends[0], closing: ends[1])
    } catch {
      close(ends[0])
      close(ends[1])
      throw error
    }
    process = child
    close(ends[0])
    dup2(ends[1], STDOUT_FILENO)
    close(ends[1])
    // The pager handles Ctrl-C, which must not terminate this process.
    signal(SIGINT, SIG_IGN)
  }

  private static func command(_ environment: [String: String]) -> String? {
    if let named = environment["PAGER"], !named.isEmpty { return named }
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less" : nil
  }

  private static func start(_ command: String, reading input: Int32, closing other: Int32) throws(CommandError) -> pid_t
  {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, input)
    posix_spawn_file_actions_addclose(&actions, other)
    let words: [String] = ["sh", "-c", command]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environ)
    guard code == 0 else { throw failure(command, code) }
    return process
  }

  private static func failure(_ command: String, _ code: Int32) -> CommandError {
    CommandError(
      "Cannot start the pager '\(command)': \(String(cString: strerror(code)))",
      hint: "Set PAGER to another program, or to cat to turn paging off.", exit: .configuration)
  }

  /// Closes standard output and waits until the user has quit the pager.
  public func finish() {
    close(STDOUT_FILENO)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }
}
