import Testing
import TrendyModels

@Suite("DaySet")
struct DaySetTests {
  private func day(_ number: Int) -> CivilDate { CivilDate(daysSince1970: number) }

  @Test func `a set of ranges answers like a set of single days`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let ranges = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        let first = Int.random(in: 0..<40, using: &random)
        return day(first)...day(first + Int.random(in: 0..<6, using: &random))
      }
      let (set, single) = (DaySet(ranges), Set(ranges.flatMap { Array($0) }))
      #expect(set.isEmpty == single.isEmpty)
      for first in -1..<48 {
        #expect(set.contains(day(first)) == single.contains(day(first)))
        for length in 0..<8 {
          let range = day(first)...day(first + length)
          #expect(set.covers(range) == range.allSatisfy(single.contains))
          #expect(set.isDisjoint(with: range) == !range.contains(where: single.contains))
        }
      }
    }
  }

  @Test func `days from the first to the last year cost no more than one`() {
    let all = DaySet([CivilDate(year: 1, month: 1, day: 1)...CivilDate(year: 9999, month: 12, day: 31)])
    #expect(all.contains(CivilDate(year: 2026, month: 11, day: 27)))
  }
}
