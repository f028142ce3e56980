import Synchronization
public import TrendyFoundation
public import TrendyProtocols

/// Clock that advances only when a test advances it.
///
/// ``advance(by:)`` wakes sleepers in order of their deadlines, then in the order they went to sleep. Each sleeper runs
/// as far as it can before the next sleeper wakes. A sleep that begins and ends during the advance is woken as well.
///
/// The order is exact if all tasks run on one ``SeededTaskExecutor``. On other executors the clock cannot determine
/// whether a task has finished: it waits until every woken task has started, and then yields until no task has used the
/// clock for a while. Long work that does not use the clock must be awaited directly, or with ``waitForSleepers(_:)``
/// if it ends in another sleep.
public final class ManualClock: TimeSource, Sendable {
  private struct Sleeper {
    let id: UInt64
    /// Sleeping task.
    let task: Int?
    /// Whether the task runs outside the ``SeededTaskExecutor``, which detects when all tasks are idle.
    let isElsewhere: Bool
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    /// Date that corresponds to an uptime of zero.
    var start: Date
    var uptime: Duration = .zero
    var nextId: UInt64 = 0
    /// Sorted by deadline, then by arrival.
    var sleepers: [Sleeper] = []
    /// Ids of sleepers cancelled before they went to sleep.
    var cancelled: Set<UInt64> = []
    /// Number of woken tasks that have not run yet.
    var waking = 0
    /// Task that was woken last, until it sleeps again.
    var lastWoken: Int?
    var isLastWokenElsewhere = false
    /// Incremented whenever a task uses the clock.
    var activity: UInt64 = 0

    var now: Date { start.addingTimeInterval(Self.seconds(uptime)) }

    mutating func setDate(_ date: Date) {
      start = date.addingTimeInterval(-Self.seconds(uptime))
    }

    private static func seconds(_ duration: Duration) -> TimeInterval {
      let (seconds, attoseconds) = duration.components
      return Double(seconds) + Double(attoseconds) / 1e18
    }
  }

  private let state: Mutex<State>

  /// Creates a clock with an uptime of zero.
  ///
  /// - Parameter now: initial date.
  public init(now: Date = DeterministicDate.jan1_2024) {
    state = Mutex(State(start: now))
  }

  /// Current date.
  public var now: Date {
    state.withLock {
      $0.activity += 1
      return $0.now
    }
  }

  /// Time since the creation of the clock.
  public var uptime: Duration {
    state.withLock {
      $0.activity += 1
      return $0.uptime
    }
  }

  /// Number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Time until the next sleeper is due, or `nil` if no task is sleeping.
  public var nextDeadline: Duration? {
    state.withLock { state in state.sleepers.first.map { $0.deadline - state.uptime } }
  }

  /// Sleeps until the clock has advanced by `duration`. Returns immediately if `duration` is not positive.
  /// - Throws: `CancellationError` immediately when the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    let (id, deadline) = state.withLock { state in
      state.nextId += 1
      state.activity += 1
      return (state.nextId, state.uptime + duration)
    }
    guard duration > .zero else { return await Task.yield() }
    let (task, isElsewhere) = withUnsafeCurrentTask { task in
      let here = SeededTaskExecutor.current?.asUnownedTaskExecutor()
      return (task?.hashValue, here == nil || task?.unownedTaskExecutor != here)
    }
    var wasWoken = false
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          state.activity += 1
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if state.uptime >= deadline {
            // The clock has advanced since the deadline was computed.
            state.waking += 1
            return .success(())
          }
          let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
          state.sleepers.insert(
            Sleeper(id: id, task: task, isElsewhere: isElsewhere, deadline: deadline, continuation: continuation),
            at: place)
          if state.lastWoken == task { state.lastWoken = nil }
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
      wasWoken = true
    } onCancel: {
      let sleeper = state.withLock { state in
        state.activity += 1
        guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
          // The task is not asleep yet, or has been woken. If it has been woken, this entry is never read, because ids
          // are unique.
          state.cancelled.insert(id)
          return nil as Sleeper?
        }
        return state.sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    if wasWoken {
      state.withLock { state in
        state.waking -= 1
        state.activity += 1
        state.cancelled.remove(id)
      }
    }
  }

  /// Advances date and uptime and wakes the sleepers that become due. A negative duration counts as zero.
  ///
  /// Tasks that are about to sleep go to sleep first.
  public func advance(by duration: Duration) async {
    await settle()
    let target = state.withLock { $0.uptime + duration }
    while true {
      let sleeper = state.withLock { state in
        guard let next = state.sleepers.first, next.deadline <= target else {
          state.uptime = max(state.uptime, target)
          return nil as Sleeper?
        }
        state.sleepers.removeFirst()
        state.uptime = max(state.uptime, next.deadline)
        state.waking += 1
        state.lastWoken = next.task
        state.isLastWokenElsewhere = next.isElsewhere
        return next
      }
      guard let sleeper else { break }
      sleeper.continuation.resume()
      await settle()
    }
    await settle()
  }

  /// Sets the date without waking any sleeper, as a user or a time server would. The uptime does not change.
  public func setDate(_ date: Date) {
    state.withLock { $0.setDate(date) }
  }

  /// Waits until at least `count` tasks are sleeping, or until the current task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    while sleeperCount < count, !Task.isCancelled { await Task.yield() }
  }
}

extension ManualClock {
  /// Number of yields without activity after which the other tasks count as idle. Fewer yields suffice once the task
  /// that was woken last is asleep again, because that task has then done its work.
  private static let quietRounds = (afterSleep: 200, onTheWay: 2000)

  /// Yields until the other tasks are idle.
  private func settle() async {
    if let executor = SeededTaskExecutor.current, !state.withLock({ $0.isLastWokenElsewhere }) {
      return await executor.idle()
    }
    var quiet = 0
    var last = state.withLock { $0.activity }
    while true {
      await Task.yield()
      let (activity, isWaking, isOnTheWay) = state.withLock { ($0.activity, $0.waking > 0, $0.lastWoken != nil) }
      quiet = activity == last && !isWaking ? quiet + 1 : 0
      last = activity
      if quiet >= (isOnTheWay ? Self.quietRounds.onTheWay : Self.quietRounds.afterSleep) { break }
    }
    state.withLock { $0.lastWoken = nil }
  }
}
