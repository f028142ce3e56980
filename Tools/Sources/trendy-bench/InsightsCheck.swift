import Foundation
import StoreBenchmark
import TrendyInsights
import TrendyModels

/// `trendy-bench insights --check FILE`: compares TrendyInsights with reference results from other software.
struct InsightsCheck {
  static let usage = """
    usage: trendy-bench insights --check FILE
      FILE  JSON with pearson, benjamini_hochberg, consistency, slope, score and streak; prints the number of cases of
            each, and the greatest difference
    """

  private struct Cases: Decodable {
    struct Value: Decodable {
      let r: Double?
      let p: Double?
    }

    struct Pair: Decodable {
      let x: [Double]
      let y: [Double]
      let r: Double?
      let p: Double?
      let x_leads_by_1: Value?
      let y_leads_by_1: Value?
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

    let pearson: [Pair]?
    let benjamini_hochberg: [Adjustment]?
    let consistency: [Cycle]?
    let slope: [Line]?
    let score: [Score]?
    let streak: [Days]?
  }

  /// Number of cases of one kind and their largest difference.
  private struct Tally: Encodable {
    var cases = 0
    var greatest_difference = 0.0

    /// Compares two values. A value that is missing on one side counts as an infinite difference.
    mutating func compare(_ found: Double?, _ expected: Double?) {
      switch (found, expected) {
      case (nil, nil): break
      case (let found?, let expected?): greatest_difference = max(greatest_difference, abs(found - expected))
      default: greatest_difference = .greatestFiniteMagnitude
      }
    }
  }

  private let file: URL

  init(_ arguments: [String]) throws(InputError) {
    guard arguments.count == 2, arguments[0] == "--check" else { throw InputError(text: Self.usage) }
    file = URL(filePath: arguments[1])
  }

  func run() throws -> String {
    let cases = try JSONDecoder().decode(Cases.self, from: Data(contentsOf: file))
    var tallies: [String: Tally] = [:]
    for pair in cases.pearson ?? [] {
      let found = [
        (Correlation(pair.x, pair.y), Cases.Value(r: pair.r, p: pair.p)),
        (Correlation(leader: pair.x, follower: pair.y, lag: 1), pair.x_leads_by_1),
        (Correlation(leader: pair.y, follower: pair.x, lag: 1), pair.y_leads_by_1),
      ]
      for (found, expected) in found {
        guard let expected else { continue }
        tallies["r", default: Tally()].compare(found?.r, expected.r)
        tallies["p", default: Tally()].compare(found?.p, expected.p)
      }
      tallies["r", default: Tally()].cases += 1
      tallies["p", default: Tally()].cases += 1
    }
    for adjustment in cases.benjamini_hochberg ?? [] {
      for (found, expected) in zip(FalseDiscoveryRate.adjusted(adjustment.p), adjustment.adjusted) {
        tallies["benjamini_hochberg", default: Tally()].compare(found, expected)
      }
      tallies["benjamini_hochberg", default: Tally()].cases += 1
    }
    for cycle in cases.consistency ?? [] {
      let found = CyclePattern(counts: cycle.counts)
      tallies["consistency", default: Tally()].compare(found?.consistency, cycle.consistency)
      tallies["consistency", default: Tally()].compare(found?.peakShare, cycle.share)
      tallies["consistency", default: Tally()].compare(found.map { Double($0.peak) }, Double(cycle.peak))
      tallies["consistency", default: Tally()].cases += 1
    }
    for line in cases.slope ?? [] {
      tallies["slope", default: Tally()].compare(LeastSquaresLine(line.y)?.slope, line.slope)
      tallies["slope", default: Tally()].cases += 1
    }
    for score in cases.score ?? [] {
      let found = HabitScore(days: score.values, target: 1, frequency: score.frequency)
      for (found, expected) in zip(found.values, score.scores) {
        tallies["score", default: Tally()].compare(found, expected)
      }
      tallies["score", default: Tally()].cases += 1
    }
    for days in cases.streak ?? [] {
      let found = Streak(
        days: days.days.map { CivilDate(daysSince1970: $0) },
        skips: DaySet(days.skips.map { CivilDate(daysSince1970: $0)...CivilDate(daysSince1970: $0) }),
        today: CivilDate(daysSince1970: days.today))
      tallies["streak", default: Tally()].compare(Double(found.longest), Double(days.longest))
      tallies["streak", default: Tally()].compare(Double(found.current), Double(days.current))
      tallies["streak", default: Tally()].cases += 1
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(tallies), as: UTF8.self)
  }
}
