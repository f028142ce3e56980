import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests the output of a running agent: status file, control socket and hooks.
@Suite("Live status", .waitsForPrograms, .timeLimit(.minutes(10)))
struct LiveTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init", store: "phone")
  }

  private func agent(_ words: [String] = [], environment: [String: String] = [:]) throws -> Running {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone")] + words, environment: environment)
    _ = try #require(try eventually { try status() }, "\(agent.text)")
    return agent
  }

  private var statusFile: URL { URL(filePath: bench.store("phone")).appending(path: "status.json") }

  /// Returns the content of the status file, or `nil` if it does not exist yet.
  private func status() throws -> [String: JSONValue]? {
    guard let data = FileManager.default.contents(atPath: statusFile.path) else { return nil }
    // The file is replaced atomically, so it always contains a complete document.
    return try WireJSON.decode(JSONValue.self, from: data).objectValue
  }

  /// Returns positions along a road to the north at 15 m/s as lines of JSON, the last one `ago` seconds ago.
  private func drive(seconds: Int, ago: Int, metersBefore: Double = 0) -> String {
    let now = Date().timeIntervalSince1970.rounded() - Double(ago)
    return stride(from: -seconds, through: 0, by: 10).map { second in
      let latitude = 52 + (metersBefore + Double(second + seconds) * 15) / 111_250
      let time = RFC3339.string(from: Date(timeIntervalSince1970: now + Double(second)))
      return #"{"lat":\#(latitude),"lon":4,"time":"\#(time)","acc":5,"spd":15}"#
    }.joined(separator: "\n")
  }

  private func tell(_ lines: String) throws {
    let file = bench.folder.appending(path: "fixes-\(UUID().uuidString)")
    try Data(lines.utf8).write(to: file)
    let result = try bench.trendy("track", "add", file.path, "-q", store: "phone")
    try #require(result.status == 0, "\(result.talk)")
  }

  #if os(Linux)
    @Test func `an idle agent releases the code that it only ran at startup`() throws {
      let agent = try agent()
      var most = 0
      let isLetGo = try eventually {
        let now = try residentCode(of: agent)
        most = max(most, now)
        return now < most / 2 ? true : nil
      }
      #expect(isLetGo == true, "\(most) KiB at most. \(agent.text)")
      try bench.trendy("log", "coffee", store: "phone")
      #expect(try eventually { try status()?["today"]?["events"] == 1 ? true : nil } == true, "\(agent.text)")
    }

    /// Returns the size of the program's code in memory, in KiB.
    private func residentCode(of agent: Running) throws -> Int {
      let map = FileHandle(forReadingAtPath: "/proc/\(agent.process.processIdentifier)/smaps")
      let text = String(decoding: try #require(try map?.readToEnd()), as: UTF8.self)
      let part = try #require(text.firstRange(of: /r-xp.*\/trendyd\n/), "\(text.prefix(1000))")
      let size = try #require(text[part.upperBound...].firstMatch(of: /Rss: +([0-9]+) kB/)?.output.1)
      return try #require(Int(size))
    }
  #endif

  @Test func `the status file follows a drive added by another process and is marked when the agent ends`() throws {
    let agent = try agent()
    #expect(try status()?["state"] == "running" && status()?["trip"] == .null)
    #expect(try status()?["pid"] == .int(Int64(agent.process.processIdentifier)))
    try bench.trendy("vehicle", "add", "Van", "--default", store: "phone")
    try bench.trendy("log", "coffee", store: "phone")
    try tell(drive(seconds: 600, ago: 0))
    let trip = try #require(
      try eventually { try status()?["trip"]?.objectValue.flatMap { $0["state"] == "going" ? $0 : nil } },
      "\(agent.text)")
    #expect(abs((trip["distance_m"]?.doubleValue ?? 0) - 9000) < 300)
    #expect(abs((trip["elapsed_s"]?.doubleValue ?? 0) - 600) < 60)
    #expect(trip["mode"] == "automotive" && trip["speed_mps"] == 15 && trip["vehicle"] == "Van")
    let coffee = try eventually {
      try status()?["today"]?.objectValue?["types"]?.arrayValue?.compactMap(\.objectValue)
        .first { $0["name"] == "coffee" && $0["count"] == 1 }
    }
    #expect(coffee?["streak"] == 1)
    // The elapsed time increases without new positions.
    #expect(
      try eventually {
        (try status()?["trip"]?.objectValue?["elapsed_s"]?.doubleValue ?? 0)
          > (trip["elapsed_s"]?.doubleValue ?? 0) ? true : nil
      } == true)
    let today = try bench.trendy("today", store: "phone").output
    #expect(today.contains("trip: 1") && today.contains("automotive  Van"), "\(today)")
    let said = try bench.trendyd("status", "--store", bench.store("phone"))
    #expect(said.status == 0 && said.output.contains("automotive") && said.output.contains("coffee 1"), "\(said.talk)")
    agent.stop()
    #expect(agent.process.terminationReason == .exit && agent.process.terminationStatus == 0)
    #expect(try status()?["state"] == "ended")
    let gone = try bench.trendyd("status", "--store", bench.store("phone"))
    #expect(gone.status == 69 && gone.talk.contains("The last agent stopped"), "\(gone.talk)")
    let after = try bench.trendy("today", "--json", store: "phone").document.objectValue?["today"]?.objectValue
    #expect(abs((after?["trip"]?.objectValue?["distance_m"]?.doubleValue ?? 0) - 9000) < 300, "without an agent")
  }

  @Test func `a killed agent is detected, and the next agent reuses its socket`() throws {
    let first = try agent()
    first.kill()
    #expect(try status()?["state"] == "running", "nobody could say otherwise")
    let gone = try bench.trendyd("status", "--store", bench.store("phone"))
    #expect(gone.status == 69 && gone.talk.contains("was killed after"), "\(gone.talk)")
    let second = try agent()
    defer { second.stop() }
    let said = try eventually {
      let result = try bench.trendyd("status", "--store", bench.store("phone"), "--json")
      return result.status == 0 ? result : nil
    }
    #expect(try said?.document.objectValue?["pid"] == .int(Int64(second.process.processIdentifier)), "\(second.text)")
    let socket = bench.store("phone") + "/control.sock"
    let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `the agent of the default store publishes its status in the session's runtime folder`() throws {
    let runtime = bench.folder.appending(path: "run")
    try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    let environment = ["XDG_RUNTIME_DIR": runtime.path, "XDG_DATA_HOME": bench.folder.path]
    let made = try bench.run("trendy", ["init"], environment: environment)
    try #require(made.status == 0, "\(made.talk)")
    let agent = try Running(bench, "trendyd", ["run", "--role", "agent"], environment: environment)
    defer { agent.stop() }
    let files = ["status.json", "agent.sock"].map { runtime.appending(path: "trendy/\($0)").path }
    let are = try eventually { files.allSatisfy { FileManager.default.fileExists(atPath: $0) } ? true : nil }
    #expect(are == true, "\(agent.text)")
    #expect(try bench.run("trendyd", ["status"], environment: environment).status == 0)
    let folder = try FileManager.default.attributesOfItem(atPath: runtime.appending(path: "trendy").path)
    #expect(folder[.posixPermissions] as? Int == 0o700)
  }

  @Test func `trip show --live prints every change as a line and ends with the agent`() throws {
    let agent = try agent()
    let live = try Running(bench, "trendy", ["trip", "show", "--live", "--json", "--store", bench.store("phone")])
    func lines() throws -> [[String: JSONValue]] {
      // The last line may be incomplete.
      try live.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .compactMap { try WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue }
    }
    #expect(try eventually { try lines().first } != nil)
    #expect(try lines().first?["trip"] == .null)
    try tell(drive(seconds: 600, ago: 30))
    let line = try eventually { try lines().last { $0["trip"]?.objectValue != nil } }
    #expect(line?["schema"] == "trendy.live/1", "\(live.text) \(agent.text)")
    let distance = line?["trip"]?.objectValue?["distance_m"]?.doubleValue ?? 0
    try tell(drive(seconds: 20, ago: 0, metersBefore: 9150))
    let further = try eventually {
      try lines().last { ($0["trip"]?.objectValue?["distance_m"]?.doubleValue ?? 0) > distance }
    }
    #expect(further != nil, "\(live.text)")
    agent.stop()
    live.process.waitUntilExit()
    #expect(live.process.terminationStatus == 69)
    // Without an agent, the command prints a note and the last known state.
    let alone = try bench.trendy("trip", "show", "--live", store: "phone")
    #expect(
      alone.status == 0 && alone.talk.contains("No agent is running") && alone.output.contains(" km"), "\(alone.output)"
    )
  }

  @Test func `live output on a terminal overwrites its line, and an interrupt ends it with a newline`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else { return }
    let agent = try agent()
    defer { agent.stop() }
    try tell(drive(seconds: 600, ago: 0))
    _ = try eventually { try status()?["trip"]?.objectValue }
    let screen = bench.folder.appending(path: "screen").path
    let terminal = try Running(
      bench, "/usr/bin/script",
      [
        "-qfec",
        "TERM=xterm timeout -s INT 4 '\(Workbench.path("trendy"))' trip show --live --store '\(bench.store("phone"))'",
        screen,
      ])
    terminal.process.waitUntilExit()
    let text = try String(contentsOf: URL(filePath: screen), encoding: .utf8)
    #expect(text.contains("\r") && text.contains("\u{1B}[K") && text.contains("km/h"), "\(text)")
    #expect(text.hasSuffix("\r\n") || text.contains("\u{1B}[K\r\n"), "\(text.debugDescription)")
  }

  @Test func `the control socket answers valid requests and rejects unknown ones`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    let agent = try agent()
    defer { agent.stop() }
    try bench.trendy("log", "coffee", store: "phone")
    let control = try TestControl(bench.store("phone") + "/control.sock")
    #expect(try control.ask("{\"request\":\"status\"}")["state"] == "running")
    let synced = try control.ask("{\"request\":\"sync\"}")
    #expect(synced["sync"]?.objectValue?["waiting"] == 0, "\(synced)")
    #expect(try control.ask("{\"request\":\"dance\"}")["error"]?.objectValue?["code"] == "usage")
    #expect(try control.ask("no json at all")["error"] != nil)
    let live = try control.ask("{\"request\":\"live\"}")
    #expect(live["schema"] == "trendy.agent/1")
    try bench.trendy("log", "coffee", store: "phone")
    #expect(try control.next()["schema"] == "trendy.agent/1")
  }

  @Test func `many short connections and one that never reads do not block other requests`() throws {
    let agent = try agent()
    defer { agent.stop() }
    let path = bench.store("phone") + "/control.sock"
    for _ in 0..<200 { _ = try TestControl(path).say("{\"request\":\"live\"}") }
    let silent = try TestControl(path)
    try silent.say("{\"request\":\"live\"}")
    for _ in 0..<20 {
      // Retry, because the agent may still count closed connections for a moment and reject a new connection.
      let state = try eventually { try TestControl(path).ask("{\"request\":\"status\"}")["state"] }
      #expect(state == "running")
    }
    withExtendedLifetime(silent) {}
    #expect(agent.process.isRunning)
  }

  @Test func `on-trip and on-visit run during the trip, even for places without notifications`() throws {
    let hooks = bench.folder.appending(path: "hooks")
    try FileManager.default.createDirectory(at: hooks, withIntermediateDirectories: true)
    let told = bench.folder.appending(path: "told")
    for name in ["on-trip", "on-visit"] {
      let file = hooks.appending(path: name)
      try Data("#!/bin/sh\ncat >>'\(told.path)-'$TRENDY_HOOK\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    func states(_ hook: String) throws -> [[String: JSONValue]] {
      let text = (try? String(contentsOfFile: "\(told.path)-\(hook)", encoding: .utf8)) ?? ""  // or no lines
      return try text.split(separator: "\n").compactMap {
        try WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue
      }
    }
    let end = 52 + 9000 / 111_250.0
    try bench.trendy("place", "add", "Office", "\(end),4", "--notify", "none", store: "phone")
    let agent = try agent(["--hooks", hooks.path], environment: ["PATH": "/usr/bin:/bin"])
    defer { agent.stop() }
    try tell(drive(seconds: 600, ago: 700))
    let started = try eventually { try states("on-trip").first { $0["state"] == "started" } }
    #expect(started?["hook"] == "on-trip", "\(agent.text)")
    let now = Date().timeIntervalSince1970.rounded()
    try tell(
      stride(from: -690, through: 0, by: 10).map { second in
        let time = RFC3339.string(from: Date(timeIntervalSince1970: now + Double(second)))
        return #"{"lat":\#(end),"lon":4,"time":"\#(time)","acc":5,"spd":0}"#
      }.joined(separator: "\n"))
    let ended = try #require(
      try eventually { try states("on-trip").first { $0["state"] == "ended" } }, "\(agent.text)")
    #expect(ended["place"] == "Office" && ended["id"] == started?["id"], "\(ended)")
    #expect(ended["event"]?.objectValue?["source_type"] == "trip", "\(ended)")
    let visit = try eventually { try states("on-visit").first }
    #expect(
      visit?["state"] == "entered" && visit?["place"] == "Office" && visit?["notify"] == false, "\(agent.text)")
  }
}

final class TestControl {
  private let descriptor: Int32
  private var rest: [UInt8] = []

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw BenchError("no agent at \(path)") }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  @discardableResult
  func say(_ line: String) throws -> Bool {
    send(descriptor, line + "\n", line.utf8.count + 1, Int32(MSG_NOSIGNAL)) > 0
  }

  func ask(_ line: String) throws -> [String: JSONValue] {
    try say(line)
    return try next()
  }

  func next() throws -> [String: JSONValue] {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) == 1 {
      guard byte == 0xA else {
        rest.append(byte)
        continue
      }
      let line = rest
      rest = []
      return try #require(WireJSON.decode(JSONValue.self, from: Data(line)).objectValue)
    }
    throw BenchError("the agent said nothing")
  }
}

extension LiveTests {
  /// Runs the examples for status bars from docs/agent.md.
  @Test func `the examples for status bars show a trip, or the day's entries without one`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/jq") else { return }
    let page = Samples.repository.appending(path: "docs/agent.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let block = try #require(text.components(separatedBy: "```json\n\"custom/trendy\"").dropFirst().first)
    let json = "{\"custom/trendy\"" + (block.components(separatedBy: "```").first ?? "") + "}"
    let module = try WireJSON.decode(JSONValue.self, from: Data(json.utf8)).objectValue?["custom/trendy"]?.objectValue
    let waybar = try #require(module?["exec"]?.stringValue)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("set -g status-right") })
    let tmux = try #require(line.components(separatedBy: "#(").dropFirst().first?.dropLast(2))
    let folder = bench.folder.appending(path: "run/trendy")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func ask(_ command: String, status: String) throws -> String {
      try Data(status.utf8).write(to: folder.appending(path: "status.json"))
      let result = try bench.shell("export XDG_RUNTIME_DIR='\(bench.folder.path)/run'; \(command)")
      #expect(result.status == 0, "\(result.talk)")
      return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let today = #""today":{"events":3,"types":[{"icon":"☕","count":2},{"icon":"⚑","count":0},{"icon":"☺","count":1}]}"#
    let driving = #"{"state":"running","trip":{"state":"going","distance_m":7449.6,"mode":"automotive"},\#(today)}"#
    let resting = #"{"state":"running","trip":null,\#(today)}"#
    #expect(
      try ask(waybar, status: driving) == #"{"text":"7.4 km","tooltip":"☕ 2  ☺ 1","class":"going"}"#)
    #expect(try ask(waybar, status: resting) == #"{"text":"3","tooltip":"☕ 2  ☺ 1","class":"idle"}"#)
    #expect(try ask(waybar, status: #"{"state":"ended","trip":null}"#).isEmpty)
    #expect(try ask(String(tmux), status: driving) == "automotive 7.4 km")
    #expect(try ask(String(tmux), status: resting).isEmpty)
  }
}
