import TrendyFoundation
import TrendyModels

extension RandomSource {
  /// Returns a new device identity that sorts after the previous one.
  ///
  /// Of two writes with equal stamps, the one with the greater author wins. A store's later identity must therefore be
  /// greater than its earlier ones.
  /// - Parameters:
  ///   - previous: Previous identity of the store; `nil` if there is none.
  ///   - date: Current time.
  /// - Returns: A version 7 UUID.
  func identity(after previous: String?, at date: Date) -> String {
    let earliest = previous.flatMap(UUIDv7.init)?.date.addingTimeInterval(0.001) ?? date
    var identities = UUIDv7.Generator()
    return withGenerator { identities.next(at: max(date, earliest), using: &$0).description }
  }

  func delay(after failure: Duration?, _ backoff: inout Backoff) -> Duration {
    var next = backoff
    let delay = withGenerator { next.onFailure(retryAfter: failure, using: &$0) }
    backoff = next
    return delay
  }
}
