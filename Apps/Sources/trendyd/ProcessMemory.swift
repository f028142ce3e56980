#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif
import CommandSupport
import Foundation

/// Memory of this process that can be given back to the system without losing anything.
enum ProcessMemory {
  /// Has all threads share two pools of the C library, where each would have one of its own, with what its largest request left in it.
  /// To be called before there are threads.
  static func sharePools() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Gives back to the system what was freed, and the pages of the program and its libraries: most were read at the start and are not
  /// read again. The system keeps its own copy as long as it has room, so that the next touch of 64 KiB takes a microsecond or two.
  static func giveBack() {
    #if canImport(Glibc)
      // To its end: `FileManager.contents` takes one piece of a file that has no length. Where it cannot be read, more stays in memory.
      if let text = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() {
        for part in MemoryMap(text).unchangedCode {
          madvise(UnsafeMutableRawPointer(bitPattern: part.lowerBound), part.count, MADV_DONTNEED)
        }
      }
      malloc_trim(0)
    #endif
  }

  /// Resident bytes of mapped files, the program and its libraries included; 0 where `/proc` cannot be read, so that nothing is released.
  static var mappedBytes: Int {
    #if canImport(Glibc)
      // "Provides information about memory usage, measured in pages": size, resident, and what of that is of files (proc_pid_statm(5)).
      guard let text = try? FileHandle(forReadingAtPath: "/proc/self/statm")?.readToEnd(),
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst(2).first.flatMap({ Int($0) })
      else { return 0 }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      return 0
    #endif
  }
}
