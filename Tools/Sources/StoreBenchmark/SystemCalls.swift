#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

package enum SystemCalls {
  static func text(for code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// Returns the peak resident memory of this process in KiB.
  package static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
      let who = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
      let who = RUSAGE_SELF
    #endif
    guard getrusage(who, &usage) == 0 else { preconditionFailure("getrusage of this process failed: \(errno)") }
    return kilobytes(usage)
  }

  static func kilobytes(_ usage: rusage) -> Int {
    #if canImport(Darwin)
      usage.ru_maxrss / 1024  // bytes on Darwin
    #else
      usage.ru_maxrss
    #endif
  }

  /// Returns the anonymous memory of this process in KiB, or `nil` if the system does not report it.
  static func anonymousMemory() -> Int? {
    guard let status = fopen("/proc/self/status", "r") else { return nil }
    defer { fclose(status) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), status) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("RssAnon:") { return Int(text.filter(\.isNumber)) }
    }
    return nil
  }

  /// Terminates the process immediately, as a crash would.
  static func endAtOnce() -> Never { _exit(0) }

  /// Formats values as `printf` does.
  static func format(_ pattern: String, _ values: any CVarArg...) -> String {
    withVaList(values) { arguments in
      var bytes = [CChar](repeating: 0, count: 400)
      let count = vsnprintf(&bytes, bytes.count, pattern, arguments)
      return String(decoding: bytes.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
