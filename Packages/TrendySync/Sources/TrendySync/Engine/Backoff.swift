/// How long to wait after failures: full jitter, so that many devices do not come back at one moment.
package struct Backoff: Hashable, Sendable {
  /// The shortest delay, and the span of the first.
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

  /// What failed had done something before: the delay is about as long as such a hub needs, and grows no further.
  package mutating func onProgress() {
    failuresInARow = max(0, failuresInARow - 2)
  }

  /// - Returns: a delay drawn evenly between the minimum and a bound that doubles with each failure up to the maximum, never
  ///   less than the hub asked for.
  package mutating func onFailure(
    retryAfter: Duration?, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    // Beyond 2^20 any sensible maximum is long reached.
    if failuresInARow < 20, minimum * (1 << failuresInARow) < maximum { failuresInARow += 1 }
    let bound = min(maximum, minimum * (1 << failuresInARow))
    let share = Double.random(in: 0...1, using: &generator)
    return max(minimum + (bound - minimum) * share, retryAfter ?? .zero)
  }
}
