import Foundation
import Synchronization
import Testing

/// Threads for tests that wait for programs.
///
/// A test that waits for a program blocks its thread until a process exits or a socket responds. Swift's cooperative
/// thread pool has only one thread per core, so tests that wait would leave cores idle.
final class ProgramThreads: TaskExecutor {
  static let shared = ProgramThreads(count: 3 * ProcessInfo.processInfo.activeProcessorCount)

  private let jobs = Mutex<[UnownedJob]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init(count: Int) {
    for _ in 0..<count { Thread.detachNewThread { [self] in work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    waiting.signal()
  }

  private func work() -> Never {
    while true {
      waiting.wait()
      // The semaphore is signalled once for each job.
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Trait that runs a suite's tests on ``ProgramThreads``.
struct ProgramThreadsTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ProgramThreads.shared) { try await function() }
  }
}

extension Trait where Self == ProgramThreadsTrait {
  /// Runs tests on ``ProgramThreads``, because they block their threads while they wait for programs.
  static var waitsForPrograms: Self { ProgramThreadsTrait() }
}
