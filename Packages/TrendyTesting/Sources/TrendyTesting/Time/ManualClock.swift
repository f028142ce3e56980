import Synchronization
public import TrendyFoundation
public import TrendyProtocols

/// Time that moves when a test says so.
///
/// ``advance(by:)`` goes from sleeper to sleeper, in order of time and, at one time, in the order they went to sleep; each
/// runs as far as it can before the next wakes, and whom it puts to sleep within the span wakes within it too.
///
/// *As far as it can* is exact where all runs on one ``SeededTaskExecutor``. On the ordinary executors nobody can know that a
/// task will not go on: the clock waits until every woken task has begun to run, and then lets the others run until none of
/// them has touched the clock for a good while. Work that takes long without touching it is better awaited for itself, or
/// by ``waitForSleepers(_:)`` where it ends in the next sleep.
public final class ManualClock: TimeSource, Sendable {
  private struct Sleeper {
    let id: UInt64
    /// The task that sleeps.
    let task: Int?
    /// Whether it runs on another executor than the one that is asked whether all are at rest.
    let isElsewhere: Bool
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    /// The date when uptime was zero, had it run evenly since.
    var start: Date
    var uptime: Duration = .zero
    var nextId: UInt64 = 0
    /// By deadline, then by who came first.
    var sleepers: [Sleeper] = []
    /// Cancelled before they could lie down.
    var cancelled: Set<UInt64> = []
    /// Woken, and not yet run.
    var waking = 0
    /// Whom the clock woke last, until that task sleeps again.
    var lastWoken: Int?
    var isLastWokenElsewhere = false
    /// Counts whatever a task does with the clock.
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

  /// - Parameter now: the date it shows at first; 2024-01-01T00:00:00Z unless given.
  public init(now: Date = DeterministicDate.jan1_2024) {
    state = Mutex(State(start: now))
  }

  public var now: Date {
    state.withLock {
      $0.activity += 1
      return $0.now
    }
  }

  /// Since this clock was made.
  public var uptime: Duration {
    state.withLock {
      $0.activity += 1
      return $0.uptime
    }
  }

  /// How many tasks sleep.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// When the next sleeper is due, from now; `nil` where none sleeps.
  public var nextDeadline: Duration? {
    state.withLock { state in state.sleepers.first.map { $0.deadline - state.uptime } }
  }

  /// Returns when `duration` has been advanced over; at once where it is not above zero.
  /// - Throws: `CancellationError` when the task is cancelled, at once.
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
            // The clock has moved on between asking and lying down.
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
          // Not yet asleep, or already woken: then nobody looks for the note, and the id never comes again.
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

  /// Moves date and uptime on, waking who is due on the way. Time does not go back: less than zero counts as zero.
  ///
  /// Who is about to sleep when this is called gets to sleep first.
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

  /// Sets the date and nothing else, as a person or a time server would: uptime does not move and nobody wakes.
  public func setDate(_ date: Date) {
    state.withLock { $0.setDate(date) }
  }

  /// Returns when at least `count` tasks sleep. If they never do, it waits until its own task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    while sleeperCount < count, !Task.isCancelled { await Task.yield() }
  }
}

extension ManualClock {
  /// Rounds without a sign of life after which the others are taken to be at rest: fewer where whom the clock woke sleeps
  /// again and has therefore done what it does, more where it may still be on its way.
  private static let quietRounds = (afterSleep: 200, onTheWay: 2000)

  /// Lets others run until they are at rest.
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
