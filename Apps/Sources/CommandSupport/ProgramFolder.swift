#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of the running program, beside which the others are installed.
public enum ProgramFolder: Sendable {
  /// Links are resolved where the system tells the file of a process (Linux), else it is the folder that the program was called by.
  public static var path: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let program =
      length > 0
      ? String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) : CommandLine.arguments[0]
    guard program.contains("/") else { return "." }
    return program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
