import Foundation
import Testing
import TrendyModels

@Suite("Hub status", .waitsForPrograms, .timeLimit(.minutes(20)))
struct HubStatusTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func makeEvents(_ hub: String, token: String) throws {
    for (path, body) in [
      ("event-types", ##"{"id":"t","name":"coffee","color":"#000000","icon":"cup"}"##),
      ("events", #"{"id":"e","event_type_id":"t","timestamp":"2026-11-20T08:30:00Z"}"#),
    ] {
      let made = try bench.shell(
        "curl -sf -o /dev/null -H 'Authorization: Bearer \(token)' -d '\(body)' \(hub)/api/v1/\(path)")
      try #require(made.status == 0)
    }
  }

  private func token(_ name: String, _ data: String) throws -> String {
    let made = try bench.trendyd("token", "create", name, "--data", data, "--json")
    return try #require(made.document["token"]?.stringValue, "\(made.talk)")
  }

  @Test func `hub status shows address and state, and user list shows devices and usage`()
    throws
  {
    let hub = try TestHub(bench)
    let token = try token("phone", hub.data)
    _ = try self.token("never used", hub.data)
    try makeEvents(hub.url, token: token)
    let users: JSONValue? = try eventually {
      let user = try bench.trendyd("user", "list", "--data", hub.data, "--json").document["users"]?.arrayValue?.first
      return user?["last_seen"]?.stringValue == nil ? nil : user
    }
    let user = try #require(users)
    #expect(user["rows"] == 2 && user["devices"] == 2)
    #expect(user["bytes"]?.intValue ?? 0 > 1000)
    let seen = user["seen"]?.arrayValue ?? []
    #expect(seen.first { $0["name"] == "phone" }?["last_seen"]?.stringValue != nil)
    #expect(seen.first { $0["name"] == "never used" }?["last_seen"] == .null)
    let list = try bench.trendyd("user", "list", "--data", hub.data).output
    #expect(list.contains("2 entries") && list.contains("never used  never seen"), "\(list)")

    let served = try bench.trendyd("hub", "status", "--data", hub.data)
    #expect(served.status == 0 && served.output.contains("at port \(hub.port)"), "\(served.output)\(served.talk)")
    let document = try bench.trendyd("hub", "status", "--data", hub.data, "--json").document
    #expect(document["served"] == true && document["ready"] == true && document["devices"] == 2)
    hub.stop()
    let stopped = try bench.trendyd("hub", "status", "--data", hub.data)
    #expect(
      stopped.status == 0 && stopped.output.contains("not running; start it: trendyd run --role hub"),
      "\(stopped.output)")
    let missing = try bench.trendyd("hub", "status", "--data", bench.store("nothing"))
    #expect(missing.status == 66, "\(missing.talk)")
  }

  @Test func `metrics need no token on this machine, and one through a proxy`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    let token = try token("phone", hub.data)
    try makeEvents(hub.url, token: token)
    let text = try bench.shell("curl -sf \(hub.url)/metrics").output
    #expect(text.contains(#"trendy_hub_requests_total{route="entities",status="201"} 2"#), "\(text)")
    #expect(text.contains("trendy_hub_storage_waiting{lane=\"writing\"} 0"))
    let forwarded = "-s -o /dev/null -w '%{http_code}' -H 'X-Forwarded-For: 192.0.2.1' \(hub.url)/metrics"
    #expect(try bench.shell("curl \(forwarded)").output == "401")
    #expect(try bench.shell("curl -H 'Authorization: Bearer \(token)' \(forwarded)").output == "200")
  }
}

@Suite("Hub status with a database", .onPostgres, .waitsForPrograms, .timeLimit(.minutes(20)))
struct DatabaseStatusTests {
  @Test func `hub status counts serving processes, and readiness follows the database`() throws {
    let database = try DatabaseBench()
    let data = try database.initialise()
    func served() throws -> Workbench.Result { try database.bench.trendyd("hub", "status", "--data", data) }
    #expect(try served().output.contains("not running"))
    let hubs = try (0..<2).map { try database.run(name: "hub-\($0)") }
    defer { for hub in hubs { hub.process.stop() } }
    #expect(try served().output.contains("by 2 processes"))
    let token = try database.token("phone", data)
    #expect(try database.curl("\(hubs[0].url)/api/v1/changes", token: token).status == 0)
    let seen: Bool? = try eventually {
      let user = try database.bench.trendyd("user", "list", "--data", data, "--json").document["users"]?.arrayValue?[0]
      return user?["last_seen"]?.stringValue == nil ? nil : true
    }
    #expect(seen == true)
    func ready() throws -> String {
      try database.bench.shell("curl -s -w ' %{http_code}' \(hubs[0].url)/api/v1/ready").output
    }
    #expect(try ready().hasSuffix(" 200"))
    // Makes PostgreSQL reject new connections to the database and close existing connections.
    let name = String(database.storage.dropFirst("postgres:///".count).prefix { $0 != "?" })
    func psql(_ sql: String) throws {
      let address = database.storage.replacing("/\(name)?", with: "/postgres?")
      let done = try database.bench.shell("psql -q '\(address)' -c \"\(sql)\" > /dev/null")
      try #require(done.status == 0, "\(done.talk)")
    }
    try psql("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
    try psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
    let away: String? = try eventually {
      let answer = try ready()
      return answer.hasSuffix(" 200") ? nil : answer
    }
    #expect(away?.hasSuffix(" 503") == true && away?.contains("urn:trendy:error:unavailable") == true, "\(away ?? "")")
    #expect(try served().status == 75)
    try psql("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
    #expect(try eventually { try ready().hasSuffix(" 200") ? true : nil } == true)
  }
}
