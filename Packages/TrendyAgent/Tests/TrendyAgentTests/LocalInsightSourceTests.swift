import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("LocalInsightSource", .timeLimit(.minutes(10)))
struct LocalInsightSourceTests {
  private let local = LocalTime(isUTC: true)
  private let today = CivilDate(year: 2026, month: 11, day: 20)
  private let store: LocalStore

  init() throws {
    let engine = try StorageEngine.open(directory: "/store", fileSystem: SimulatedFileSystem())
    store = LocalStore(engine: engine)
    // One event every seven hours, up to the end of tomorrow. One type has only future events.
    for number in 0..<300 {
      try store.upsertEvent(id: "event-\(number)") {
        $0.eventTypeId = number < 4 ? "later" : "type-\(number % 3)"
        $0.timestamp = local.midnight(of: today.advanced(by: 2)).addingTimeInterval(Double(number) * -25_200 - 60)
        $0.isAllDay = number % 20 == 19
        $0.timeZone = number % 4 == 0 ? "Pacific/Auckland" : nil
        $0.sourceType = number % 3 == 1 ? .trip : .manual
      }
    }
    try store.save()
  }

  @Test func `histories match the events and exclude future ones`() throws {
    let found = try LocalInsightSource(store: store, local: local).histories(through: today)
    let expected = Dictionary(grouping: try store.fetchAllEvents(), by: \.eventTypeId)
      .mapValues { TypeHistory($0, today: today, local: local) }.filter { $0.value.events > 0 }
    #expect(found == expected)
    for type in ["type-0", "type-1", "later", "none"] {
      let own = try LocalInsightSource(store: store, local: local).history(ofType: type, through: today)
      #expect(own == expected[type] ?? TypeHistory([], today: today, local: local))
    }
    let some = try LocalInsightSource(store: store, local: local).histories(
      of: ["type-0", "later", "none"], through: today)
    #expect(some == expected.filter { ["type-0", "later"].contains($0.key) })
    #expect(found["type-1"]?.isOfPosition == true && found["later"]?.events ?? 0 < 4)
    let earlier = try LocalInsightSource(store: store, local: local).histories(through: today.advanced(by: -30))
    #expect(earlier["type-0"]?.today == today.advanced(by: -30))
    #expect(earlier["type-0"]?.events ?? 0 < expected["type-0"]?.events ?? 0)
  }
}
