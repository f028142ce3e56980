import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Hubs on a database", .onPostgres, .waitsForPrograms, .timeLimit(.minutes(20)))
struct HubDatabaseTests {
  private let database: DatabaseBench
  private var bench: Workbench { database.bench }

  init() throws { database = try DatabaseBench() }

  @Test func `a change recorded through one hub reaches a device that uses another`() throws {
    let data = try database.initialise()
    let hubs = try (0..<2).map { try database.run(name: "hub-\($0)") }
    defer { for hub in hubs { hub.process.stop() } }
    for (device, hub) in zip(["phone", "laptop"], hubs) {
      let code = try #require(
        try bench.trendyd("pair", "--data", data, "--json").document.objectValue?["code"]?.stringValue)
      try bench.trendy("init", store: device)
      let connected = try bench.trendy("connect", hub.url, code, "--insecure", store: device)
      #expect(connected.status == 0, "\(connected.talk)")
    }
    try bench.trendy("log", "coffee", "--note", "from the phone", store: "phone")
    #expect(try bench.trendy("sync", store: "phone").status == 0)
    #expect(try bench.trendy("sync", store: "laptop").status == 0)
    #expect(try bench.trendy("list", store: "laptop").output.contains("from the phone"))
    // Syncs in the opposite direction, from the laptop to the phone.
    try bench.trendy("log", "workout", store: "laptop")
    #expect(try bench.trendy("sync", store: "laptop").status == 0)
    #expect(try bench.trendy("sync", store: "phone").status == 0)
    #expect(try bench.trendy("list", store: "phone").output.contains("workout"))
  }

  @Test func `a password never appears in a message, and an unusable address is reported`() throws {
    let made = try bench.trendyd(
      "hub", "init", "--data", bench.store("x"), "--storage", "postgres://u:secret@h/d")
    #expect(made.status == 64)
    #expect(!made.talk.contains("secret") && made.talk.contains("PGPASSFILE"), "\(made.talk)")
    let away = try bench.trendyd(
      "hub", "init", "--data", bench.store("x"), "--storage", "postgres://u@127.0.0.1:1/d")
    #expect(away.status == 75)
    #expect(away.talk.contains("database does not respond"), "\(away.talk)")
  }

  @Test func `pair prints no port if the hub listens on any free port, but a hint`() throws {
    let data = try database.initialise()
    let paired = try bench.trendyd("pair", "--data", data)
    #expect(paired.output.contains("trendy connect http://NAME:PORT "), "\(paired.output)")
    #expect(paired.talk.contains("any free port") && paired.talk.contains("--listen 127.0.0.1:8787"), "\(paired.talk)")
    let document = try bench.trendyd("pair", "--data", data, "--json").document.objectValue
    #expect(document?["url"] == .null && document?["link"] == .null)
    // `trendyd pair` does not know which port the hub will use, but the user can specify it with `--listen`.
    let said = try bench.trendyd("pair", "--data", data, "--listen", "127.0.0.1:4321")
    #expect(said.output.contains("trendy connect http://127.0.0.1:4321 "), "\(said.output)")
  }

  // MARK: Killed hubs

  /// Sends a device's pushes in order, each to random hubs until one of them returns 200. Arguments: token,
  /// device, hubs.
  private static let writer = """
    token=$1; device=$2; shift 2
    for push in $device-push-*; do
      for try in {1..1000}; do
        url=${@:RANDOM % $# + 1:1}
        curl -sf --max-time 10 -H "Authorization: Bearer $token" --data-binary @$push -o $push.out \
          $url/api/v1/mutations && continue 2
        sleep 0.05
      done
      exit 1
    done
    """

  /// Reads the feed from random hubs up to a cursor and saves the feed pages. Arguments: token, cursor, hubs.
  private static let follower = """
    token=$1; last=$2; cursor=0; shift 2
    for page in {1..1000}; do
      url=${@:RANDOM % $# + 1:1}
      name=page-$(printf %05d $page)
      if curl -sf --max-time 10 -H "Authorization: Bearer $token" -o $name "$url/api/v1/changes?since=$cursor&limit=37"; then
        cursor=$(grep -oE '"next_cursor":[0-9]+' $name | cut -d: -f2)
        [ $cursor -ge $last ] && exit 0
      else
        rm -f $name
      fi
      sleep 0.05
    done
    exit 1
    """

  @Test func `three hubs that are killed in turn under load lose nothing and apply every mutation once`() throws {
    let data = try database.initialise()
    var hubs = try (0..<3).map { try database.run(name: "hub-\($0)") }
    defer { for hub in hubs { hub.process.stop() } }
    let urls = hubs.map(\.url)
    let (writers, pushes, batch) = (3, 30, 10)
    let last = writers * pushes * batch + 1
    let maker = try database.token("maker", data)
    let made = try bench.shell(
      "curl -sf -H 'Authorization: Bearer \(maker)' -d '{\"id\":\"t\",\"name\":\"t\",\"color\":\"#00FF00\",\"icon\":\"cup\"}' \(urls[0])/api/v1/event-types"
    )
    #expect(made.status == 0)
    var load: [Running] = []
    for writer in 0..<writers {
      for push in 0..<pushes {
        let mutations = (1...batch).map { number in
          let sequence = push * batch + number
          return #"{"seq":\#(sequence),"id":"m-\#(writer)-\#(sequence)","entity_type":"event","operation":"create","#
            + #""entity_id":"e-\#(writer)-\#(sequence)","payload":{"id":"e-\#(writer)-\#(sequence)","#
            + #""event_type_id":"t","timestamp":"2026-01-01T00:00:00.000Z"}}"#
        }
        let body =
          #"{"device":"d-\#(writer)","acked_through":\#(push * batch),"mutations":["#
          + mutations.joined(separator: ",") + "]}"
        try Data(body.utf8).write(to: bench.folder.appending(path: "d-\(writer)-push-\(100 + push)"))
      }
      load.append(
        try script(Self.writer, [try database.token("writer \(writer)", data), "d-\(writer)"] + urls))
    }
    load.append(try script(Self.follower, [maker, "\(last)"] + urls))
    // Kills one hub at a time, each after several more pushes have been acknowledged.
    var (kills, answered) = (0, 0)
    while load.contains(where: \.process.isRunning) {
      usleep(20_000)
      let count = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).count { $0.hasSuffix(".out") }
      guard count >= answered + 8 else { continue }
      answered = count
      let place = kills % hubs.count
      hubs[place].process.kill()
      kills += 1
      hubs[place] = try database.run(port: hubs[place].port, name: "hub-\(place)")
    }
    #expect(kills > 2)
    for one in load { #expect(one.process.terminationStatus == 0, "\(one.text)") }
    // Each event must occur once with the version that its device received, and the feed must have no gaps.
    var told: [String: Int64] = [:]
    for writer in 0..<writers {
      for push in 0..<pushes {
        let answer = try document("d-\(writer)-push-\(100 + push).out")
        for outcome in answer["outcomes"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
          #expect(outcome["status"] == "accepted")
          told["e-\(writer)-\(outcome["seq"]?.intValue ?? 0)"] = outcome["version"]?.intValue
        }
      }
    }
    var seen: [String: Int64] = [:]
    var versions: [Int64] = []
    let pages = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).filter { $0.hasPrefix("page-") }
    for page in pages.sorted() {
      for change in try document(page)["changes"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
        versions.append(change["id"]?.intValue ?? 0)
        seen[change["entity_id"]?.stringValue ?? ""] = versions.last
      }
    }
    #expect(versions == Array(1...Int64(last)))
    seen["t"] = nil
    #expect(seen == told)
    #expect(told.count == last - 1)
  }

  private func script(_ text: String, _ words: [String]) throws -> Running {
    try Running(
      bench, "/bin/bash", ["-c", "cd '\(bench.folder.path)'; " + text, "load"] + words,
      environment: ["PATH": "/usr/bin:/bin"])
  }

  private func document(_ name: String) throws -> [String: JSONValue] {
    let data = try Data(contentsOf: bench.folder.appending(path: name))
    return try #require(try WireJSON.decode(JSONValue.self, from: data).objectValue)
  }
}
