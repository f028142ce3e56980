import Foundation
import Testing
import TrendyInsights
import TrendyModels

/// Reference values from SciPy 1.17.1 and statsmodels (`pearsonr`, `linregress`, `entropy`, `multipletests(fdr_bh)`)
/// and from simple recurrences.
private struct ReferenceCases: Decodable {
  struct Pair: Decodable {
    struct Value: Decodable {
      let r: Double?
      let p: Double?
    }

    let x: [Double]
    let y: [Double]
    let r: Double?
    let p: Double?
    let x_leads_by_1: Value
    let y_leads_by_1: Value
  }

  struct Adjustment: Decodable {
    let p: [Double]
    let adjusted: [Double]
  }

  struct Cycle: Decodable {
    let counts: [Int]
    let consistency: Double
    let peak: Int
    let share: Double
  }

  struct Line: Decodable {
    let y: [Double]
    let slope: Double
  }

  struct Score: Decodable {
    let frequency: Double
    let values: [Double]
    let scores: [Double]
  }

  struct Days: Decodable {
    let days: [Int]
    let skips: [Int]
    let today: Int
    let longest: Int
    let current: Int
  }

  let pearson: [Pair]
  let benjamini_hochberg: [Adjustment]
  let consistency: [Cycle]
  let slope: [Line]
  let score: [Score]
  let streak: [Days]

  static func load() throws -> ReferenceCases {
    let url = try #require(
      Bundle.module.url(forResource: "insights-cases", withExtension: "json", subdirectory: "Resources"))
    return try JSONDecoder().decode(ReferenceCases.self, from: Data(contentsOf: url))
  }
}

@Suite("Reference values")
struct ReferenceCaseTests {
  private let cases: ReferenceCases

  init() throws { cases = try ReferenceCases.load() }

  private func expect(_ found: Correlation?, r: Double?, p: Double?) throws {
    guard let r, let p else {
      #expect(found == nil)
      return
    }
    let found = try #require(found)
    #expect(abs(found.r - r) < 1e-9)
    #expect(abs(found.p - p) < 1e-7)
  }

  @Test func `correlations and p values match at both lags`() throws {
    #expect(cases.pearson.count == 40)
    for pair in cases.pearson {
      try expect(Correlation(pair.x, pair.y), r: pair.r, p: pair.p)
      let (x, y) = (pair.x_leads_by_1, pair.y_leads_by_1)
      try expect(Correlation(leader: pair.x, follower: pair.y, lag: 1), r: x.r, p: x.p)
      try expect(Correlation(leader: pair.y, follower: pair.x, lag: 1), r: y.r, p: y.p)
    }
  }

  @Test func `p values are adjusted with Benjamini–Hochberg`() {
    for adjustment in cases.benjamini_hochberg {
      for (found, expected) in zip(FalseDiscoveryRate.adjusted(adjustment.p), adjustment.adjusted) {
        #expect(abs(found - expected) < 1e-9)
      }
    }
  }

  @Test func `consistency and peak of weekdays and hours match`() throws {
    for cycle in cases.consistency {
      let found = try #require(CyclePattern(counts: cycle.counts))
      #expect(abs(found.consistency - cycle.consistency) < 1e-9)
      #expect(found.peak == cycle.peak)
      #expect(abs(found.peakShare - cycle.share) < 1e-9)
    }
  }

  @Test func `least-squares slopes match`() throws {
    for line in cases.slope {
      #expect(abs(try #require(LeastSquaresLine(line.y)).slope - line.slope) < 1e-9)
    }
  }

  @Test func `habit scores match their recurrence`() {
    for score in cases.score {
      let found = HabitScore(days: score.values, target: 1, frequency: score.frequency)
      for (found, expected) in zip(found.values, score.scores) { #expect(abs(found - expected) < 1e-9) }
    }
  }

  @Test func `streaks with skipped days match`() {
    for days in cases.streak {
      let found = Streak(
        days: days.days.map(CivilDate.init(daysSince1970:)),
        skips: DaySet(days.skips.map { CivilDate(daysSince1970: $0)...CivilDate(daysSince1970: $0) }),
        today: CivilDate(daysSince1970: days.today))
      #expect(found.longest == days.longest)
      #expect(found.current == days.current, "\(days)")
    }
  }
}
