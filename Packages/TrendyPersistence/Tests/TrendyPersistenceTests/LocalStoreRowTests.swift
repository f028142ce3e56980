import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("Rows of LocalStore", .timeLimit(.minutes(10)))
struct LocalStoreRowTests {
  let engine: StorageEngine
  let store: LocalStore
  private let event: UInt8 = 1

  init() throws {
    engine = try StorageEngine.open(
      directory: "/s", fileSystem: SimulatedFileSystem(), options: .init(firstChunkBytes: 64 << 10))
    store = LocalStore(engine: engine)
  }

  private func replace(_ record: Row, payload: [UInt8]) throws(StorageError) {
    try engine.write { transaction throws(StorageError) in
      try transaction.put(
        kind: record.kind, key: record.key, sort: record.sort, group: record.group, payload: payload)
    }
  }

  @Test func `a field of a newer version is kept by an edit`() throws {
    try store.upsertEvent(id: "a") { $0.notes = "before" }
    try store.save()
    let record = try #require(try engine.scan(kind: event).first)
    // Field 22 is an integer. Field 300 has three bytes.
    let later: [UInt8] = [22 << 2, 7, 0xB3, 0x09, 3, 1, 2, 3]
    try replace(record, payload: record.payload + later)
    #expect(try store.findEvent(id: "a")?.notes == "before")
    try store.upsertEvent(id: "a") { $0.notes = "after, and longer" }
    try store.markEventSynced(id: "a")
    try store.save()
    #expect(try store.findEvent(id: "a")?.notes == "after, and longer")
    #expect(try engine.scan(kind: event).first?.payload.suffix(later.count) == later[...])
  }

  @Test func `an unreadable row throws an error with its key`() throws {
    try store.upsertEvent(id: "018c2bb2-7a40-7000-8000-000000000001") { $0.sourceType = .trip }
    try store.save()
    let record = try #require(try engine.scan(kind: event).first)
    let failure = StorageError.unreadableRow(kind: event, key: record.key)
    for length in 0..<record.payloadCount {
      try replace(record, payload: Array(record.payload.prefix(length)))
      do {
        // A row that is cut between two fields may still be valid.
        _ = try store.fetchAllEvents()
      } catch {
        #expect(error as? StorageError == failure)
      }
    }
    // Traits with source 7, which this version does not know.
    try replace(record, payload: record.payload + [20 << 2, 7 << 3 | 1 << 1])
    #expect(throws: failure) { _ = try store.findEvent(id: "018c2bb2-7a40-7000-8000-000000000001") }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `random bytes in a row are an error or a row, never a crash`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let full = LocalStoreTests.fullEvent
    try store.upsertEvent(id: full.id) { $0 = full }
    try store.save()
    let record = try #require(try engine.scan(kind: event).first)
    var payload = record.payload
    for _ in 0..<1 + generator.next() % 4 {
      payload[Int(generator.next() % UInt64(payload.count))] = UInt8(truncatingIfNeeded: generator.next())
    }
    try replace(record, payload: payload)
    do {
      _ = try store.fetchAllEvents()
    } catch {
      #expect(error as? StorageError == .unreadableRow(kind: event, key: record.key))
    }
  }

  @Test func `identifiers with equal hashes are kept separate`() throws {
    try store.upsertEvent(id: "first") { $0.notes = "first" }
    try store.save()
    let first = try #require(try engine.scan(kind: event).first)
    // Store the row as if "first" had the same hash as "second".
    let hash = RowKey(hashing: "second")
    try engine.write { transaction throws(StorageError) in
      let key = RowKey(high: hash.high, low: hash.low & ~7)
      try transaction.put(kind: event, key: key, sort: 0, payload: first.payload)
    }
    #expect(try store.findEvent(id: "second") == nil)
    try store.upsertEvent(id: "second") { $0.notes = "second" }
    try store.save()
    #expect(try store.findEvent(id: "second")?.notes == "second")
    #expect(try engine.count(kind: event) == 3)
    // The row is still found after the row with the colliding key has been deleted.
    try engine.write { transaction throws(StorageError) in
      transaction.delete(kind: event, key: RowKey(high: hash.high, low: hash.low & ~7))
    }
    #expect(try store.findEvent(id: "second")?.notes == "second")
    try store.upsertEvent(id: "second") { $0.notes = "again" }
    try store.deleteEvent(id: "second")
    try store.save()
    #expect(try store.fetchAllEvents().map(\.id) == ["first"])
  }

  @Test func `an edit without a change writes nothing`() throws {
    let disk = SimulatedFileSystem()
    let store = try DefaultDataStoreFactory(directory: "/s", fileSystem: disk).makeLocalStore()
    let full = LocalStoreTests.fullEvent
    try store.upsertEvent(id: full.id) { $0 = full }
    try store.save()
    let before = disk.contents("/s/log-1")
    try store.upsertEvent(id: full.id) { $0 = full }
    try store.deleteEvent(id: "never there")
    try store.save()
    #expect(disk.contents("/s/log-1") == before)
  }

  @Test(
    "daily counts match a calendar",
    arguments: [
      "UTC", "Europe/Amsterdam", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe",
      "Pacific/Apia", "Asia/Kathmandu", "Africa/Casablanca", "America/New_York",
    ])
  func days(zone: String) throws {
    let timeZone = try #require(TimeZone(identifier: zone))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    var generator = SeededGenerator(seed: 7)
    var dates: [Date] = []
    // 2009 to 2019, with many dates near clock changes.
    for number in 0..<1500 {
      var seconds = 1_230_768_000 + Double(generator.next() % 347_000_000)
      if number.isMultiple(of: 2) {
        let change = timeZone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: seconds))
        if let change { seconds = change.timeIntervalSince1970 + Double(generator.next() % 400_000) - 200_000 }
      }
      dates.append(Date(timeIntervalSince1970: seconds))
    }
    for (number, date) in dates.enumerated() {
      try store.upsertEvent(id: "\(number)") { event in
        event.timestamp = date
        event.eventTypeId = "\(number % 3)"
      }
    }
    try store.save()
    func expected(_ range: Range<Date>?, _ type: Int?) -> [Date: Int] {
      var counts: [Date: Int] = [:]
      for (number, date) in dates.enumerated()
      where (range?.contains(date) ?? true) && (type == nil || number % 3 == type) {
        counts[calendar.startOfDay(for: date), default: 0] += 1
      }
      return counts
    }
    #expect(try store.eventCountsByDay(in: nil, ofType: nil, timeZone: timeZone) == expected(nil, nil))
    #expect(try store.eventCountsByDay(in: nil, ofType: "1", timeZone: timeZone) == expected(nil, 1))
    for _ in 0..<20 {
      let edges = [dates.randomElement(using: &generator), dates.randomElement(using: &generator)].compactMap(\.self)
      let range = edges[0] < edges[1] ? edges[0]..<edges[1] : edges[1]..<edges[0]
      #expect(try store.eventCountsByDay(in: range, ofType: nil, timeZone: timeZone) == expected(range, nil))
      #expect(try store.eventCountsByDay(in: range, ofType: "2", timeZone: timeZone) == expected(range, 2))
    }
    #expect(try store.eventCountsByDay(in: nil, ofType: "none", timeZone: timeZone).isEmpty)
  }

  @Test func `a range is exact to the last bit of its bounds`() throws {
    let edge = Date(timeIntervalSinceReferenceDate: 700_000_000.000_000_5)
    for (id, date) in [
      ("below", edge.timeIntervalSinceReferenceDate.nextDown), ("at", edge.timeIntervalSinceReferenceDate),
      ("above", edge.timeIntervalSinceReferenceDate.nextUp),
    ] {
      try store.upsertEvent(id: id) { $0.timestamp = Date(timeIntervalSinceReferenceDate: date) }
    }
    let utc = try #require(TimeZone(identifier: "UTC"))
    for range in [edge..<edge + 1, edge - 1..<edge] {
      let expected = range.lowerBound == edge ? ["above", "at"] : ["below"]
      #expect(try store.events(in: range, ofType: nil, limit: nil).map(\.id) == expected)
      #expect(try store.events(in: range, ofType: nil, limit: 1).map(\.id) == Array(expected.prefix(1)))
      let counts = try store.eventCountsByDay(in: range, ofType: nil, timeZone: utc)
      #expect(Array(counts.values) == [expected.count])
    }
  }

  @Test(arguments: [-Double.infinity, -1e300, -63_114_076_800, 63_113_904_000, 1e300, .infinity])
  func `an extreme date is stored and found`(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    try store.upsertEvent(id: "a") { $0.timestamp = date }
    try store.save()
    #expect(try store.fetchAllEvents().map(\.timestamp) == [date])
    for number in 0..<3 {
      try store.upsertEvent(id: "\(number)") {
        $0.timestamp = Date(timeIntervalSinceReferenceDate: 86_400.5 * Double(number))
      }
    }
    let utc = try #require(TimeZone(identifier: "UTC"))
    let counts = try store.eventCountsByDay(in: nil, ofType: nil, timeZone: utc)
    #expect(counts.count == 4 && counts.values.allSatisfy { $0 == 1 })
    #expect(counts[Date(timeIntervalSinceReferenceDate: 86_400)] == 1)
    let some = Date(timeIntervalSinceReferenceDate: 86_400.5)..<Date(timeIntervalSinceReferenceDate: 1e11)
    #expect(
      try store.eventCountsByDay(in: some, ofType: nil, timeZone: utc).values.reduce(0, +)
        == (seconds == 63_113_904_000 ? 3 : 2))
  }
}
