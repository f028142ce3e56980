import TrendyFoundation
import TrendyModels

extension RandomSource {
  /// Returns a new identity for a store, greater than the previous one: of two writes with equal stamps the greater author wins, and
  /// of one store's own the later must.
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
