#if canImport(Glibc)
  import CMalloc
#endif

/// Memory that was freed and that the C library keeps for what is allocated next.
enum FreedMemory {
  /// Gives it back to the system: what many requests took at once, each on a thread with a pool of its own, stays with the process
  /// otherwise.
  static func giveBack() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }
}
