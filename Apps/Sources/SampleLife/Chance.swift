import TrendyModels

/// Chance that repeats: what is drawn for a day does not depend on the days before, so a life can be looked at from any day.
///
/// The mixing is that of SplitMix64 (Steele, Lea, Flood 2014).
struct Chance: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// - Parameters:
  ///   - seed: of the whole life.
  ///   - day: on which something may happen.
  ///   - thing: what; each is drawn apart.
  init(seed: UInt64, day: CivilDate, thing: Thing) {
    state = seed
    for word in [UInt64(bitPattern: Int64(day.daysSince1970)), UInt64(thing.rawValue)] {
      state = next() ^ word
    }
  }

  /// What is drawn for each day.
  enum Thing: Int {
    case sleep, mood, coffee, medication, run, stretching, wine, headache, television, reading, meditation, call,
      plants,
      journal, commute, client
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// About a bell: three even draws added up.
  mutating func around(_ middle: Double, spread: Double) -> Double {
    middle + (0..<3).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &self) } * spread
  }

  /// Minutes after midnight.
  mutating func clock(_ hour: Int, _ minute: Int, spread: Double) -> Int {
    Int(around(Double(hour * 60 + minute), spread: spread))
  }
}
