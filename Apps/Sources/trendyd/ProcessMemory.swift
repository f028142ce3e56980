#if canImport(Glibc)
  import CMalloc
#endif

/// What the C library keeps of memory that was freed, for what is allocated next.
enum ProcessMemory {
  /// Has all threads share two pools, where each would have one of its own, with what its largest request left in it. To be called before
  /// there are threads.
  static func sharePools() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Gives back to the system what is free.
  static func giveBack() {
    #if canImport(Glibc)
      malloc_trim(0)
    #endif
  }
}
