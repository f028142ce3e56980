#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Synchronization
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

  func delay(after failure: Duration?, _ backoff: inout Backoff) -> Duration {
    var next = backoff
    let delay = state.withLock { next.onFailure(retryAfter: failure, using: &$0.generator) }
    backoff = next
    return delay
  }
}
