import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence

/// Compares query results with the events themselves. The rows are in several segments, in the log and in an open unit
/// of work. Some rows have been changed or deleted.
@Suite("Queries", .timeLimit(.minutes(10)))
struct EventQueryTests {
  private static let types = ["018c2bb2-7a40-7000-8000-000000000001", "018c2bb2-7a40-7000-8000-000000000002", "walk"]
  private static let zones = ["UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]

  private static func event(_ number: Int, _ words: inout SeededGenerator) -> Event {
    let digits = String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    let word = words.next()
    // Use few distinct timestamps for many events, and some timestamps between two microseconds.
    let moment =
      switch word % 4 {
      case 0: Double(word >> 8 % 5)
      case 1: Double(word >> 8 & 0xFFFF) * 1800
      case 2: Double(word >> 8 & 0xFFFF_FFFF) / 1000
      default: Double(word >> 8 & 7) + 0.000_000_3 * Double(word >> 16 & 3)
      }
    let id =
      switch word >> 40 & 7 {
      case 0: "named-\(number)"
      case 1: "7d3c2bb2-7a40-4000-8000-\(digits)"
      // Ids with any timestamp, unrelated to the event's date.
      case 2, 3: "01\(String(0x100000 | word >> 4 & 0xFFFFF, radix: 16))-7a40-7000-8000-\(digits)"
      default: "018c2bb2-7a40-7000-8000-\(digits)"
      }
    var event = Event(
      id: id,
      eventTypeId: types[Int(word >> 44) % 3], timestamp: Date(timeIntervalSinceReferenceDate: 700_000_000 + moment))
    event.sourceType = EventSourceType.allCases[Int(word >> 48) % 5]
    event.isAllDay = word >> 52 & 1 == 0
    event.syncStatus = SyncStatus.allCases[Int(word >> 53) % 3]
    if word >> 55 & 1 == 0 { event.notes = ["Coffee", "coffee with Élodie", "", "Tea"][Int(word >> 56 & 3)] }
    if word >> 58 & 3 == 0 { event.locationName = "Café Central" }
    if word >> 58 & 3 == 1 { event.geofenceId = "home" }
    if word >> 60 & 1 == 0 { event.endDate = event.timestamp.addingTimeInterval(60) }
    if word >> 61 & 1 == 0 {
      event.properties = [
        "mug": PropertyValue(type: .text, value: "Blue"), "n": PropertyValue(type: .number, value: 1.5),
      ]
    }
    return event
  }

  @Test("events are found by a prefix of their id", arguments: 1...20 as ClosedRange<UInt64>)
  func byBeginningOfID(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    let beginnings = [
      "", "0", "018c2bb2", "018c2bb2-", "018C2BB2-7A40-7000-8", "018c2bb2-7a40-7000-8000-0000000000", "018c2bb27",
      "named",
      "named-1", "Named-12", "zzz", "1", "018c2bb2-7a40-7000-8000-000000000012-", "é",
    ]
    for beginning in beginnings + events.prefix(10).map({ String($0.id.prefix(36)) }) {
      let expected = Set(events.filter { $0.id.lowercased().hasPrefix(beginning.lowercased()) }.map(\.id))
      #expect(Set(try store.events(idBeginning: beginning, limit: .max).map(\.id)) == expected, "\(beginning)")
      #expect(try store.events(idBeginning: beginning, limit: 3).count == min(3, expected.count))
    }
  }

  @Test("the last recorded events are ordered by id, not by date", arguments: 1...20 as ClosedRange<UInt64>)
  func lastRecorded(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    // A version 7 id contains its creation time. Other events are ordered by date, with imported events last.
    func recorded(_ event: Event) -> Double {
      if let id = UUIDv7(event.id) { return id.date.timeIntervalSinceReferenceDate }
      let isImported = [.imported, .healthKit].contains(event.sourceType)
      return event.timestamp.timeIntervalSinceReferenceDate - (isImported ? 1e12 : 0)
    }
    for sources in [Set(EventSourceType.allCases), [.trip], [.trip, .manual], []] {
      let expected = events.filter { sources.contains($0.sourceType) }.map(recorded).sorted(by: >)
      for count in [0, 1, 7, 1000] {
        let found = try store.lastRecordedEvents(count, from: sources)
        #expect(found.allSatisfy { sources.contains($0.sourceType) })
        for (moment, event) in zip(expected, found) { #expect(abs(recorded(event) - moment) < 0.001) }
        #expect(found.count == min(count, expected.count))
        #expect(Set(found.map(\.id)).count == found.count)
      }
    }
  }

  private static func made(_ seed: UInt64) throws -> (store: LocalStore, events: [Event]) {
    var words = SeededGenerator(seed: seed)
    let factory = try DefaultDataStoreFactory(
      directory: "/s", fileSystem: SimulatedFileSystem(), options: .init(firstChunkBytes: 64 << 10))
    let store = factory.makeLocalStore()
    var held: [String: Event] = [:]
    for part in 0..<4 {
      for number in 0..<40 {
        let event = event(part * 25 + number, &words)
        held[event.id] = event
        try store.upsertEvent(id: event.id) { $0 = event }
      }
      for id in held.keys.sorted() where words.next() % 9 == 0 {
        held[id] = nil
        try store.deleteEvent(id: id)
      }
      // The last part stays unsaved in the unit of work.
      if part < 3 { try store.save() }
      if part < 2 { try factory.maintain(sealingAll: true) }
    }
    let events = held.values.sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }
    return (store, events)
  }

  private static func ranges(_ events: [Event], _ words: inout SeededGenerator) -> [Range<Date>?] {
    [nil]
      + (0..<6).map { _ in
        let times = (0..<2).map { _ in
          events[Int(words.next() % UInt64(events.count))].timestamp.addingTimeInterval(
            Double(words.next() % 3) * 0.000_000_3)
        }
        return times.min()!..<times.max()!
      }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `queries return the events of any range, type and limit in order`(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    var words = SeededGenerator(seed: seed ^ 77)
    for range in Self.ranges(events, &words) {
      for type in [nil] + Self.types.map(Optional.some) {
        for limit in [nil, 1, 3, 20, 1000] {
          let expected = events.filter {
            (type == nil || $0.eventTypeId == type) && range?.contains($0.timestamp) != false
          }.prefix(limit ?? .max)
          #expect(try store.events(in: range, ofType: type, limit: limit) == Array(expected))
          let rows = try store.eventRows(in: range, ofType: type, limit: limit)
          #expect(try (0..<rows.count).map { try rows.row($0).event() } == Array(expected))
        }
      }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a row has the fields of its event`(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    let rows = try store.eventRows()
    try store.save()
    try store.deleteAllEvents()
    try store.save()
    #expect(rows.count == events.count)
    for (index, event) in events.enumerated() {
      let row = try rows.row(index)
      #expect(row.identifier == event.identifier && row.eventTypeId == event.eventTypeId)
      #expect(row.timestamp == event.timestamp && row.endDate == event.endDate && row.isAllDay == event.isAllDay)
      #expect(row.sourceType == event.sourceType && row.syncStatus == event.syncStatus)
      #expect(row.notes?.text == event.notes && row.notes?.utf8Count == event.notes?.utf8.count)
      #expect(row.locationName?.text == event.locationName && row.timeZone?.text == event.timeZone)
      #expect(row.locationLatitude == event.locationLatitude && row.locationLongitude == event.locationLongitude)
      var properties: [String: PropertyValue] = [:]
      try row.forEachProperty { properties[$0] = $1 }
      #expect(properties == event.properties)
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `daily counts match the events in every time zone`(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    var words = SeededGenerator(seed: seed ^ 99)
    for name in Self.zones {
      let zone = try #require(TimeZone(identifier: name))
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      for range in Self.ranges(events, &words) {
        for type in [nil] + Self.types.map(Optional.some) {
          var expected: [Date: Int] = [:]
          for event in events
          where (type == nil || event.eventTypeId == type) && range?.contains(event.timestamp) != false {
            expected[calendar.startOfDay(for: event.timestamp), default: 0] += 1
          }
          #expect(try store.eventCountsByDay(in: range, ofType: type, timeZone: zone) == expected)
          let counts = try store.eventDayCounts(in: range, ofType: type, timeZone: zone)
          #expect(counts.map(\.day) == expected.keys.sorted() && counts.allSatisfy { expected[$0.day] == $0.count })
        }
      }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `the pages of a query together contain all matching events`(seed: UInt64) throws {
    let (store, events) = try Self.made(seed)
    var words = SeededGenerator(seed: seed ^ 55)
    func has(_ text: String?, _ part: String) -> Bool { text?.lowercased().contains(part.lowercased()) == true }
    for range in Self.ranges(events, &words).prefix(3) {
      let queries: [(EventQuery, (Event) -> Bool)] = [
        (EventQuery(range: range), { _ in true }),
        (EventQuery(range: range, eventTypeId: Self.types[2]), { $0.eventTypeId == Self.types[2] }),
        (EventQuery(range: range, sourceType: .trip), { $0.sourceType == .trip }),
        (EventQuery(range: range, geofenceId: "home"), { $0.geofenceId == "home" }),
        (EventQuery(range: range, place: "CAFÉ"), { has($0.locationName, "café") }),
        (EventQuery(range: range, text: "COFFEE"), { has($0.notes, "coffee") }),
        (EventQuery(range: range, text: "élodie"), { has($0.notes, "élodie") }),
        (EventQuery(range: range, text: "blue"), { $0.properties["mug"] != nil }),
        (
          EventQuery(range: range, sourceType: .manual, text: "tea"),
          { $0.sourceType == .manual && has($0.notes, "tea") }
        ),
      ]
      for (query, isWanted) in queries {
        let expected = events.filter { range?.contains($0.timestamp) != false && isWanted($0) }
        for limit in [1, 7, 500] {
          var found: [Event] = []
          var cursor: EventCursor?
          repeat {
            let page = try store.events(matching: query, after: cursor, limit: limit)
            #expect(page.events.count <= limit)
            found += page.events
            cursor = page.next
          } while cursor != nil
          #expect(found == expected, "\(query), \(limit) a page")
        }
      }
    }
  }

  @Test func `events of one timestamp that exceed a batch are paged through`() throws {
    let store = try DefaultDataStoreFactory(directory: "/s", fileSystem: SimulatedFileSystem()).makeLocalStore()
    for number in 0..<700 { try store.upsertEvent(id: "e\(number)") { $0.notes = "same" } }
    try store.save()
    var found: Set<String> = []
    var cursor: EventCursor?
    repeat {
      let page = try store.events(matching: EventQuery(text: "same"), after: cursor, limit: 90)
      found.formUnion(page.events.map(\.id))
      cursor = page.next
    } while cursor != nil
    #expect(found.count == 700)
  }

  #if os(Linux) && !TRENDY_PORTABLE
    @Test func `paging through a large store keeps only a part of it in memory`() throws {
      let folder = try TemporaryFolder()
      let factory = try DefaultDataStoreFactory(directory: URL(filePath: folder.path))
      let store = factory.makeLocalStore()
      let count = 30_000
      for number in 0..<count {
        try store.upsertEvent(id: "e\(number)") {
          $0.eventTypeId = "t"
          $0.timestamp = Date(timeIntervalSince1970: Double(number))
          $0.notes = String(repeating: "a note ", count: 150)
        }
      }
      try store.save()
      while try factory.maintain(sealingAll: true) {}
      let segments = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("segment-") }.map { "\(URL(filePath: folder.path).lastPathComponent)/\($0)" }
      for query in [EventQuery(), EventQuery(text: "nowhere")] {
        factory.releaseMemory()
        var (cursor, found, least, mapped): (EventCursor?, Int, Int, Int) = (nil, 0, .max, 0)
        repeat {
          let page = try store.events(matching: query, after: cursor, limit: 1000)
          found += page.events.count
          cursor = page.next
          // If all rows read so far were in memory, they would exceed half of the file from the middle on.
          guard cursor == nil || found > count / 2 else { continue }
          let memory = try segments.map { try fileMemory(of: $0) }
          least = min(least, memory.reduce(0) { $0 + $1.resident })
          mapped = memory.reduce(0) { $0 + $1.mapped }
        } while cursor != nil
        #expect(found == (query.text == nil ? count : 0))
        #expect(least < mapped / 2, "\(least) of \(mapped) KB")
      }
    }
  #endif

  @Test func `another process sees every save at once, however often it has read`() throws {
    let disk = SimulatedFileSystem()
    let writer = try EngineFixture.open(disk)
    try EngineFixture.put([0], in: writer)
    let other = try EngineFixture.open(disk.anotherProcess())
    for number in 1..<40 {
      for _ in 0..<number % 7 {
        try other.refresh()
        #expect(try other.count(kind: 1) == number)
      }
      let calls = disk.calls
      for _ in 0..<60 { try other.refresh() }
      // Without a save there are almost no system calls. The manifest is checked only on every 64th read.
      if number > 10 { #expect(disk.calls - calls < 30) }
      try EngineFixture.put([number], in: number % 2 == 0 ? writer : EngineFixture.open(disk.anotherProcess()))
      try other.refresh()
      #expect(try other.count(kind: 1) == number + 1)
      if number % 10 == 0 { try writer.maintain(sealingAll: true) }
    }
  }
}
