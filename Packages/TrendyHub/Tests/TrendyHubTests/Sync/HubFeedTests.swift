import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels

@Suite("Feed and snapshot", .timeLimit(.minutes(10)))
struct HubFeedTests {
  private func snapshot(_ hub: TestHub, device: String? = nil) async throws -> (SnapshotHeader, [ChangeEntry]) {
    try await lines(hub, "/snapshot" + (device.map { "?device=\($0)" } ?? ""))
  }

  private func part(_ hub: TestHub, _ name: String) async throws -> (SnapshotHeader, [ChangeEntry]) {
    try await lines(hub, "/snapshot?part=\(name)")
  }

  private func lines(_ hub: TestHub, _ target: String) async throws -> (SnapshotHeader, [ChangeEntry]) {
    let answer = try await hub.send("GET", target)
    #expect(answer.headers["Content-Type"] == "application/x-ndjson")
    let lines = answer.body.split(separator: UInt8(ascii: "\n"))
    let first = try #require(lines.first)
    return (
      try WireJSON.decode(SnapshotHeader.self, from: Data(first)),
      try lines.dropFirst().map { try WireJSON.decode(ChangeEntry.self, from: Data($0)) }
    )
  }

  @Test func `pages of any size reach the head in order`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    for number in 1...6 { try await hub.makeEvent("e\(number)") }
    _ = try await hub.send("PATCH", "/events/e2", ["notes": "x"])
    for limit in [1, 2, 3, 7, 500] {
      var cursor: Int64 = 0
      var seen: [String] = []
      while true {
        let page = try await hub.changes(since: cursor, limit: limit)
        #expect(page.changes.count <= limit)
        #expect(page.nextCursor > cursor)
        seen += page.changes.map(\.entityId)
        cursor = page.nextCursor
        if !page.hasMore { break }
      }
      #expect(seen == ["t", "e1", "e3", "e4", "e5", "e6", "e2"])
      #expect(cursor == 8)
    }
    let end = try await hub.changes(since: 8)
    #expect(end.changes.isEmpty && end.nextCursor == 8 && !end.hasMore)
    #expect(try await hub.send("GET", "/changes/latest-cursor")["cursor"] == 8)
  }

  @Test func `a cursor that the hub never assigned is rejected with log_reset`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    #expect(try await hub.send("GET", "/changes?since=1").status == 200)
    let answer = try await hub.send("GET", "/changes?since=2")
    #expect(answer.status == 409)
    #expect(answer.problem == "log_reset")
    for query in [
      "since=-1", "since=x", "limit=0", "limit=501", "seen=null", "last_seq=-1", "since=9223372036854775808",
    ] {
      #expect(try await hub.send("GET", "/changes?\(query)").problem == "invalid", "\(query)")
    }
    #expect(try await hub.send("GET", "/changes?since=4611686018427387903").problem == "log_reset")
  }

  @Test func `a snapshot contains every entity as of its cursor, and their number`() async throws {
    let hub = try TestHub()
    try await hub.makeType("t")
    try await hub.makeEvent("e1")
    try await hub.makeEvent("e2")
    _ = try await hub.send("PATCH", "/event-types/t", ["name": "Tea"])
    _ = try await hub.send("DELETE", "/events/e1")
    _ = try await hub.push([TestHub.mutation(1, "update", "event", "e2", ["notes": "x"])], device: "d")
    let (header, entries) = try await snapshot(hub, device: "d")
    #expect(header.cursor == 6)
    #expect(header.lastSequence == 1)
    #expect(header.count == 3)
    #expect(entries.map(\.entityId) == ["t", "e1", "e2"])
    #expect(entries.map(\.operation) == ["update", "delete", "update"])
    #expect(entries.map(\.id) == [4, 5, 6])
    #expect(header.epoch == (try await hub.changes().epoch))
    #expect(try await snapshot(hub).0.lastSequence == 0)
    let feed = try await hub.changes().changes
    #expect(Set(feed) == Set(entries))
  }

  @Test func `a snapshot of many entries is complete`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    for batch in 0..<3 {
      let events = (0..<300).map { TestHub.eventPayload("e\(batch)-\($0)") }
      #expect(try await hub.send("POST", "/events/batch", ["events": .array(events)])["success"] == 300)
    }
    let (header, entries) = try await snapshot(hub)
    #expect(header.count == 901)
    #expect(entries.count == 901)
    #expect(Set(entries.map(\.entityId)).count == 901)
  }

  @Test func `a page has the same bytes as one encoded document`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    for number in 1...3 { try await hub.makeEvent("e\(number)") }
    for target in ["/changes?since=0", "/changes?since=4", "/changes?since=0&limit=2&device=d"] {
      let body = try await hub.send("GET", target).body
      let made = try WireJSON.encode(WireJSON.decode(JSONValue.self, from: body))
      #expect(body == made, "\(target)")
    }
  }

  @Test("the parts of a snapshot together equal the whole snapshot", arguments: [1, 500, 2000, 1 << 20])
  func parts(bytes: Int) async throws {
    let hub = try TestHub(configuration: HubConfiguration(snapshotPartBytes: bytes))
    try await hub.makeType("t")
    for number in 1...9 { try await hub.makeEvent("e\(number)") }
    try await hub.makeType("u")
    _ = try await hub.send("DELETE", "/events/e3")
    _ = try await hub.send("PATCH", "/event-types/t", ["name": "Tea"])
    let whole = try await snapshot(hub)
    var name: String? = SnapshotRequest.firstPart
    var all: [ChangeEntry] = []
    var parts = 0
    while let asked = name {
      let (header, entries) = try await part(hub, asked)
      #expect(header.count == entries.count && header.cursor == whole.0.cursor)
      // A part contains all entries within its spans.
      for span in try #require(header.spans) {
        let within = whole.1.filter { $0.entityType == span.kind && span.contains($0.id) }
        #expect(within == entries.filter { $0.entityType == span.kind })
      }
      all += entries
      name = header.next
      parts += 1
    }
    #expect(all == whole.1)
    #expect(bytes == 1 ? parts >= 11 : bytes < 1 << 20 ? parts > 2 : parts == 1)
    // The response to a request without a part contains no spans.
    #expect(whole.0.spans == nil && whole.0.next == nil)
  }

  @Test func `an entity written between two parts is in a later part or above the first cursor`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(snapshotPartBytes: 1))
    try await hub.makeType("t")
    for number in 1...3 { try await hub.makeEvent("e\(number)") }
    let (first, types) = try await part(hub, SnapshotRequest.firstPart)
    #expect(types.map(\.entityId) == ["t"])
    _ = try await hub.send("PATCH", "/event-types/t", ["name": "Tea"])
    _ = try await hub.send("PATCH", "/events/e1", ["notes": "x"])
    var name = first.next
    var later: [String] = []
    while let asked = name {
      let (header, entries) = try await part(hub, asked)
      later += entries.map { "\($0.entityType) \($0.entityId) \($0.id)" }
      name = header.next
    }
    #expect(later == ["event_type t 5", "event e2 3", "event e3 4", "event e1 6"])
    #expect(first.cursor == 4)
    #expect(try await hub.changes(since: 4).changes.map(\.id) == [5, 6])
  }

  @Test func `a part name of an earlier hub start returns the first part`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(snapshotPartBytes: 1))
    try await hub.makeType("t")
    try await hub.makeEvent("e")
    let next = try #require(try await part(hub, SnapshotRequest.firstPart).0.next)
    #expect(try await part(hub, next).1.map(\.entityId) == ["e"])
    #expect(try await part(hub, "event_type.1.elsewhere").1.map(\.entityId) == ["t"])
    let epoch = next.split(separator: ".")[2]
    for name in ["", "x", "event.1", "event.-1.\(epoch)", "face.1.\(epoch)"] {
      #expect(try await hub.send("GET", "/snapshot?part=\(name)").problem == "invalid", "\(name)")
    }
  }

  @Test func `an empty hub serves an empty snapshot`() async throws {
    let hub = try TestHub()
    let (header, entries) = try await snapshot(hub)
    #expect(header.cursor == 0 && header.count == 0 && entries.isEmpty)
    #expect(try await hub.changes().nextCursor == 0)
  }

  @Test func `every start of the hub begins an epoch, which is listed from its first write on`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let first = try await hub.changes().epoch
    var epochs = [first]
    for _ in 0..<2 {
      let storage = TestHub.openStorage(hub.disk.anotherProcess())
      let restarted = HubServer(storage: storage)
      let answer = await restarted.handle(
        HTTPRequest(
          id: "r", method: "GET", target: "/api/v1/changes",
          headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
      epochs.append(try WireJSON.decode(ChangeFeedResponse.self, from: try await answer.collectedBody()).epoch)
    }
    #expect(Set(epochs).count == 3)
    let state = try TestHub.openStorage(hub.disk.anotherProcess()).read(user: hub.user.id) { try $0.state() }
    // Nothing was written after the second start, so its epoch is not listed.
    #expect(state.epochs.map(\.id) == [first, epochs[2]])
    #expect(state.epochs.map(\.first) == [1, 2])
  }

  @Test func `a hub lists its last 128 epochs`() throws {
    let hub = try StoryHub(.embedded)
    try hub.push("a", hub.type("t"))
    for epoch in 1...200 {
      try hub.restart(epoch: "life-\(epoch)")
      try hub.push("a", hub.event("e\(epoch)"))
    }
    let state = try hub.storage.read(user: "p") { try $0.state() }
    #expect(state.epochs.map(\.id) == (73...200).map { "life-\($0)" })
    #expect(state.epochs.first?.first == 74)
    // The hub no longer knows this older epoch, so it cannot check positions in it.
    #expect(throws: Problem.self) { try hub.check(DevicePosition(device: "a", seen: 9, epoch: "life-8")) }
    #expect(throws: Never.self) { try hub.check(DevicePosition(device: "a", seen: 90, epoch: "life-89")) }
  }

  @Test func `the sync status has counts of live entities`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("e1")
    try await hub.makeEvent("e2")
    _ = try await hub.send("DELETE", "/events/e1")
    let answer = try await hub.send("GET", "/me/sync")
    #expect(answer["head"] == 4)
    #expect(answer["person"] == .string(hub.user.id))
    let counts = try #require(answer["counts"].objectValue)
    #expect(Set(counts.keys) == Set(SyncedKind.all.map(\.name)))
    #expect(counts.filter { $0.value != 0 } == ["event": 1, "event_type": 1])
  }
}
