import TrendyFoundation
import TrendyModels

extension RandomSource {
  /// Returns a new device identity, a version 7 UUID that sorts after the previous identity.
  ///
  /// If two writes have equal stamps, the write with the greater author wins. A store's new identity must therefore be
  /// greater than all its earlier identities.
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
