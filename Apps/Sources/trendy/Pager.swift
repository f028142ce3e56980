import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program of `PAGER` between the standard output and the terminal, for who asked for it.
struct Pager {
  static let option = OptionSpec("--pager", help: "show it with the program of PAGER, else less")

  private let process: pid_t

  /// - Returns: `nil` where the output is no terminal's, or nothing pages.
  /// - Throws: ``CommandError`` where the pager cannot be started.
  init?(_ console: Console) throws(CommandError) {
    let environment = Environment.all
    let command = environment["PAGER"].flatMap { $0.isEmpty ? nil : $0 } ?? "less"
    guard console.terminal.isTerminal, command != "cat" else { return nil }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Self.failure(command, errno) }
    // As git does: quit if it fits, colours as they are, no screen cleared at the end.
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
    // Ctrl-C is the pager's, and does not end what it reads from.
    signal(SIGINT, SIG_IGN)
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
      "The pager '\(command)' cannot be started: \(String(cString: strerror(code)))",
      hint: "PAGER names another; without --pager none is used.", exit: .configuration)
  }

  /// Waits until the person has seen enough.
  func finish() {
    close(STDOUT_FILENO)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
  }
}
