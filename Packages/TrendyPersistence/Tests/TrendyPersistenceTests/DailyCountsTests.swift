import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence

@Suite("Counts by type, day and minute", .timeLimit(.minutes(10)))
struct DailyCountsTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)
  private let disk = SimulatedFileSystem()
  private let cache = URL(filePath: "/cache/insights")
  private let local: LocalTime = {
    var local = LocalTime(isUTC: true)
    local.dayStart = 14_400
    return local
  }()

  private func factory() throws -> DefaultDataStoreFactory {
    try DefaultDataStoreFactory(directory: "/store", fileSystem: disk.anotherProcess())
  }

  private func counted(_ store: LocalStore) throws -> [String: [CivilDate: Int]] {
    try store.fetchAllEvents().reduce(into: [:]) {
      $0[$1.eventTypeId, default: [:]][local.day(of: $1), default: 0] += 1
    }
  }

  private func check(_ store: LocalStore, _ comment: Comment) throws {
    // Count some types first, because that can create the cache files for all types.
    let some: Set = ["type-1", "type-3", "none"]
    let few = try store.eventTally(in: local, ofTypes: some, cache: cache)
    let tally = try store.eventTally(in: local, cache: cache)
    #expect(few.types == tally.types.filter { some.contains($0.key) }, comment)
    let events = Dictionary(grouping: try store.fetchAllEvents(), by: \.eventTypeId)
    #expect(Set(tally.types.keys) == Set(events.keys), comment)
    for (type, counts) in tally.types {
      let days = counts.days.enumerated().reduce(into: [CivilDate: Int]()) {
        if $1.element != 0 { $0[counts.firstDay.advanced(by: $1.offset)] = Int($1.element) }
      }
      #expect(try days == counted(store)[type], comment)
      let own = events[type] ?? []
      let minutes = own.compactMap { local.minuteOfDay(of: $0) }.reduce(into: [Int32](repeating: 0, count: 1440)) {
        $0[$1] += 1
      }
      #expect(counts.minutes == minutes, comment)
      #expect(counts.events == own.count, comment)
      #expect(counts.eventsOfPosition == own.count { $0.sourceType.isOfPosition }, comment)
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `counts match the events through edits, deletions, sealing and merges`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let factory = try factory()
    var ids: [String] = []
    for round in 0..<12 {
      let store = factory.makeLocalStore()
      for _ in 0..<40 {
        switch random.next() % 10 {
        case 0 where !ids.isEmpty:
          let place = Int(random.next() % UInt64(ids.count))
          try store.deleteEvent(id: ids.remove(at: place))
        case 1,
          2 where !ids.isEmpty:
          let id = ids[Int(random.next() % UInt64(ids.count))]
          try store.upsertEvent(id: id) { $0.timestamp.addTimeInterval(Double(random.next() % 400_000) - 200_000) }
        default:
          let id = "event-\(seed)-\(round)-\(random.next())"
          try store.upsertEvent(id: id) {
            $0.eventTypeId = "type-\(random.next() % 4)"
            $0.timestamp = Self.start.addingTimeInterval(Double(random.next() % 40_000_000))
            $0.isAllDay = random.next() % 9 == 0
            $0.timeZone = [nil, "UTC", "Pacific/Auckland", "America/New_York"][Int(random.next() % 4)]
            $0.sourceType = EventSourceType.allCases[Int(random.next() % 5)]
          }
          ids.append(id)
        }
      }
      try check(store, "unsaved in round \(round)")
      try store.save()
      try check(factory.makeLocalStore(), "saved in round \(round)")
      if round % 3 == 1 {
        while try factory.maintain(sealingAll: true) {}
        try check(factory.makeLocalStore(), "sealed in round \(round)")
        try check(self.factory().makeLocalStore(), "kept in round \(round)")
      }
    }
    let kept = disk.files.filter { $0.hasPrefix("/cache/insights/") }
    let sealed = disk.files.filter { $0.hasPrefix("/store/segment-") }
    #expect(!kept.isEmpty && kept.count <= sealed.count, "\(kept) \(sealed)")
  }

  @Test(
    "segments may contain any days of a type in any order",
    arguments: [
      [0...100, 50...150], [50...150, 0...100], [0...100, 20...30], [20...30, 0...100], [0...9, 90...99],
    ])
  func overlappingSegments(days: [ClosedRange<Int>]) throws {
    let factory = try factory()
    for (part, days) in days.enumerated() {
      let store = factory.makeLocalStore()
      for day in days {
        try store.upsertEvent(id: "event-\(part)-\(day)") {
          $0.eventTypeId = "t"
          $0.timestamp = Self.start.addingTimeInterval(Double(day) * 86_400)
        }
      }
      try store.save()
      try factory.maintain(sealingAll: true)
    }
    #expect(disk.files.count { $0.hasPrefix("/store/segment-") } == days.count)
    try check(factory.makeLocalStore(), "counted")
    try check(factory.makeLocalStore(), "kept")
  }

  @Test func `cached counts that are damaged or of another segment or zone are not used`() throws {
    let factory = try factory()
    let store = factory.makeLocalStore()
    for number in 0..<50 {
      try store.upsertEvent(id: "event-\(number)") {
        $0.eventTypeId = "t"
        $0.timestamp = Self.start.addingTimeInterval(Double(number) * 7_777)
      }
    }
    try store.save()
    while try factory.maintain(sealingAll: true) {}
    try check(factory.makeLocalStore(), "counted")
    let path = try #require(disk.files.first { $0.hasPrefix("/cache/insights/") })
    let file = try disk.open(path, .readWrite)
    let size = try file.size()
    for offset in [0, 20, 48, 64, 100, size - 9, size - 1] {
      var byte: [UInt8] = [0]
      try byte.withUnsafeMutableBytes { _ = try file.read(into: $0, at: offset) }
      try disk.open(path, .readWrite).write([byte[0] ^ 0x41], at: offset)
      try check(factory.makeLocalStore(), "damaged at \(offset)")
    }
    try disk.open(path, .readWrite).truncate(to: 70)
    try check(factory.makeLocalStore(), "cut")
    let other = LocalTime(isUTC: true)
    let tally = try factory.makeLocalStore().eventTally(in: other, cache: cache)
    #expect(tally == (try factory.makeLocalStore().eventTally(in: other)))
    try check(factory.makeLocalStore(), "another beginning of the day")
  }

  @Test func `a date centuries away is reported and needs no memory`() throws {
    let store = try factory().makeLocalStore()
    for (id, seconds) in [("now", 0.0), ("far", 2e11)] {
      try store.upsertEvent(id: id) {
        $0.eventTypeId = "t"
        $0.timestamp = Self.start.addingTimeInterval(seconds)
      }
    }
    try store.save()
    let counts = try #require(try store.eventTally(in: local).types["t"])
    #expect(counts.isTooFar && counts.events == 2 && counts.days.count < 10)
  }
}
