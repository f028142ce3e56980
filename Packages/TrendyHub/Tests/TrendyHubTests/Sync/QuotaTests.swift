import Foundation
import HubTesting
import StorageTesting
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyHub

private struct TakingIngest: Ingest {
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }
}

@Suite("Quotas", .timeLimit(.minutes(10)))
struct QuotaTests {
  private func hub(rows: Int64? = nil, bytes: Int64? = nil, ingest: (any Ingest)? = nil) throws -> TestHub {
    try TestHub(configuration: HubConfiguration(quota: HubQuota(rows: rows, bytes: bytes)), ingest: ingest)
  }

  private func eventIDs(_ hub: TestHub) async throws -> [String] {
    try await (hub.send("GET", "/events").json.arrayValue ?? []).compactMap { $0["id"].stringValue }.sorted()
  }

  @Test func `a row beyond the quota is rejected, and a deletion frees a row`() async throws {
    let hub = try hub(rows: 3)
    try await hub.makeType()
    for id in ["a", "b"] { #expect(try await hub.makeEvent(id).status == 201) }
    let head = try await hub.changes().nextCursor
    let refused = try await hub.makeEvent("c")
    #expect(refused.status == 507 && refused.problem == "quota_exceeded")
    #expect(refused.detail.contains("3 entries") && refused.detail.contains("delete something"))
    #expect(refused.headers["Retry-After"] != nil)
    #expect(try await hub.changes().nextCursor == head, "nothing of it is there")
    // Changes that need no more rows are accepted.
    #expect(try await hub.send("PATCH", "/events/a", ["notes": "longer than it was"]).status == 200)
    #expect(try await hub.send("DELETE", "/events/a").status == 204)
    #expect(try await hub.makeEvent("c").status == 201)
    #expect(try await hub.send("POST", "/events/a/restore").status == 507)
    #expect(try await eventIDs(hub) == ["b", "c"])
  }

  @Test func `bytes of live entities count and are freed by a deletion`() async throws {
    let hub = try hub(bytes: 2000)
    try await hub.makeType()
    try await hub.makeEvent("a")
    let long = String(repeating: "x", count: 1500)
    #expect(try await hub.send("PATCH", "/events/a", ["notes": .string(long)]).status == 200)
    let used = try hub.server.accounts.quota(of: hub.user.id).bytes
    #expect((1500...2000).contains(used), "\(used)")
    let more = try await hub.send("PATCH", "/events/a", ["notes": .string(long + long)])
    #expect(more.problem == "quota_exceeded" && more.detail.contains("2000 bytes"))
    #expect(try await hub.send("GET", "/events/a")["notes"].stringValue?.count == 1500)
    #expect(try await hub.send("PATCH", "/events/a", ["notes": "short"]).status == 200)
    #expect(try await hub.send("PATCH", "/events/a", ["notes": .string(long)]).status == 200)
    #expect(try await hub.send("DELETE", "/events/a").status == 204)
    #expect(try await hub.send("DELETE", "/event-types/t").status == 204)
    #expect(try hub.server.accounts.quota(of: hub.user.id).bytes == 0)
  }

  @Test("the running byte count equals a recount", arguments: 1...20 as ClosedRange<UInt64>)
  func sums(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let hub = try TestHub()
    try await hub.makeType()
    for _ in 0..<60 {
      let id = "e\(Int.random(in: 0..<8, using: &generator))"
      let notes = String(repeating: "ü", count: Int.random(in: 0..<40, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: try await hub.makeEvent(id)
      case 1:
        _ = try await hub.send(
          "PATCH", "/events/\(id)",
          ["notes": .string(notes), "properties": ["size": ["type": "number", "value": 2.5]]])
      case 2: _ = try await hub.send("DELETE", "/events/\(id)")
      default: _ = try await hub.send("POST", "/events/\(id)/restore")
      }
    }
    let (kept, anew) = try hub.storage.read(user: hub.user.id) {
      (try $0.state().contentBytes, try $0.entries(after: 0, limit: .max).reduce(0) { $0 + $1.contentBytes })
    }
    #expect(kept == anew && anew > 0)
  }

  @Test func `a push beyond the quota is rejected as a whole and can be repeated`() async throws {
    let hub = try hub(rows: 3)
    let push = [
      TestHub.mutation(1, "create", "event_type", "t", TestHub.typePayload),
      TestHub.mutation(2, "create", "event", "a", TestHub.eventPayload("a")),
      TestHub.mutation(3, "create", "event", "b", TestHub.eventPayload("b")),
      TestHub.mutation(4, "create", "event", "c", TestHub.eventPayload("c")),
    ]
    let refused = try await hub.push(push)
    #expect(refused.status == 507 && refused.problem == "quota_exceeded")
    #expect(try await hub.changes().changes.isEmpty)
    // A deletion later in the same push frees up the row.
    let answer = try await hub.push(push + [TestHub.mutation(5, "delete", "event", "a")])
    #expect(answer.status == 200)
    #expect((answer["outcomes"].arrayValue ?? []).allSatisfy { $0["status"] == "accepted" }, "\(answer.json)")
    #expect(try await eventIDs(hub) == ["b", "c"])
    // A push of deletions is always accepted, even if it turns another device's unseen value into a conflict.
    _ = try await hub.send("PATCH", "/events/b", ["notes": "unseen"])
    let deleted = try await hub.push(
      [TestHub.mutation(6, "delete", "event", "b", extra: ["base": 3])], acknowledged: 5)
    #expect(deleted.status == 200, "\(deleted.json)")
  }

  @Test func `a batch beyond the quota changes nothing`() async throws {
    let hub = try hub(rows: 2)
    try await hub.makeType()
    let events: [JSONValue] = ["a", "b"].map {
      ["id": .string($0), "event_type_id": "t", "timestamp": "2024-01-01T08:00:00Z"]
    }
    #expect(try await hub.send("POST", "/events/batch", ["events": .array(events)]).problem == "quota_exceeded")
    #expect(try await eventIDs(hub) == [])
    #expect(try await hub.send("POST", "/events/batch", ["events": .array([events[0]])]).status == 200)
  }

  @Test func `a quota of the user overrides the hub's, upwards and downwards`() async throws {
    let hub = try hub(rows: 1)
    let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk), clock: hub.clock)
    try accounts.setQuota(HubQuota(rows: 2), of: hub.user.id)
    try await hub.makeType()
    #expect(try await hub.makeEvent("a").status == 201)
    #expect(try await hub.makeEvent("b").status == 507)
    try accounts.setQuota(HubQuota(rows: HubQuota.unlimited), of: hub.user.id)
    #expect(try await hub.makeEvent("b").status == 201)
    try accounts.setQuota(HubQuota(), of: hub.user.id)
    #expect(try await hub.makeEvent("c").status == 507)
    #expect(try accounts.quota(of: hub.user.id).rows == 3)
    // Other users still have the hub's default quota.
    let other = try hub.server.accounts.createPerson(name: "Bert")
    var bert = hub
    bert.token = try hub.server.accounts.createToken(user: other.id, deviceName: "phone").token
    #expect(try await bert.makeType().status == 201)
    #expect(try await bert.makeEvent("a").status == 507)
  }

  @Test func `posts of trackers are rejected while the record is full, and detected events are still written`()
    async throws
  {
    let hub = try hub(rows: 1, ingest: TakingIngest())
    func post(_ target: String) async -> Int {
      await hub.server.handle(
        HTTPRequest(
          id: "r", method: "POST", target: target,
          headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")]), body: Data("{}".utf8))
      ).status
    }
    #expect(await post("/overland") == 200)
    try await hub.makeType()
    #expect(await post("/overland") == 507)
    #expect(await post("/webhook/start") == 507)
    #expect(await post("/webhook/status") == 200)
    let found: [String: String] = ["id": "found", "event_type_id": "t", "timestamp": "2024-01-01T08:00:00Z"]
    try hub.server.ingestDesk(user: hub.user.id).create(.event, found)
    #expect(try await eventIDs(hub) == ["found"])
    for path in ["/events/found", "/event-types/t"] { _ = try await hub.send("DELETE", path) }
    #expect(await post("/overland") == 200)
  }

  @Test func `rejections are counted and are not storage errors`() async throws {
    let hub = try hub(rows: 0)
    #expect(try await hub.makeType().status == 507)
    let metrics = await hub.server.handle(
      HTTPRequest(id: "m", method: "GET", target: "/metrics", remoteAddress: "127.0.0.1"))
    let text = String(decoding: try await metrics.collectedBody(), as: UTF8.self)
    #expect(text.contains("\ntrendy_hub_quota_refusals_total 1\n"))
    #expect(text.contains("trendy_hub_storage_errors_total{reason=\"failed\"} 0"))
  }

  @Test func `the quota applies to every storage`() async throws {
    let server = HubServer(
      storage: MemoryHubStorage(), clock: ManualClock(), configuration: HubConfiguration(quota: HubQuota(rows: 1)))
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    func make(_ id: String) async -> Int {
      let body = #"{"id":"\#(id)","name":"\#(id)","color":"c","icon":"i"}"#
      return await server.handle(
        HTTPRequest(
          id: "r", method: "POST", target: "/api/v1/event-types",
          headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: Data(body.utf8))
      ).status
    }
    #expect(await make("a") == 201)
    #expect(await make("b") == 507)
    try server.accounts.setQuota(HubQuota(rows: 2), of: user.id)
    #expect(await make("b") == 201)
  }
}
