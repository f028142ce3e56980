import Foundation
import Testing
import TrendyModels

@Suite("RandomSource", .timeLimit(.minutes(10)))
struct RandomSourceTests {
  private let date = Date(timeIntervalSince1970: 1_704_067_200)

  @Test func `the source returns the numbers of its generator`() {
    let source = RandomSource(SeededGenerator(seed: 7))
    var generator = SeededGenerator(seed: 7)
    #expect((0..<10).map { _ in source.next() } == (0..<10).map { _ in generator.next() })
    #expect(source.withGenerator { $0.next() } == generator.next())
  }

  @Test func `hexadecimal digits are padded to 16`() {
    #expect(RandomSource(ConstantGenerator(value: 0xABC)).hexadecimalDigits() == "0000000000000abc")
    #expect(RandomSource(ConstantGenerator(value: .max)).hexadecimalDigits() == "ffffffffffffffff")
  }

  @Test func `identifiers increase, even with many tasks and a clock that moves back`() async {
    let source = RandomSource(SeededGenerator(seed: 1))
    let first = source.identifier(at: date)
    let made = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 { group.addTask { (0..<200).map { _ in source.identifier(at: date.addingTimeInterval(-1)) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(made.allSatisfy { $0 == $0.sorted() && $0.allSatisfy { $0 > first } })
    #expect(Set(made.joined()).count == 800)
  }
}
