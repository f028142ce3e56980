import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("A hub's backup", .timeLimit(.minutes(10)))
struct HubBackupTests {
  private let core = HubCore()

  private func write(_ storage: EmbeddedHubStorage, _ person: String, _ mutations: HubMutation..., now: Date) throws {
    try storage.writeDirectory { try $0.put(HubPerson(id: person, name: person, createdAt: now)) }
    for mutation in mutations {
      let outcome = try storage.write(person: person) {
        try core.judge(mutation, device: "d", in: $0, now: now)
      }
      #expect(outcome.version != nil)
    }
  }

  private func type(_ id: String) -> HubMutation {
    HubMutation(
      kind: "event_type", id: id, operation: .create,
      content: .members(["name": "Coffee", "color": "#000000", "icon": "cup"]))
  }

  private func head(_ storage: EmbeddedHubStorage, _ person: String) throws -> Int64 {
    try storage.read(person: person) { try $0.state().head }
  }

  @Test("holds every person and every device, whatever they are called", arguments: ["0198-a", "Ämma/..", "directory"])
  func roundTrip(person: String) throws {
    let hub = try TestHub()
    let now = hub.clock.now
    try write(hub.storage, person, type("t"), type("u"), now: now)
    try write(hub.storage, hub.person.id, type("v"), now: now)
    let summary = try hub.storage.backUp(to: "/backup", now: now)
    #expect(summary.records.count == 3)
    #expect(throws: StorageError.exists(path: "/backup")) { try hub.storage.backUp(to: "/backup", now: now) }
    // To a hub that lost everything.
    let other = EmbeddedHubStorage(directory: "/other", fileSystem: hub.disk)
    let report = try other.restore(from: "/backup", keptIn: "/kept", now: now)
    #expect(report.kept.isEmpty)
    #expect(try head(other, person) == 2 && head(other, hub.person.id) == 1)
    #expect(try HubAccounts(storage: other).device(token: hub.token).name == "phone")
    #expect(try other.read(person: person) { try $0.allLines() }.count == 2)
  }

  @Test func `a hub that was put back says so to a device that knows more, and what it held is kept`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    _ = try hub.storage.backUp(to: "/backup", now: hub.clock.now)
    try await hub.makeEvent("e")
    let seen = try await hub.send("GET", "/changes/latest-cursor")
    let known = "seen=2&epoch=\(seen["epoch"].stringValue ?? "")&device=d"
    #expect(try await hub.send("GET", "/changes?since=2&\(known)").status == 200)
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    let report = try next.restore(from: "/backup", keptIn: "/kept", now: hub.clock.now)
    #expect(report.kept == ["/kept"])
    let server = HubServer(storage: next, clock: hub.clock, generator: SeededGenerator(seed: 9))
    let answer = await server.handle(
      HTTPRequest(
        id: "r", method: "GET", target: "/api/v1/changes?since=2&\(known)",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
    let problem = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(answer.status == 409 && problem["type"] == "urn:trendy:error:log_reset" && problem["head"] == 1)
    // And back again, from what was kept.
    let again = TestHub.openStorage(hub.disk.anotherProcess())
    _ = try again.restore(from: "/kept", keptIn: "/kept2", now: hub.clock.now)
    #expect(try head(again, hub.person.id) == 2)
  }

  @Test func `one from before the horizon is refused, as it would bring back what was deleted, unless forced`() throws {
    let storage = TestHub.openStorage(SimulatedFileSystem())
    let start = Date(timeIntervalSince1970: 1_704_067_200)
    try write(storage, "p", type("t"), type("u"), now: start)
    _ = try storage.backUp(to: "/old", now: start)
    try write(storage, "p", HubMutation(kind: "event_type", id: "t", operation: .delete), now: start)
    _ = try storage.backUp(to: "/young", now: start)
    let later = start.addingTimeInterval(91 * 86_400)
    #expect(try storage.write(person: "p") { try core.compact(limit: 9, in: $0, now: later) } == 1)
    #expect(throws: EmbeddedHubStorage.StaleBackup(people: ["p"])) {
      try storage.restore(from: "/old", keptIn: "/kept", now: later)
    }
    #expect(try head(storage, "p") == 3)
    // As old as the horizon is old enough.
    _ = try storage.restore(from: "/young", keptIn: "/kept", now: later)
    _ = try storage.restore(from: "/old", keptIn: "/kept2", now: later, isForced: true)
  }

  @Test func `no backup is put in the place of what a hub serves`() throws {
    let disk = SimulatedFileSystem()
    let serving = TestHub.openStorage(disk)
    let occupation = try serving.occupy()
    try write(serving, "p", type("t"), now: .distantPast)
    // A backup is made beside it.
    _ = try serving.backUp(to: "/backup", now: .distantPast)
    #expect(throws: HubStorageError.self) {
      try TestHub.openStorage(disk.anotherProcess()).restore(from: "/backup", keptIn: "/kept", now: .distantPast)
    }
    withExtendedLifetime(occupation) {}
  }

  @Test func `a file that is no backup touches nothing`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    #expect(throws: StorageError.self) {
      try next.restore(from: "/hub/hub.lock", keptIn: "/kept", now: hub.clock.now)
    }
    #expect(try head(next, hub.person.id) == 1)
  }
}
