import Synchronization
import TrendyFoundation
import TrendyModels

/// The one source of identifiers and jitter of an engine or recorder, safe from many tasks at once.
final class Chance: Sendable {
  private struct State {
    var identifiers = UUIDv7.Generator()
    var generator: any RandomNumberGenerator & Sendable
  }

  private let state: Mutex<State>

  init(_ generator: some RandomNumberGenerator & Sendable) {
    state = Mutex(State(generator: generator))
  }

  func identifier(at date: Date) -> String {
    state.withLock { $0.identifiers.next(at: date, using: &$0.generator).description }
  }

  /// Of a store that goes on under another identity: it sorts behind the one before. Where two writes have one stamp the greater
  /// author wins, and of one store's own the later must.
  func identity(after previous: String?, at date: Date) -> String {
    let earliest = previous.flatMap(UUIDv7.init)?.date.addingTimeInterval(0.001) ?? date
    var identities = UUIDv7.Generator()
    return state.withLock { identities.next(at: max(date, earliest), using: &$0.generator).description }
  }

  func delay(after failure: Duration?, _ backoff: inout Backoff) -> Duration {
    var next = backoff
    let delay = state.withLock { next.onFailure(retryAfter: failure, using: &$0.generator) }
    backoff = next
    return delay
  }
}
