#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif
import CommandSupport
import Foundation

/// Memory use of this process, and the release of unused memory to the system.
enum ProcessMemory {
  /// Limits the C library to two allocation arenas. Otherwise each thread may have its own arena, which does not shrink
  /// after a large request. Must be called before any thread is started.
  static func sharePools() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Releases freed memory and code pages, most of which are used only at startup. The code stays in the page cache, so
  /// mapping 64 KiB again takes only a microsecond or two.
  static func giveBack() {
    #if canImport(Glibc)
      // `FileManager.contents` reads only one block of a file in `/proc`, because its reported size is 0. If the file
      // is unreadable, code pages are not released.
      if let text = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() {
        for part in MemoryMap(text).unchangedCode {
          madvise(UnsafeMutableRawPointer(bitPattern: part.lowerBound), part.count, MADV_DONTNEED)
        }
      }
      malloc_trim(0)
    #endif
  }

  /// Resident size of mapped files in bytes, including the program and its libraries, or 0 if `/proc` is unreadable.
  static var mappedBytes: Int {
    #if canImport(Glibc)
      // Columns are page counts: total, resident, and resident file pages (proc_pid_statm(5)).
      guard let text = try? FileHandle(forReadingAtPath: "/proc/self/statm")?.readToEnd(),
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst(2).first.flatMap({ Int($0) })
      else { return 0 }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      return 0
    #endif
  }
}
