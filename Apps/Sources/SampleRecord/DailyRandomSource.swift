import TrendyModels

/// Reproducible random numbers for one day. The numbers do not depend on earlier days, so sample data can start on any
/// day.
struct DailyRandomSource: RandomNumberGenerator, Hashable, Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64, day: CivilDate, thing: Thing) {
    generator = SeededGenerator(seed: seed)
    for word in [UInt64(bitPattern: Int64(day.daysSince1970)), UInt64(thing.rawValue)] {
      generator = SeededGenerator(seed: generator.next() ^ word)
    }
  }

  /// Independent series of random values.
  enum Thing: Int {
    case sleep, mood, coffee, medication, run, stretching, wine, headache, television, reading, meditation, call,
      plants,
      journal, commute, client
  }

  mutating func next() -> UInt64 { generator.next() }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// Returns an approximately normally distributed value, the sum of three uniform values.
  mutating func around(_ middle: Double, spread: Double) -> Double {
    middle + (0..<3).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &self) } * spread
  }

  /// Returns a time of day in minutes after midnight, approximately normally distributed.
  mutating func clock(_ hour: Int, _ minute: Int, spread: Double) -> Int {
    Int(around(Double(hour * 60 + minute), spread: spread))
  }
}
