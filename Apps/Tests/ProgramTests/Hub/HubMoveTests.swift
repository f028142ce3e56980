import Foundation
import Testing
import TrendyModels

/// Tests moving a hub from its folder to a database and back.
@Suite("Moving a hub", .onPostgres, .waitsForPrograms, .timeLimit(.minutes(10)))
struct HubMoveTests {
  private let database: DatabaseBench
  private let data: String
  private var bench: Workbench { database.bench }
  private var storage: String { database.storage }

  init() throws {
    database = try DatabaseBench()
    data = try database.initialise(inDatabase: false)
  }

  /// Starts the hub with the storage that the settings in its folder specify.
  private func run(port: Int = 0) throws -> HubProcess {
    try HubProcess(bench, ["--data", data, "--listen", "127.0.0.1:\(port)"])
  }

  private func curl(_ words: String, token: String) throws -> (output: String, status: Int32) {
    try database.curl(words, token: token)
  }

  @Test func `devices continue without a snapshot after moves to a database and back, and nothing is applied twice`()
    throws
  {
    var hub = try run()
    let port = hub.port
    let code = try #require(
      try bench.trendyd("pair", "--data", data, "--json").document.objectValue?["code"]?.stringValue)
    try bench.trendy("init", store: "phone")
    #expect(try bench.trendy("connect", hub.url, code, "--insecure", store: "phone").status == 0)
    try bench.trendy("log", "coffee", "--note", "before", store: "phone")
    #expect(try bench.trendy("sync", store: "phone").status == 0)
    let token = try database.token("curl", data)
    let create =
      "-H 'Idempotency-Key: k' -d '{\"id\":\"t\",\"name\":\"t\",\"color\":\"#00FF00\",\"icon\":\"cup\"}' \(hub.url)/api/v1/event-types"
    #expect(try curl(create, token: token).status == 0)
    // A device that lost the response to this mutation sends it again after each move.
    let push =
      #"-d '{"device":"d","acked_through":0,"mutations":[{"seq":1,"id":"m","entity_type":"event_type","operation":"create","#
      + #""entity_id":"u","payload":{"id":"u","name":"u","color":"\#("#00FF00")","icon":"cup"}}]}' "#
      + "\(hub.url)/api/v1/mutations"
    let first = try curl(push, token: token)
    #expect(first.status == 0, "\(first.output)")
    func outcomes(_ text: String) throws -> JSONValue? {
      try WireJSON.decode(JSONValue.self, from: Data(text.utf8)).objectValue?["outcomes"]
    }
    func feed() throws -> String { try curl("'\(hub.url)/api/v1/changes?since=0&limit=500'", token: token).output }
    func changes() throws -> JSONValue? {
      try WireJSON.decode(JSONValue.self, from: Data(feed().utf8)).objectValue?["changes"]
    }
    // Posted positions and the running trip are also moved.
    let now = Int(Date().timeIntervalSince1970)
    let fixes = (0..<60).map { number in
      #"{"_type":"location","tst":\#(now - 600 + number * 10),"lat":\#(52 + Double(number) / 500),"lon":4.9,"acc":5}"#
    }
    for fix in fixes { #expect(try curl("-d '\(fix)' \(hub.url)/pub", token: token).status == 0) }
    func live() throws -> JSONValue? {
      try WireJSON.decode(JSONValue.self, from: Data(curl("\(hub.url)/api/v1/me/live", token: token).output.utf8))[
        "trips"]
    }
    let trip = try live()
    #expect(trip?.arrayValue?.count == 1)
    var before = try changes()
    #expect(before?.arrayValue?.isEmpty == false)
    // A running hub cannot be moved.
    let served = try bench.trendyd("hub", "move", "--to", storage, "--data", data)
    #expect(served.status == 75)
    #expect(served.talk.contains("nother hub is using"), "\(served.talk)")
    hub.process.stop()

    for (place, other, note) in [(storage, data, "there"), (data, storage, "back")] {
      let moved = try bench.trendyd("hub", "move", "--to", place, "--data", data)
      #expect(moved.status == 0, "\(moved.talk)")
      hub = try run(port: port)
      #expect(try changes() == before)
      #expect(try live()?.arrayValue?.first?["id"] == trip?.arrayValue?.first?["id"])
      // Repeated mutations and requests are applied only once. They are recognised by sequence number or idempotency
      // key.
      #expect(try outcomes(curl(push, token: token).output) == outcomes(first.output))
      #expect(try curl(create, token: token).status == 0)
      #expect(try changes() == before)
      // A device's cursor remains valid, so the hub does not require a snapshot.
      #expect(try curl("'\(hub.url)/api/v1/changes?since=2&device=d&seen=2'", token: token).status == 0)
      hub.process.stop()
      hub = try run(port: port)
      try bench.trendy("log", "coffee", "--note", note, store: "phone")
      let synced = try bench.trendy("sync", store: "phone")
      #expect(synced.status == 0, "\(synced.talk)")
      #expect(try feed().contains(#""\#(note)""#))
      let requests = hub.process.text
      #expect(!requests.contains("/api/v1/snapshot"), "\(requests)")
      let again = try bench.trendyd("hub", "move", "--to", place, "--data", data)
      #expect(again.status == 64 && again.talk.contains("is already at"), "\(again.talk)")
      // A running hub is also detected if its data is in a database.
      let served = try bench.trendyd("hub", "move", "--to", other, "--data", data)
      #expect(served.status == 75, "\(served.talk)")
      before = try changes()
      hub.process.stop()
    }
  }

  @Test func `a killed move leaves the hub where it was and can be repeated`() throws {
    // The hub has so many events that the move takes long enough to be killed.
    var hub = try run()
    let token = try database.token("curl", data)
    let type =
      "-d '{\"id\":\"t\",\"name\":\"t\",\"color\":\"#00FF00\",\"icon\":\"cup\"}' \(hub.url)/api/v1/event-types"
    #expect(try curl(type, token: token).status == 0)
    for batch in 0..<20 {
      let events = (0..<500).map {
        #"{"id":"e-\#(batch)-\#($0)","event_type_id":"t","timestamp":"2026-01-01T00:00:00.000Z"}"#
      }
      let file = bench.folder.appending(path: "batch")
      try Data(#"{"events":[\#(events.joined(separator: ","))]}"#.utf8).write(to: file)
      let made = try curl("--data-binary @\(file.path) \(hub.url)/api/v1/events/batch", token: token)
      try #require(made.status == 0, "\(made.output)")
    }
    func head() throws -> Int64? {
      let answer = try curl("\(hub.url)/api/v1/changes/latest-cursor", token: token).output
      return try WireJSON.decode(JSONValue.self, from: Data(answer.utf8)).objectValue?["head"]?.intValue
    }
    let before = try head()
    #expect(before ?? 0 > 10_000)
    hub.process.stop()
    // Kills the move after ever longer delays, until it completes before it is killed.
    var kills = 0
    for delay in [5, 20, 60, 120, 250, 400].map({ UInt32($0 * 1000) }) {
      let moving = try Running(bench, "trendyd", ["hub", "move", "--to", storage, "--data", data])
      usleep(delay)
      guard moving.process.isRunning else { break }
      moving.kill()
      moving.process.waitUntilExit()
      kills += 1
      let listed = try bench.trendyd("token", "list", "--data", data)
      #expect(listed.status == 0 && listed.output.contains("curl"), "\(listed.talk)")
    }
    #expect(kills > 0)
    let moved: Workbench.Result? = try eventually {
      // PostgreSQL closes the connections of the killed process with a delay.
      let moved = try bench.trendyd("hub", "move", "--to", storage, "--data", data)
      return moved.talk.contains("other connections") ? nil : moved
    }
    let last = try #require(moved)
    #expect(last.status == 0 || last.talk.contains("is already at"), "\(last.talk)")
    hub = try run()
    defer { hub.process.stop() }
    #expect(try head() == before)
  }

  @Test func `a destination with another hub is rejected, and unreadable settings are reported`() throws {
    let other = bench.store("other")
    #expect(try bench.trendyd("hub", "init", "--data", other).status == 0)
    let refused = try bench.trendyd("hub", "move", "--to", other, "--data", data)
    #expect(refused.status == 77)
    #expect(refused.talk.contains("another hub"), "\(refused.talk)")
    let itself = try bench.trendyd("hub", "move", "--to", data, "--data", data)
    #expect(itself.status == 64 && itself.talk.contains("is already at"), "\(itself.talk)")
    try Data("{".utf8).write(to: URL(filePath: data).appending(path: "hub.json"))
    for words in [["token", "list"], ["hub", "backup", bench.store("b")], ["pair"]] {
      let told = try bench.run("trendyd", words + ["--data", data])
      #expect(told.status == 78, "\(words)")
      #expect(told.talk.contains("Cannot read"), "\(told.talk)")
    }
  }
}
