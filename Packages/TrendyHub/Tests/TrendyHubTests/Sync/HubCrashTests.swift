import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("Crashes and failing disks", .timeLimit(.minutes(10)))
struct HubCrashTests {
  /// A hub's disk after use and shutdown, with the hub's token and user.
  private struct Used {
    let disk: SimulatedFileSystem
    let token: String
    let user: String
  }

  private func used() async throws -> Used {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("before")
    return Used(disk: hub.disk.copy(), token: hub.token, user: hub.user.id)
  }

  private let batch: [JSONValue] = [
    TestHub.mutation(1, "create", "event", "e", TestHub.eventPayload("e")),
    TestHub.mutation(2, "update", "event", "before", ["notes": "x"]),
    TestHub.mutation(3, "create", "event", "f", TestHub.eventPayload("f", type: "nowhere")),
    TestHub.mutation(4, "delete", "event_type", "t"),
  ]

  private func hub(on disk: SimulatedFileSystem) -> HubServer {
    HubServer(storage: TestHub.openStorage(disk), clock: ManualClock(), generator: SeededGenerator(seed: 2))
  }

  private func push(_ hub: HubServer, token: String) async throws -> (status: Int, json: JSONValue) {
    let response = await hub.handle(
      HTTPRequest(
        id: "r", method: "POST", target: "/api/v1/mutations",
        headers: HTTPHeaders([("Authorization", "Bearer \(token)")]),
        body: try WireJSON.encode(["device": "d", "acked_through": 0, "mutations": .array(batch)] as JSONValue)))
    return (response.status, try WireJSON.decode(JSONValue.self, from: try await response.collectedBody()))
  }

  /// Checks that the record contains all of the batch or none of it, including head, high-water mark and outcomes.
  private func hasAll(_ storage: EmbeddedHubStorage, user: String) throws -> Bool {
    try storage.read(user: user) { reading in
      let mark = try reading.mark(device: "d")
      let entries = try reading.entries(after: 0, limit: 100)
      let outcomes = try (1...4).map { try reading.outcome(device: "d", sequence: $0) != nil }
      let head = try reading.state().head
      if mark == 0 {
        #expect(head == 2)
        #expect(entries.map(\.id) == ["t", "before"])
        #expect(outcomes == [false, false, false, false])
        return false
      }
      #expect(mark == 4)
      #expect(head == 7)
      // The deleted type and its children are tombstones, in order of version.
      #expect(entries.map(\.id) == ["e", "before", "t"])
      #expect(entries.allSatisfy { !$0.isAlive })
      #expect(Set(entries.map(\.version)) == [5, 6, 7])
      #expect(outcomes == [true, true, true, true])
      return true
    }
  }

  private static let expected: [String?] = ["accepted", "accepted", "refused", "accepted"]

  @Test(
    "a power cut during a push leaves all of it or nothing, and a retry applies it once",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: 1), .random(seed: 2), .random(seed: 3)])
  func powerOff(loss: SimulatedFileSystem.Loss) async throws {
    let used = try await used()
    var change = 1
    var crashes = 0
    while true {
      let disk = used.disk.copy()
      let first = hub(on: disk)
      disk.powerOff(beforeChange: change)
      let answer = try await push(first, token: used.token)
      let wasCut = disk.isOff
      disk.powerOff(beforeChange: .max)
      disk.restart(losing: loss)
      let isThere = try hasAll(TestHub.openStorage(disk), user: used.user)
      if answer.status == 200 {
        #expect(isThere, "confirmed before change \(change), and gone")
      } else {
        #expect(answer.status == 500, "change \(change)")
      }
      let again = try await push(hub(on: disk), token: used.token)
      #expect(again.status == 200)
      #expect(again.json["outcomes"].arrayValue?.map { $0["status"].stringValue } == Self.expected)
      #expect(try hasAll(TestHub.openStorage(disk), user: used.user))
      guard wasCut else { break }
      crashes += 1
      change += 1
      try #require(change < 200)
    }
    // The push writes the epoch and the batch, each with at least one write and one sync.
    #expect(crashes >= 4)
  }

  @Test(
    "a failed file operation loses nothing, and the hub recovers without a restart",
    arguments: [(ENOSPC, 507), (EIO, 500)])
  func failingDisk(code: Int32, status: Int) async throws {
    let used = try await used()
    var call = 1
    var statuses: Set<Int> = []
    while true {
      let disk = used.disk.copy()
      let server = hub(on: disk)
      disk.fail(.init(call: call, code: code))
      let answer = try await push(server, token: used.token)
      let wasMet = disk.metFault
      disk.fail(nil)
      statuses.insert(answer.status)
      if answer.status == 200 { #expect(try hasAll(TestHub.openStorage(disk.anotherProcess()), user: used.user)) }
      let again = try await push(server, token: used.token)
      #expect(again.status == 200, "after call \(call): \(again.json)")
      #expect(again.json["outcomes"].arrayValue?.map { $0["status"].stringValue } == Self.expected)
      #expect(try hasAll(TestHub.openStorage(disk.anotherProcess()), user: used.user))
      guard wasMet else { break }
      call += 1
      try #require(call < 300)
    }
    #expect(statuses.contains(status), "\(statuses)")
  }

  @Test func `a disk error is logged but not included in the response`() async throws {
    let used = try await used()
    let disk = used.disk.copy()
    let log = Mutex<[AccessLogEntry]>([])
    let server = HubServer(
      storage: TestHub.openStorage(disk), clock: ManualClock(), log: { entry in log.withLock { $0.append(entry) } })
    disk.fail(.init(call: 1, code: EIO, isForever: true))
    let answer = try await push(server, token: used.token)
    #expect(answer.status == 500)
    #expect(answer.json["type"] == "urn:trendy:error:internal")
    #expect(answer.json["detail"].stringValue?.contains("/hub") == false)
    let entry = try #require(log.withLock { $0 }.first)
    #expect(entry.requestId == "r" && entry.status == 500)
    #expect(entry.failure?.contains("/hub") == true)
  }

  @Test func `a full disk is reported as storage_full, and writes succeed again when space is free`() async throws {
    let used = try await used()
    let disk = used.disk.copy()
    let server = hub(on: disk)
    disk.setCapacity(disk.usedBytes)
    var number = 0
    var refusal: HTTPResponse?
    while refusal == nil {
      number += 1
      try #require(number < 400)
      let body: JSONValue = [
        "id": .string("t\(number)"), "name": "x", "color": "c", "icon": "i",
        "padding": .string(String(repeating: "x", count: 2000)),
      ]
      let response = await server.handle(
        HTTPRequest(
          id: "r", method: "POST", target: "/api/v1/event-types",
          headers: HTTPHeaders([("Authorization", "Bearer \(used.token)")]), body: try WireJSON.encode(body)))
      if response.status != 201 { refusal = response }
    }
    let answer = try #require(refusal)
    #expect(answer.status == 507)
    let json = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(json["type"] == "urn:trendy:error:storage_full")
    let list = await server.handle(
      HTTPRequest(
        id: "r", method: "GET", target: "/api/v1/event-types",
        headers: HTTPHeaders([("Authorization", "Bearer \(used.token)")])))
    #expect(list.status == 200)
    let types = try WireJSON.decode(JSONValue.self, from: try await list.collectedBody())
    #expect(types.arrayValue?.count == number)
    disk.setCapacity(nil)
    #expect(try await push(server, token: used.token).status == 200)
  }

  @Test func `only one hub at a time serves a directory, and a released lock can be taken again`() throws {
    let disk = SimulatedFileSystem()
    var first = try TestHub.openStorage(disk).acquireExclusiveAccess()
    #expect(first != nil)
    let second = TestHub.openStorage(disk.anotherProcess())
    #expect(
      throws: HubStorageError.occupied(
        "another hub is using /hub: stop it, or choose another folder for this hub")
    ) { try second.acquireExclusiveAccess() }
    #expect(throws: Never.self) { try HubAccounts(storage: second).createPerson(name: "Anna") }
    first = nil
    #expect(try second.acquireExclusiveAccess() != nil)
  }
}
