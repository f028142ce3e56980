import Foundation
import Synchronization

/// Samples a process's anonymous memory every 20 ms and keeps the peak. Anonymous memory excludes mapped files, which
/// the kernel can evict. Supported on Linux only.
final class MemoryWatch: Sendable {
  private struct State {
    var peak: Int?
    var isOver = false
  }

  private let state = Mutex(State())

  init(process: Int32) {
    Thread.detachNewThread { [self] in
      repeat {
        guard let now = Self.anonymousMemory(of: process) else { return }
        state.withLock { $0.peak = max($0.peak ?? 0, now) }
        Thread.sleep(forTimeInterval: 0.02)
      } while !state.withLock { $0.isOver }
    }
  }

  /// Stops sampling and returns the peak in KiB, or `nil` if the system does not report it.
  func peak() -> Int? {
    state.withLock { state in
      state.isOver = true
      return state.peak
    }
  }

  private static func anonymousMemory(of process: Int32) -> Int? {
    // The process has exited, or the system is not Linux.
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
  }
}
