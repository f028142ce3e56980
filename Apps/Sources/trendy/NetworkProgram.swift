import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels

/// The program `trendyd network`, which runs commands that need the network. `trendy` itself does not load the
/// networking libraries.
enum NetworkProgram {
  private static var program: String { ProgramFolder.path + "/trendyd" }

  /// Replaces this process with `trendyd network`, keeping the arguments. Returns only if it fails, by throwing an
  /// error.
  static func replaceThisProcess(with session: Session) throws(CommandError) -> ExitCode {
    var words: [UnsafeMutablePointer<CChar>?] = ([program, NetworkMode.word] + session.words).map { strdup($0) }
    words.append(nil)
    execv(program, words)
    let code = errno
    for word in words { free(word) }
    throw failure(code)
  }

  /// Runs `trendyd network --json` as a child process. Returns the process's JSON output, which may describe an error.
  static func answer(to words: [String]) throws -> JSONValue {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure(errno) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, ends[1], stream) }
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program, NetworkMode.word] + words + ["--json", "-q"]).map {
      strdup($0)
    }
    arguments.append(nil)
    defer { for word in arguments { free(word) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, program, &actions, nil, arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard status == 0 else { throw failure(status) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count > 0 { output += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    var ending: Int32 = 0
    while waitpid(child, &ending, 0) < 0, errno == EINTR {}
    return try WireJSON.decode(JSONValue.self, from: Data(output))
  }

  private static func failure(_ code: Int32) -> CommandError {
    CommandError(
      "Cannot start \(program): \(String(cString: strerror(code)))",
      hint: "trendyd must be in the same folder as trendy. Run 'make install' to install both.", exit: .configuration)
  }
}
