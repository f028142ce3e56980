import Foundation
import Synchronization

/// The most memory of its own that a process has while it is watched: what it allocated, without the files that it maps, which are
/// the system's to take back. Looked at every 20 ms; only Linux says it.
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

  /// In units of 1024 bytes; `nil` where nobody says it. Ends the watch.
  func peak() -> Int? {
    state.withLock { state in
      state.isOver = true
      return state.peak
    }
  }

  private static func anonymousMemory(of process: Int32) -> Int? {
    // A process that has ended, or another system: nothing to say.
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
  }
}
