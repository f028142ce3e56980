/// Reproducible random number generator: a seed produces the same sequence on every machine and in every version.
///
/// Implements SplitMix64 (Steele, Lea and Flood, 2014), which is not suitable for secrets. A copy continues from the
/// state of the original.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to `bound - 1`. Always consumes one number of the sequence, unlike
  /// `Int.random(in:using:)`.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
