import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Damages samples of every format. Everything that is not imported must be counted.
@Suite("Reports of skipped data", .timeLimit(.minutes(10)))
struct NothingDroppedTests {
  @Test("every format has a sample that is imported", arguments: InterchangeFormat.readable.map(\.word))
  func complete(word: String) throws {
    for sample in try #require(FormatSamples.samples[word]) {
      let outcome = sample.outcome
      #expect(!outcome.isRefused && outcome.count > 0)
    }
  }

  @Test("damaged data is imported or reported", arguments: InterchangeFormat.readable.map(\.word))
  func damaged(word: String) throws {
    for sample in try #require(FormatSamples.samples[word]) {
      let whole = sample.outcome
      for (path, bytes) in sample.files.sorted(by: { $0.key < $1.key }) {
        var damage = SampleDamage(bytes, seed: 44)
        for kind in SampleDamage.Kind.allCases {
          for copy in damage.copies(kind) {
            var damaged = sample
            damaged.files[path] = copy.bytes
            let outcome = damaged.outcome
            let isStrict = (kind == .token || kind == .line) && !copy.isFirstLine
            let isReported =
              outcome.isRefused || outcome.count == 0 || outcome.reports > whole.reports
              || outcome.problems > whole.problems
            let isKept =
              isReported || (isStrict ? outcome.records == whole.records : outcome.count >= whole.count)
              || outcome.records.contains { "\($0)".contains(copy.text) }
            #expect(
              isKept,
              "\(word), \(kind), \(path) \(copy.place): \(outcome.count) of \(whole.count), \(outcome.reports) reports")
          }
        }
      }
    }
  }
}
