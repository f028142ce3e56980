#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

enum Usage {
  /// Returns the peak resident memory of this process in KiB.
  static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
      let who = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
      let who = RUSAGE_SELF
    #endif
    guard getrusage(who, &usage) == 0 else { preconditionFailure("getrusage of this process failed: \(errno)") }
    #if canImport(Darwin)
      return usage.ru_maxrss / 1024  // bytes on Darwin
    #else
      return usage.ru_maxrss
    #endif
  }
}
