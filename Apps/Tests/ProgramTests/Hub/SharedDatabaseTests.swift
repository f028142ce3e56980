import Foundation
import Testing
import TrendyModels

/// Tests that several hub processes on one database share their work without duplicates.
@Suite("Several hubs on one database", .onPostgres, .waitsForPrograms, .timeLimit(.minutes(20)))
struct SharedDatabaseTests {
  private let database: DatabaseBench
  private let data: String
  private var bench: Workbench { database.bench }

  init() throws {
    database = try DatabaseBench()
    data = try database.initialise()
  }

  private func twoHubs() throws -> [HubProcess] { try (0..<2).map { try database.run(name: "hub-\($0)") } }

  private func makeType(_ hub: HubProcess, token: String) throws {
    let type = ##"{"id":"t","name":"t","color":"#00FF00","icon":"cup"}"##
    let made = try database.curl("-d '\(type)' \(hub.url)/api/v1/event-types", token: token)
    try #require(made.status == 0, "\(made.output)")
  }

  @Test func `a webhook receives each change once, whichever hub wrote it`() throws {
    let receiver = try HTMLServer()
    let added = try bench.trendyd("webhook", "add", "http://127.0.0.1:\(receiver.port)/hook", "--data", data)
    try #require(added.status == 0, "\(added.talk)")
    let token = try database.token("phone", data)
    let hubs = try twoHubs()
    defer { for hub in hubs { hub.process.stop() } }
    try makeType(hubs[0], token: token)
    // Send changes to both hubs at the same time, so that both have webhooks to deliver.
    let script = """
      for number in {1..40}; do
        curl -sf -o /dev/null -H "Authorization: Bearer $1" \
          -d "{\\"id\\":\\"$3-$number\\",\\"event_type_id\\":\\"t\\",\\"timestamp\\":\\"2026-01-01T00:00:00.000Z\\"}" \
          $2/api/v1/events || exit 1
      done
      """
    let writers = try hubs.enumerated().map { place, hub in
      try Running(
        bench, "/bin/bash", ["-c", script, "load", token, hub.url, "hub\(place)"],
        environment: ["PATH": "/usr/bin:/bin"])
    }
    for writer in writers {
      writer.process.waitUntilExit()
      try #require(writer.process.terminationStatus == 0, "\(writer.text)")
    }
    var told: [String] = []
    let isAll = try eventually {
      told = try receiver.requests.flatMap { request in
        let body = request.range(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
        let changes = try WireJSON.decode(JSONValue.self, from: Data(body.utf8))["changes"]?.arrayValue ?? []
        return changes.compactMap { $0["entity_id"]?.stringValue }
      }
      return told.count >= 81 ? true : nil
    }
    #expect(isAll == true)
    #expect(told.count == Set(told).count, "some were told twice: \(told.sorted())")
    #expect(told.count == 81)
  }

  @Test func `a drive posted to two hubs in turn is one trip, and the hubs store nothing in their folders`() throws {
    var hubs = try twoHubs()
    defer { for hub in hubs { hub.process.stop() } }
    let code = try #require(
      try bench.trendyd("pair", "--data", data, "--json").document.objectValue?["code"]?.stringValue)
    try bench.trendy("init", store: "laptop")
    try #require(try bench.trendy("connect", hubs[0].url, code, "--insecure", store: "laptop").status == 0)
    let token = try database.token("phone", data)
    let fixes = try IngestTests.drive()
    func post(_ fixes: ArraySlice<IngestTests.Fix>, to hub: HubProcess) throws {
      let file = bench.folder.appending(path: "body-\(UUID().uuidString)")
      let body = #"{"locations":[\#(fixes.map(\.overland).joined(separator: ","))]}"#
      try Data(body.utf8).write(to: file)
      let posted = try database.curl("--data-binary @'\(file.path)' \(hub.url)/overland", token: token)
      try #require(posted.status == 0, "\(posted.output)")
    }
    var place = 0
    for start in stride(from: 0, to: fixes.count, by: 15) {
      try post(fixes[start..<min(start + 15, fixes.count)], to: hubs[place % 2])
      place += 1
      if place == 4 {
        hubs[0].process.kill()
        hubs[0] = try database.run(port: hubs[0].port, name: "hub-0")
      }
    }
    // Posting all positions again to both hubs changes nothing.
    for hub in hubs { try post(fixes[...], to: hub) }
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    let list = try bench.trendy("trip", "list", "--json", "--utc", store: "laptop").document["trips"]
    let trips = list?.arrayValue ?? []
    #expect(trips.count == 1, "\(trips)")
    #expect(abs((trips.first?["distance_m"]?.doubleValue ?? 0) - 7448) < 7448 * 0.03)
    let id = try #require(trips.first?["id"]?.stringValue)
    for hub in hubs {
      let why = try database.curl("\(hub.url)/api/v1/me/explanations/\(id)", token: token)
      #expect(why.status == 0, "\(why.output)")
    }
    // The folder contains only the settings saved by `trendyd hub init`. The folders of the hub processes were never
    // created.
    #expect(try FileManager.default.subpathsOfDirectory(atPath: data) == ["hub.json"])
    for name in ["hub-0", "hub-1"] { #expect(!FileManager.default.fileExists(atPath: bench.store(name))) }
  }

  @Test func `a stream at one hub receives changes written at another without delay`() throws {
    let hubs = try twoHubs()
    defer { for hub in hubs { hub.process.stop() } }
    let token = try database.token("phone", data)
    try makeType(hubs[0], token: token)
    // The script prefixes each line with its arrival time.
    let script = """
      curl -sN --max-time 60 -H "Authorization: Bearer $1" $2/api/v1/changes/stream |
        while read -r line; do case "$line" in data:*) echo "$(date +%s%N) $line"; esac; done
      """
    let stream = try Running(
      bench, "/bin/bash", ["-c", script, "stream", token, hubs[1].url], environment: ["PATH": "/usr/bin:/bin"])
    defer { stream.kill() }
    func told(_ head: Int) throws -> Double {
      let line = try eventually { stream.text.split(separator: "\n").first { $0.contains("\"cursor\":\(head)}") } }
      let words = try #require(line).split(separator: " ")
      return (Double(words[0]) ?? 0) / 1e9
    }
    _ = try told(1)
    var waits: [Double] = []
    for number in 2...12 {
      let event = #"{"id":"e\#(number)","event_type_id":"t","timestamp":"2026-01-01T00:00:00.000Z"}"#
      let written = try database.curl("-d '\(event)' \(hubs[0].url)/api/v1/events", token: token)
      try #require(written.status == 0, "\(written.output)")
      let end = Date().timeIntervalSince1970
      waits.append(try told(number) - end)
    }
    // Without notifications from the database, the hub would detect changes only by polling every ten seconds.
    #expect(waits.sorted()[waits.count / 2] < 1, "\(waits)")
  }
}
