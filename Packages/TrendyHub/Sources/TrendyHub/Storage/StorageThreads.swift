import Foundation

/// Threads for what touches a storage, so that a slow disk keeps no thread of the concurrency runtime.
///
/// Reading and writing have threads of their own: however many writes wait for a sync, reads go on. In both lanes the owners (the
/// persons, and whoever shows a token) take turns, and each has a bounded queue. Threads are made when they are needed.
final class StorageThreads: Sendable {
  enum Lane: Sendable {
    /// Answers from memory and from what is durable.
    case reading
    /// Waits for syncs.
    case writing
  }

  private let reading: StorageLane
  private let writing: StorageLane

  /// Writes that share a sync, at most: the first of them waits for the bodies of all.
  private static let writesTogether = 32

  init(limits: HubStorageLimits) {
    reading = StorageLane(
      name: "trendy-read", threads: limits.readingThreads, capacity: limits.waitingPerPerson, batch: 1)
    writing = StorageLane(
      name: "trendy-write", threads: limits.writingThreads, capacity: limits.waitingPerPerson,
      batch: min(limits.waitingPerPerson, Self.writesTogether))
  }

  /// Threads end when they have nothing more to do.
  deinit {
    reading.close()
    writing.close()
  }

  /// Writes that wait for a thread, or for those before them.
  func waitingWrites(of owner: String) -> Int { writing.waitingCount(of: owner) }

  /// What waits for a thread in a lane, of all owners.
  func waitingCount(_ lane: Lane) -> Int { self.lane(lane).waitingCount }

  /// Adds what must run, or is bounded by something else.
  func addAlways(_ work: any StorageWork, of owner: String, to lane: Lane) {
    _ = self.lane(lane).add(work, of: owner, isBounded: false)
  }

  private func lane(_ lane: Lane) -> StorageLane {
    switch lane {
    case .reading: reading
    case .writing: writing
    }
  }

  /// - Throws: a ``Problem`` with status 503 where too much of the owner's waits.
  func add(_ work: any StorageWork, of owner: String, to lane: Lane) throws(Problem) {
    let lane = self.lane(lane)
    guard lane.add(work, of: owner, isBounded: true) else {
      throw .busy("\(lane.capacity) requests of this person or address wait for the hub's storage already")
    }
  }
}

/// Runs the tasks of one person's requests on the threads that write: what is asynchronous and touches files of its own.
///
/// Its jobs are not bounded; a request waits for its turn in the person's queue before its first.
final class PersonExecutor: TaskExecutor {
  private struct Job: StorageWork {
    let job: UnownedJob
    let executor: PersonExecutor

    func run(with others: ArraySlice<any StorageWork>) -> Int {
      job.runSynchronously(on: executor.asUnownedTaskExecutor())
      return 0
    }
  }

  private let threads: StorageThreads
  private let person: String

  init(threads: StorageThreads, person: String) {
    self.threads = threads
    self.person = person
  }

  func enqueue(_ job: consuming ExecutorJob) {
    threads.addAlways(Job(job: UnownedJob(job), executor: self), of: person, to: .writing)
  }
}

/// Threads that a hub's storage runs on, and how much may wait for them.
public struct HubStorageLimits: Hashable, Sendable {
  /// At least 1.
  public var readingThreads: Int
  /// At least 1: so many persons' writes may wait for a sync at once.
  public var writingThreads: Int
  /// Reads, and writes, of one person that may wait; beyond it 503. At least 1.
  public var waitingPerPerson: Int

  public init(readingThreads: Int = 4, writingThreads: Int = 16, waitingPerPerson: Int = 128) {
    self.readingThreads = max(readingThreads, 1)
    self.writingThreads = max(writingThreads, 1)
    self.waitingPerPerson = max(waitingPerPerson, 1)
  }
}

/// A piece of work for a storage thread.
protocol StorageWork: Sendable {
  /// Runs this piece and those behind it of the same owner that it takes along; each is answered.
  ///
  /// - Returns: how many of `others` were taken along, from the front.
  func run(with others: ArraySlice<any StorageWork>) -> Int
}

/// Threads that share one fair queue.
///
/// @unchecked: everything that changes is touched under `changed` alone.
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

  /// For the owner of the lock.
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
    // On Linux a name that is given before the start is not the thread's, and one that is given before `start()` has returned is
    // lost: its caller has the lock.
    Thread.current.name = name
    while true {
      guard case (let owner, var works)? = queue.take(atMost: batch) else {
        if isClosed { return }
        idle += 1
        changed.wait()
        idle -= 1
        continue
      }
      // Another owner's turn may have come together with this one's.
      wakeOne()
      changed.unlock()
      // Let go of before the lock is taken: a piece may hold the last reference to the threads, whose end takes it too.
      while let first = works.first { works.removeFirst(1 + first.run(with: works.dropFirst())) }
      changed.lock()
      queue.finish(owner)
    }
  }
}
