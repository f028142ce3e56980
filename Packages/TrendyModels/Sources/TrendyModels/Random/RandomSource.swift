import Synchronization
public import TrendyFoundation

/// Thread-safe source of identifiers and random numbers, which all come from one generator.
public final class RandomSource: Sendable {
  private struct State {
    var identifiers = UUIDv7.Generator()
    var generator: any RandomNumberGenerator & Sendable
  }

  private let state: Mutex<State>

  public init(_ generator: some RandomNumberGenerator & Sendable) {
    state = Mutex(State(generator: generator))
  }

  /// Returns a new UUIDv7, which is greater than all earlier identifiers from this source.
  public func identifier(at date: Date) -> String {
    state.withLock { $0.identifiers.next(at: date, using: &$0.generator).description }
  }

  /// Returns 64 random bits.
  public func next() -> UInt64 { withGenerator { $0.next() } }

  /// Returns 64 random bits as 16 hexadecimal digits.
  public func hexadecimalDigits() -> String {
    let digits = String(next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Calls `body` with exclusive access to the generator.
  public func withGenerator<Result: Sendable>(
    _ body: (inout any RandomNumberGenerator & Sendable) -> Result
  ) -> Result {
    state.withLock { body(&$0.generator) }
  }
}
