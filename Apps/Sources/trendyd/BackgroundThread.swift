import Foundation

/// One thread for work that takes its time and that nobody waits for: the shared threads stay free for requests.
///
/// @unchecked: `jobs` is touched with `condition` locked alone.
final class BackgroundThread: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  init(name: String) {
    // It lives as long as the process.
    let thread = Thread { [self] in
      while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }
    thread.name = name
    thread.stackSize = 4 << 20
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  private func next() -> UnownedJob {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      return jobs.removeFirst()
    }
  }
}
