#if canImport(Glibc)
  import CMalloc
  import Glibc
#endif
import CommandSupport
import Foundation

/// Returns unused memory of this process to the system.
enum ProcessMemory {
  /// Limits the C library to two memory pools. Otherwise each thread keeps its own pool with the memory of its largest
  /// request. Call this before there are threads.
  static func sharePools() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 2)
    #endif
  }

  /// Releases freed memory and the pages of the program and its libraries, most of which are used only at the start.
  /// They stay in the page cache, so that the next access to 64 KiB takes a microsecond or two.
  static func giveBack() {
    #if canImport(Glibc)
      // `FileManager.contents` would read only one block of a file without a length. If it cannot be read, less memory
      // is released.
      if let text = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() {
        for part in MemoryMap(text).unchangedCode {
          madvise(UnsafeMutableRawPointer(bitPattern: part.lowerBound), part.count, MADV_DONTNEED)
        }
      }
      malloc_trim(0)
    #endif
  }

  /// Resident bytes of mapped files, including the program and its libraries; 0 if `/proc` cannot be read.
  static var mappedBytes: Int {
    #if canImport(Glibc)
      // Pages: total size, resident, and resident pages of files (proc_pid_statm(5)).
      guard let text = try? FileHandle(forReadingAtPath: "/proc/self/statm")?.readToEnd(),
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst(2).first.flatMap({ Int($0) })
      else { return 0 }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      return 0
    #endif
  }
}
