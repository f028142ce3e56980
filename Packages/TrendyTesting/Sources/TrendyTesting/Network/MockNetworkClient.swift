import Synchronization
import TrendyFoundation
public import TrendyProtocols

/// A hub that gives the answers a test sets, and records what it was asked.
///
/// A call takes the first answer of its operation's queue (`createEventResponses`); if that is empty it throws
/// `errorToThrow`; if there is none it gives the standing answer (`eventsToReturn`); where there is none a write echoes its
/// request and the feed is empty at the cursor asked. A call is recorded even when it throws. Like a real request, a call
/// suspends once, and one whose task is cancelled throws `CancellationError` and takes no answer.
///
/// Of the operations with defaults it has none of its own: `checkHealth()` asks for the event types and takes one answer of
/// *their* queue; `push(_:)` and `snapshot()` are recorded as the operations they are made of; `changeSignals()` ends at once.
///
/// The members of ``Script`` are properties of the mock. It may be used from many tasks at once; to change several members in
/// one step, or to append to a queue while calls are under way, use ``update(_:)``.
@dynamicMemberLookup
public final class MockNetworkClient: NetworkClientProtocol, Sendable {
  private let script = Mutex(Script())
  private let clock: any TimeSource

  /// - Parameter clock: dates the call records, and what writes echo.
  public init(clock: any TimeSource = ManualClock()) {
    self.clock = clock
  }

  public subscript<Value: Sendable>(dynamicMember member: WritableKeyPath<Script, Value>) -> Value {
    get { script.withLock { $0[keyPath: member] } }
    set { script.withLock { $0[keyPath: member] = newValue } }
  }

  /// How many operations were called, of all kinds.
  public var callCount: Int { script.withLock { $0.operations.count } }

  /// Changes the script in one step.
  public func update(_ change: (inout Script) -> Void) {
    script.withLock { change(&$0) }
  }

  /// As new: no records, no queued, no standing answers, no error.
  public func reset() {
    script.withLock { $0 = Script() }
  }

  func answer<Call, Answer: Sendable>(
    _ operation: Operation, _ calls: WritableKeyPath<Script, [Call]>,
    _ queue: WritableKeyPath<Script, [Result<Answer, any Error>]>, call: (Date) -> Call,
    standing: (Script, Date) -> Answer
  ) async throws -> Answer {
    let now = clock.now
    let hook = script.withLock {
      $0.operations.append(operation)
      $0[keyPath: calls].append(call(now))
      return $0.beforeAnswering
    }
    if let hook { await hook(operation) } else { await Task.yield() }
    try Task.checkCancellation()
    return try script.withLock { script throws in
      if !script[keyPath: queue].isEmpty { return try script[keyPath: queue].removeFirst().get() }
      if let error = script.errorToThrow { throw error }
      return standing(script, now)
    }
  }
}
