import Foundation
import PostgresTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@testable import TrendyHubPostgres

/// Tracker requests to several hubs on one database.
@Suite("PostgresTracks", .onPostgres, .timeLimit(.minutes(10)))
struct PostgresTracksTests {
  private let hubs: [PostgresHubStorage]
  private let cluster: PostgresCluster
  private let schema: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    schema = cluster.newSchema()
    let (cluster, schema) = (cluster, schema)
    hubs = try (0..<2).map { _ in try cluster.storage(schema: schema) }
  }

  private func fixes(_ range: Range<Int>) -> [TrackReading] {
    range.map { second in
      .fix(
        Location(
          coordinate: Coordinate(latitude: 52 + Double(second) / 10_000, longitude: 4.9), horizontalAccuracy: 5,
          timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(second))))
    }
  }

  @Test func `a log is processed by one hub at a time`() throws {
    let first = PostgresTracks(storage: hubs[0], user: "p")
    let second = PostgresTracks(storage: hubs[1], user: "p", wait: 0.05)
    let other = PostgresTracks(storage: hubs[1], user: "q", wait: 0.05)
    try first.withReader {
      #expect(throws: HubStorageError.self) { try second.withReader {} }
      // Meanwhile, fixes can be stored, and another user's log can be processed.
      #expect(try TrackLog(rows: second).append(fixes(0..<3), device: "d").added == 3)
      try other.withReader {}
    }
    var isCalled = false
    try second.withReader { isCalled = true }
    #expect(isCalled)
  }

  @Test func `an error releases the lease`() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try PostgresTracks(storage: hubs[0], user: "p").withReader { throw Failure() }
    }
    try PostgresTracks(storage: hubs[1], user: "p", wait: 0).withReader {}
  }

  @Test func `a hub that hung loses its lease and can no longer write`() throws {
    let slow = PostgresTracks(storage: hubs[0], user: "p", lease: .milliseconds(100))
    let quick = PostgresTracks(storage: hubs[1], user: "p")
    try slow.withReader {
      let first = try TrackLog(rows: slow).append(fixes(0..<2), device: "d")
      #expect(first.added == 2)
      // This waits until the other hub's lease has expired.
      try quick.withReader {
        let second = try TrackLog(rows: quick).append(fixes(2..<3), device: "d")
        #expect(second.added == 1)
        #expect(throws: HubStorageError.self) { try TrackLog(rows: slow).append(fixes(3..<4), device: "d") }
      }
    }
    var count = 0
    try TrackLog(rows: quick).forEach(device: "d", after: nil, through: nil) { _ in count += 1 }
    #expect(count == 3)
    // When the first call ends, it does not release the other hub's lease.
    try PostgresTracks(storage: hubs[1], user: "p", wait: 0).withReader {}
  }

  @Test func `a hub that lost its lease does not overwrite the results of the other hub`() throws {
    let servers = hubs.map { HubServer(storage: $0) }
    let user = try servers[0].accounts.createPerson(name: "Ada").id
    let slow = PostgresTracks(storage: hubs[0], user: user, lease: .milliseconds(100))
    let quick = PostgresTracks(storage: hubs[1], user: user)
    let (slowDesk, quickDesk) = (
      servers[0].ingestDesk(user: user).asReader(of: slow),
      servers[1].ingestDesk(user: user).asReader(of: quick)
    )
    try quickDesk.create(.eventType, CreateEventTypeRequest(id: "t", name: "trip", color: "#000000", icon: "car"))
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    for id in ["kept", "gone"] {
      try quickDesk.create(.event, CreateEventRequest(id: id, eventTypeId: "t", timestamp: start))
    }
    func end(_ id: String) throws -> Date? {
      let event: APIEvent? = try quickDesk.find(.event, id: id)
      return try #require(event).endDate
    }
    func write(_ desk: UserRecordService, _ id: String, end seconds: TimeInterval) throws -> Bool {
      try desk.update(.event, id: id, UpdateEventRequest(endDate: .value(start + seconds))) { (_: APIEvent) in true }
    }
    try slow.withReader {
      // This waits until the other hub's lease has expired.
      try quick.withReader {
        #expect(try write(quickDesk, "kept", end: 120))
        #expect(throws: HubStorageError.self) { try write(slowDesk, "kept", end: 60) }
        #expect(throws: HubStorageError.self) { try slowDesk.delete(.event, id: "gone") }
        #expect(throws: HubStorageError.self) {
          try slowDesk.create(.event, CreateEventRequest(id: "new", eventTypeId: "t", timestamp: start))
        }
        #expect(try end("kept") == start + 120 && end("gone") == nil)
        let new: APIEvent? = try quickDesk.find(.event, id: "new")
        #expect(new == nil)
      }
    }
  }

  /// The lease survives the loss, but the rows written under it do not.
  @Test func `a reader of a log starts again if the database loses commits`() throws {
    let rows = PostgresTracks(storage: hubs[0], user: "p")
    try rows.withReader {
      let kept = try TrackLog(rows: rows).append(fixes(0..<2), device: "d").added
      #expect(kept == 2)
      try cluster.run(
        "INSERT INTO \(schema).life (number, id, identity) SELECT max(number) + 1, 'another', 'x' FROM \(schema).life")
      #expect(throws: HubStorageError.self) { try TrackLog(rows: rows).append(fixes(2..<3), device: "d") }
      let reader = try #require(rows.reader)
      #expect(throws: HubStorageError.self) { try hubs[0].write(user: "p") { try $0.renewTrackReader(reader) } }
    }
    let added = try rows.withReader { try TrackLog(rows: rows).append(fixes(2..<3), device: "d").added }
    #expect(added == 1)
  }

  @Test func `an event changed since it was read is not written`() throws {
    let server = HubServer(storage: hubs[0])
    let desk = server.ingestDesk(user: try server.accounts.createPerson(name: "Ada").id)
    try desk.create(.eventType, CreateEventTypeRequest(id: "t", name: "trip", color: "#000000", icon: "car"))
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    try desk.create(.event, CreateEventRequest(id: "e", eventTypeId: "t", timestamp: start))
    let held: APIEvent = try #require(try desk.find(.event, id: "e"))
    func isHeld(_ event: APIEvent) -> Bool { event == held }
    let ending = UpdateEventRequest(endDate: .value(start + 60))
    #expect(try desk.update(.event, id: "e", ending, where: isHeld))
    #expect(try !desk.update(.event, id: "e", UpdateEventRequest(notes: .value("late")), where: isHeld))
    #expect(try !desk.delete(.event, id: "e", where: isHeld))
    let event: APIEvent? = try desk.find(.event, id: "e")
    #expect(event?.endDate == start + 60 && event?.notes == nil)
    #expect(try !desk.update(.event, id: "unknown", ending) { (_: APIEvent) in true })
  }

  @Test func `concurrent fixes of one device at several hubs are all stored once`() throws {
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { place in
      do {
        let log = TrackLog(rows: try hubs[place % 2].tracks(of: "p"))
        // Each range is posted to two hubs.
        for step in 0..<20 {
          let start = (place / 2 * 20 + step) * 10
          _ = try log.append(fixes(start..<start + 10), device: "d")
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    var seconds: [Int] = []
    try TrackLog(rows: hubs[0].tracks(of: "p")).forEach(device: "d", after: nil, through: nil) {
      seconds.append(Int($0.timestamp.timeIntervalSince1970) - 1_790_000_000)
    }
    #expect(seconds == Array(0..<800))
  }
}
