/// Retry delay that grows exponentially with each failure. Full jitter keeps devices from retrying all at once.
package struct Backoff: Hashable, Sendable {
  /// Lower bound of every delay.
  package var minimum: Duration
  package var maximum: Duration
  private(set) package var failuresInARow = 0

  package init(minimum: Duration = .seconds(1), maximum: Duration = .seconds(300)) {
    self.minimum = minimum
    self.maximum = max(minimum, maximum)
  }

  package mutating func onSuccess() {
    failuresInARow = 0
  }

  /// After a failed round that made progress, lowers the failure count so that the delay does not grow further.
  package mutating func onProgress() {
    failuresInARow = max(0, failuresInARow - 2)
  }

  /// Returns a random delay between the minimum and a bound that doubles with each failure up to the maximum, but never
  /// a delay shorter than the hub requested in `retryAfter`.
  package mutating func onFailure(
    retryAfter: Duration?, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    // A factor of 2^20 exceeds any reasonable maximum.
    if failuresInARow < 20, minimum * (1 << failuresInARow) < maximum { failuresInARow += 1 }
    let bound = min(maximum, minimum * (1 << failuresInARow))
    let share = Double.random(in: 0...1, using: &generator)
    return max(minimum + (bound - minimum) * share, retryAfter ?? .zero)
  }
}
