import Foundation
import SampleRecord
import Testing
import TrendyInsights
import TrendyModels

@Suite struct SampleRecordTests {
  private static let local = LocalTime(isUTC: true)
  private static let today = CivilDate(year: 2026, month: 11, day: 20)

  private func life(seed: UInt64 = 1, days: Int = 1095) throws -> SampleRecord {
    try SampleRecord(seed: seed, today: Self.today, days: days, local: Self.local)
  }

  @Test func `The same seed generates the same record`() throws {
    #expect(try Array(life(days: 60).events) == Array(life(days: 60).events))
    #expect(try Array(life(days: 60).events) != Array(life(seed: 2, days: 60).events))
  }

  @Test func `A longer record ends with the same days`() throws {
    let day = Self.today.advanced(by: -3)
    #expect(try !life(days: 60).events(on: day).isEmpty)
    #expect(try life(days: 60).events(on: day) == life(days: 90).events(on: day))
  }

  @Test func `Every event has a known type, a unique id and a time on its day`() throws {
    let life = try life()
    let events = Array(life.events)
    #expect(events.count > 8000)
    #expect(Set(events.map(\.id)).count == events.count)
    #expect(Set(events.map(\.eventTypeId)) == Set(life.types.map(\.type.id)))
    #expect(events.allSatisfy { $0.endDate ?? .distantFuture > $0.timestamp })
    let defined = Dictionary(uniqueKeysWithValues: life.types.map { ($0.type.id, Set($0.definitions.map(\.key))) })
    #expect(events.allSatisfy { Set($0.properties.keys).isSubset(of: defined[$0.eventTypeId] ?? []) })
    let days = Set(events.map { Self.local.day(of: $0) })
    #expect(life.days.allSatisfy(days.contains))
  }

  /// The seeds differ from the seeds used while the generator was developed.
  @Test(arguments: 100..<120)
  func `Built-in correlations are found`(seed: UInt64) throws {
    let life = try life(seed: seed, days: 365)
    let events = Dictionary(grouping: life.events, by: \.eventTypeId)
    let names = Dictionary(uniqueKeysWithValues: life.types.map { ($0.type.id, $0.type.name) })
    let histories = events.mapValues { TypeHistory($0, today: Self.today, local: Self.local) }
    let found = CorrelationSearch(among: histories).strongest
    func relation(_ first: String, _ second: String, lag: Int) -> CorrelationFinding? {
      found.first {
        $0.lag == lag
          && (lag == 1
            ? [names[$0.first], names[$0.second]] == [first, second]
            : Set([names[$0.first], names[$0.second]]) == [first, second])
      }
    }
    #expect(try #require(relation("run", "stretching", lag: 0)).correlation.r > 0.5)
    #expect(try #require(relation("wine", "headache", lag: 1)).correlation.r > 0.25)
    #expect(try #require(relation("reading", "television", lag: 0)).correlation.r < -0.3)
  }
}
