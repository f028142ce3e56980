import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program beside this one that does what needs the network, so that this one starts without it.
enum NetworkProgram {
  /// Goes on as `trendy-net` with the same words: same terminal, same status.
  static func replaceThisProcess(with session: Session) throws(CommandError) -> ExitCode {
    let program = directory() + "/trendy-net"
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + session.words).map { strdup($0) }
    words.append(nil)
    execv(program, words)
    // Only a failed call comes back.
    let why = String(cString: strerror(errno))
    for word in words { free(word) }
    throw CommandError(
      "\(program) cannot be started: \(why)", hint: "It is installed beside trendy: make install.", exit: .configuration
    )
  }

  /// The folder of the running program, links resolved.
  private static func directory() -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path =
      length > 0
      ? String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) : CommandLine.arguments[0]
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
