import Testing

@testable import Fuzzing

@Suite("Fuzzing", .timeLimit(.minutes(10)))
struct FuzzingTests {
  @Test("random cases violate no property", arguments: Fuzzer.Target.allCases)
  func target(_ target: Fuzzer.Target) async throws {
    let cases: UInt64 =
      switch target {
      case .http, .json, .tracks: 3000
      case .feed, .snapshot, .push, .query: 400
      case .store: 100
      }
    let outcomes = try await Fuzzer(target).run(1..<1 + cases)
    #expect(outcomes.values.reduce(0, +) == Int(cases))
    #expect(outcomes.count > 1, "cases of one sort try little: \(outcomes)")
  }

  @Test("a case is reproducible", arguments: [Fuzzer.Target.feed, .push])
  func repeats(_ target: Fuzzer.Target) async throws {
    let first = try await Fuzzer(target).run(41..<61)
    #expect(try await Fuzzer(target).run(41..<61) == first)
  }

  @Test func `numbers include both limits of each range`() {
    var source = FuzzSource(seed: 1)
    let numbers = Set((0..<10_000).map { _ in source.integer() })
    for number in [Int64.min, .max, -1, 0, 9_007_199_254_740_991, 9_007_199_254_740_992, 253_402_300_800_000] {
      #expect(numbers.contains(number))
    }
  }
}
