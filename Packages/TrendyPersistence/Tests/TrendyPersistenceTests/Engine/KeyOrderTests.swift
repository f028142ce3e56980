import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence

@Suite("Order of keys", .timeLimit(.minutes(5)))
struct KeyOrderTests {
  private struct Journal {
    let disk: SimulatedFileSystem
    let store: LocalStore
    var events: [String: Event] = [:]

    func last(_ count: Int) -> [String] {
      func made(_ event: Event) -> Int64 {
        let date = UUIDv7(event.id)?.date ?? event.timestamp
        return Int64((date.timeIntervalSince1970 * 1000).rounded())
      }
      return events.values.sorted { made($0) > made($1) }.prefix(count).map(\.id)
    }
  }

  /// - Parameter named: number of ids, out of every eight, that are not UUIDs.
  private func journal(seed: UInt64, named: UInt64) throws -> Journal {
    var generator = SeededGenerator(seed: seed)
    let disk = SimulatedFileSystem()
    let factory = try DefaultDataStoreFactory(directory: "/s", fileSystem: disk)
    var journal = Journal(disk: disk, store: factory.makeLocalStore())
    for part in 0..<2 {
      for number in 0..<6000 {
        let word = generator.next()
        let isNamed = word & 7 < named
        let milliseconds = 1_700_000_000_000 + (word >> 20) % 100_000_000 * 12_000 + UInt64(part * 6000 + number)
        let high = milliseconds << 16 | 0x7000 | word >> 8 & 0xFFF
        let id =
          isNamed ? "sample \(part) \(number)" : RowKey(high: high, low: 2 << 62 | word >> 2).uuidText
        let time = isNamed ? Double(milliseconds) / 1000 : 1_700_000_000 + Double(word >> 40)
        let event = Event(id: id, eventTypeId: "t", timestamp: Date(timeIntervalSince1970: time))
        journal.events[id] = event
        try journal.store.upsertEvent(event)
      }
      try journal.store.save()
      while try factory.maintain(sealingAll: true) {}
    }
    for id in journal.last(3) + [journal.events.keys.sorted()[77]] {
      journal.events[id] = nil
      try journal.store.deleteEvent(id: id)
    }
    try journal.store.save()
    return journal
  }

  @Test("the latest events are found, whatever their ids are", arguments: [0, 1, 7, 8] as [UInt64])
  func latest(named: UInt64) throws {
    let journal = try journal(seed: named + 11, named: named)
    for count in [1, 5, 60] {
      let found = try journal.store.lastRecordedEvents(count, from: Set(EventSourceType.allCases))
      #expect(found.map(\.id) == journal.last(count))
    }
    #expect(try journal.store.eventCount() == journal.events.count)
    #expect(try StorageEngine.verify(directory: "/s", fileSystem: journal.disk).findings.isEmpty)
  }

  @Test func `an id is found by each of its prefixes`() throws {
    let journal = try journal(seed: 5, named: 2)
    for id in journal.events.keys.sorted().enumerated().filter({ $0.offset % 1009 == 0 }).map(\.element) {
      for length in [1, 6, 9, 12, 17, 36] {
        let beginning = String(id.prefix(length))
        let expected = Set(journal.events.keys.filter { $0.hasPrefix(beginning) })
        #expect(Set(try journal.store.events(idBeginning: beginning, limit: .max).map(\.id)) == expected)
      }
    }
  }
}
