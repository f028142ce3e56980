#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Folder of the running program, where the other programs are also installed.
public enum ProgramFolder: Sendable {
  /// Path of the folder. On Linux, symbolic links are resolved. Elsewhere, it is the path that the program was started
  /// with.
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
