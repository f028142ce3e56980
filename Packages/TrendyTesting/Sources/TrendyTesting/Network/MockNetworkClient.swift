import Synchronization
import TrendyFoundation
public import TrendyProtocols

/// Network client with scripted responses that records its calls.
///
/// A call takes the first element of its operation's queue (`createEventResponses`). If the queue is empty, the call
/// throws `errorToThrow` or, if no error is set, returns the default response (`eventsToReturn`). If there is no
/// default response either, a write echoes its request, and the feed is empty at the requested cursor. Calls that throw
/// are recorded as well. Like a real request, a call suspends once. A cancelled call throws `CancellationError` and
/// consumes no response.
///
/// Operations with default implementations are not scripted: `checkHealth()` requests the event types and consumes one
/// response from that queue. `push(_:)` and `snapshot()` are recorded as the operations that they call.
/// `changeSignals()` ends immediately.
///
/// The members of ``Script`` are properties of the mock, which is safe to use from several tasks. To change several
/// members atomically, or to append to a queue while calls are running, use ``update(_:)``.
@dynamicMemberLookup
public final class MockNetworkClient: NetworkClientProtocol, Sendable {
  private let script = Mutex(Script())
  private let clock: any TimeSource

  /// Creates a client with an empty script.
  ///
  /// - Parameter clock: provides the timestamps of recorded calls and of echoed writes.
  public init(clock: any TimeSource = ManualClock()) {
    self.clock = clock
  }

  /// Reads or writes a member of the script.
  public subscript<Value: Sendable>(dynamicMember member: WritableKeyPath<Script, Value>) -> Value {
    get { script.withLock { $0[keyPath: member] } }
    set { script.withLock { $0[keyPath: member] = newValue } }
  }

  /// Number of calls to all operations.
  public var callCount: Int { script.withLock { $0.operations.count } }

  /// Changes the script atomically.
  public func update(_ change: (inout Script) -> Void) {
    script.withLock { change(&$0) }
  }

  /// Clears recorded calls, queues, default responses and the error.
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
