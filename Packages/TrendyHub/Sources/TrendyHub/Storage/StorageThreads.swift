import Foundation

/// Storage workers: threads for storage calls, so a slow disk never blocks a thread of the Swift concurrency runtime.
///
/// Reads and writes have separate threads, so reads continue while writes wait for syncs. In each group, owners (users,
/// and addresses that present tokens) take turns, and each owner has a bounded queue. Threads are started on demand.
final class StorageThreads: Sendable {
  enum Lane: Sendable {
    /// Calls that read memory and durable data.
    case reading
    /// Calls that wait for syncs.
    case writing
  }

  private let reading: StorageLane
  private let writing: StorageLane

  /// Maximum number of writes that share a sync. The first one waits until all their bodies have run.
  private static let writesTogether = 32

  init(limits: HubStorageLimits) {
    reading = StorageLane(
      name: "trendy-read", threads: limits.readingThreads, capacity: limits.waitingPerPerson, batch: 1)
    writing = StorageLane(
      name: "trendy-write", threads: limits.writingThreads, capacity: limits.waitingPerPerson,
      batch: min(limits.waitingPerPerson, Self.writesTogether))
  }

  /// The threads exit once their queues are empty.
  deinit {
    reading.close()
    writing.close()
  }

  func waitingWrites(of owner: String) -> Int { writing.waitingCount(of: owner) }

  func waitingCount(_ lane: Lane) -> Int { self.lane(lane).waitingCount }

  /// Adds work that must not be rejected, or that is limited elsewhere.
  func addAlways(_ work: any StorageWork, of owner: String, to lane: Lane) {
    _ = self.lane(lane).add(work, of: owner, isBounded: false)
  }

  private func lane(_ lane: Lane) -> StorageLane {
    switch lane {
    case .reading: reading
    case .writing: writing
    }
  }

  /// Adds work to the owner's queue.
  ///
  /// - Throws: A ``Problem`` with status 503 if the queue is full.
  func add(_ work: any StorageWork, of owner: String, to lane: Lane) throws(Problem) {
    let lane = self.lane(lane)
    guard lane.add(work, of: owner, isBounded: true) else {
      throw .busy("\(lane.capacity) requests of this user or address are already waiting for the hub's storage")
    }
  }
}

/// Runs a user's asynchronous tasks on the storage workers for writes.
///
/// The number of jobs is unbounded, but a task waits for a turn in the user's queue before its first job.
final class UserExecutor: TaskExecutor {
  private struct Job: StorageWork {
    let job: UnownedJob
    let executor: UserExecutor

    func run(with others: ArraySlice<any StorageWork>) -> Int {
      job.runSynchronously(on: executor.asUnownedTaskExecutor())
      return 0
    }
  }

  private let threads: StorageThreads
  private let user: String

  init(threads: StorageThreads, user: String) {
    self.threads = threads
    self.user = user
  }

  func enqueue(_ job: consuming ExecutorJob) {
    threads.addAlways(Job(job: UnownedJob(job), executor: self), of: user, to: .writing)
  }
}

/// Number of storage workers and limit of their queues.
public struct HubStorageLimits: Hashable, Sendable {
  /// Number of threads for reads, at least 1.
  public var readingThreads: Int
  /// Number of threads for writes, at least 1, and so the number of users whose writes can await a sync at once.
  public var writingThreads: Int
  /// Maximum number of a user's pending reads, and of pending writes, at least 1. Further requests receive status 503.
  public var waitingPerPerson: Int

  public init(readingThreads: Int = 4, writingThreads: Int = 16, waitingPerPerson: Int = 128) {
    self.readingThreads = max(readingThreads, 1)
    self.writingThreads = max(writingThreads, 1)
    self.waitingPerPerson = max(waitingPerPerson, 1)
  }
}

protocol StorageWork: Sendable {
  /// Runs this work, together with following work for the same owner that can share its sync.
  ///
  /// - Returns: Number of items run from the start of `others`.
  func run(with others: ArraySlice<any StorageWork>) -> Int
}

/// Threads that share one fair queue.
///
/// @unchecked: all mutable state is accessed only while `changed` is locked.
private final class StorageLane: @unchecked Sendable {
  private let name: String
  private let threads: Int
  let capacity: Int
  private let batch: Int
  private let changed = NSCondition()
  private var queue: FairQueue<any StorageWork>
  private var running = 0
  private var idle = 0
  private var isClosed = false

  init(name: String, threads: Int, capacity: Int, batch: Int) {
    self.name = name
    self.threads = threads
    self.capacity = capacity
    self.batch = batch
    queue = FairQueue(capacity: capacity)
  }

  func add(_ work: any StorageWork, of owner: String, isBounded: Bool) -> Bool {
    changed.withLock {
      guard queue.add(work, of: owner, isBounded: isBounded) else { return false }
      wakeOne()
      return true
    }
  }

  var waitingCount: Int { changed.withLock { queue.waitingCount } }

  func waitingCount(of owner: String) -> Int { changed.withLock { queue.waitingCount(of: owner) } }

  func close() {
    changed.withLock {
      isClosed = true
      changed.broadcast()
    }
  }

  /// Wakes or starts a thread if work is ready. The caller must hold the lock.
  private func wakeOne() {
    guard queue.hasReady else { return }
    if idle > 0 {
      changed.signal()
    } else if running < threads {
      running += 1
      Thread { self.work() }.start()
    }
  }

  private func work() {
    changed.lock()
    defer { changed.unlock() }
    // Set the name here. On Linux, a name is lost if it is set before the thread runs or before `start()` returns. The
    // caller of `start()` holds this lock.
    Thread.current.name = name
    while true {
      guard case (let owner, var works)? = queue.take(atMost: batch) else {
        if isClosed { return }
        idle += 1
        changed.wait()
        idle -= 1
        continue
      }
      // The signal for another owner's turn may have been coalesced with the one for this owner.
      wakeOne()
      changed.unlock()
      // Release the items before acquiring the lock: an item may hold the last reference to `StorageThreads`, whose
      // `deinit` acquires it.
      while let first = works.first { works.removeFirst(1 + first.run(with: works.dropFirst())) }
      changed.lock()
      queue.finish(owner)
    }
  }
}
