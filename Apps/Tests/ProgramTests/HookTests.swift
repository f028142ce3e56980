import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Hooks", .waitsForPrograms, .timeLimit(.minutes(20)))
struct HookTests {
  let bench: Workbench
  private let hooks: URL
  private let told: URL

  init() throws {
    bench = try Workbench()
    hooks = bench.folder.appending(path: "hooks")
    told = bench.folder.appending(path: "told")
    try FileManager.default.createDirectory(at: hooks, withIntermediateDirectories: true)
    try bench.trendy("init")
  }

  private func write(_ name: String, _ body: String, mode: Int = 0o755) throws {
    let file = hooks.appending(path: name)
    try Data("#!/bin/bash\n\(body)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  private func agent(_ words: String..., environment: [String: String] = [:]) throws -> Running {
    let variables = ["HOOK_TOLD": told.path, "PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/nowhere"]
    let agent = try Running(
      bench, "trendyd",
      ["run", "--store", bench.store(), "--hooks", hooks.path, "--log-level", "debug", "--poll", "1s"] + words,
      environment: variables.merging(environment) { $1 })
    #expect(try eventually { try bench.trendyd("status", "--store", bench.store()).status == 0 ? true : nil } == true)
    return agent
  }

  /// Waits until hooks have received a number of JSON documents, one per line, and returns them.
  private func documents(_ count: Int) throws -> [[String: JSONValue]] {
    try #require(
      try eventually {
        let text = (try? String(contentsOf: told, encoding: .utf8)) ?? ""  // a missing file is empty
        let lines = text.split(separator: "\n")
        guard lines.count >= count, text.hasSuffix("\n") else { return nil }
        return try lines.compactMap { try WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue }
      })
  }

  @Test func `on-event receives each new event in order, and no events from before the agent started`() throws {
    try write(
      "on-event", #"cat >>"$HOOK_TOLD"; echo "$TRENDY_HOOK ${NOTIFY_SOCKET-unset} $(ls /proc/self/fd | wc -l)""#)
    try bench.trendy("log", "coffee", "-n", "before")
    let agent = try agent()
    defer { agent.stop() }
    for note in ["one", "two", "three"] { try bench.trendy("log", "coffee", "2", "-n", note) }
    let documents = try documents(3)
    let events = documents.compactMap { $0["event"]?.objectValue }
    #expect(events.map { $0["notes"] } == ["one", "two", "three"])
    #expect(documents.allSatisfy { $0["schema"] == "trendy.hook/1" && $0["hook"] == "on-event" })
    let listed = try bench.trendy("list", "--json").document.objectValue?["events"]?.arrayValue ?? []
    #expect(events.last?["event_type"]?.objectValue?["name"] == "coffee")
    #expect(
      listed.contains { $0.objectValue?["id"] == events.last?["id"] && $0.objectValue?.keys == events.last?.keys })
    // The hook's output appears in the log. Hooks inherit only the three standard streams. The fourth descriptor is
    // opened by `ls`.
    #expect(
      try eventually { agent.text.contains("Hook on-event: on-event unset 4") ? true : nil } == true, "\(agent.text)")
  }

  @Test func `a hook that fails or times out is logged and blocks neither other hooks nor sync`() throws {
    try write("on-event", #"cat >/dev/null; sleep 600 & echo $! >"$HOOK_TOLD"; echo begun; wait"#)
    let agent = try agent("--hook-deadline", "1s")
    defer { agent.stop() }
    try bench.trendy("log", "coffee")
    #expect(try eventually { agent.text.contains("took longer than 1 s and was killed: begun") ? true : nil } == true)
    let child = try #require(Int32(try String(contentsOf: told, encoding: .utf8).trimmingCharacters(in: .newlines)))
    // The process group is killed, but the child may remain as a zombie until it is reaped.
    #expect(try eventually { Self.isGone(child) ? true : nil } == true)
    try write("on-event", "echo broken; exit 3")
    try bench.trendy("log", "coffee")
    #expect(
      try eventually { agent.text.contains("warning Hook on-event failed with status 3: broken") ? true : nil } == true,
      "\(agent.text)")
    #expect(try bench.trendyd("status", "--store", bench.store()).status == 0)
  }

  private static func isGone(_ pid: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
    return text.contains(") Z ")
  }

  @Test func `the agent terminates while a hook runs, and kills the hook`() throws {
    try write("on-event", #"cat >/dev/null; echo $$ >"$HOOK_TOLD"; exec sleep 600"#)
    let agent = try agent()
    defer { agent.kill() }
    try bench.trendy("log", "coffee")
    let child = try #require(
      try eventually {
        ((try? String(contentsOf: told, encoding: .utf8)) ?? "").split(separator: "\n").first.flatMap { Int32($0) }
      })
    agent.stop()
    #expect(agent.process.terminationStatus == 0, "\(agent.text)")
    #expect(try eventually { Self.isGone(child) ? true : nil } == true)
  }

  @Test(
    "a hook file with unsuitable permissions is reported and not run",
    arguments: [(0o644, "is not executable"), (0o777, "is writable by other users")])
  func refused(mode: Int, words: String) throws {
    try write("on-event", #"touch "$HOOK_TOLD""#, mode: mode)
    let agent = try agent()
    defer { agent.stop() }
    try bench.trendy("log", "coffee")
    #expect(try eventually { agent.text.contains(words) ? true : nil } == true, "\(agent.text)")
    #expect(!FileManager.default.fileExists(atPath: told.path))
  }

  @Test func `a missing hook folder is an error if the user configured it`() throws {
    let result = try bench.trendyd("run", "--store", bench.store(), "--hooks", bench.store("none"))
    #expect(result.status == 66 && result.talk.contains("Hook folder"), "\(result.talk)")
  }

  @Test func `on-sync-problem runs once when the hub becomes unreachable and once when it is reachable again`() throws {
    try write("on-sync-problem", #"cat >>"$HOOK_TOLD""#)
    let hub = try TestHub(bench)
    try #require(try bench.trendy("connect", hub.url, try hub.code()).status == 0)
    let agent = try agent()
    defer { agent.stop() }
    hub.stop()
    try bench.trendy("log", "coffee")
    let failing = try #require(try documents(1).first)
    #expect(failing["state"] == "failing" && failing["error"]?.stringValue?.isEmpty == false, "\(failing)")
    #expect(failing["waiting"] == 1)
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    let solved = try documents(2)
    #expect(solved.last?["state"] == "solved", "\(solved)")
    #expect(solved.count { $0["state"] == "solved" } == 1)
  }

  @Test(
    "the sample hook shows notifications", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/jq")),
    arguments: [
      (
        #"{"hook":"on-trip","state":"started","place":"Home & <Garden>","vehicle":null}"#,
        "Trip started|Home &amp; &lt;Garden&gt;"
      ),
      (
        #"{"hook":"on-trip","state":"ended","distance_m":7449,"duration_s":1980,"place":null}"#,
        "Trip ended|7.45 km, 33 min"
      ),
      (#"{"hook":"on-trip","state":"cancelled","id":"a"}"#, "Trip cancelled|"),
      (#"{"hook":"on-visit","state":"entered","place":"-rf","notify":true}"#, "Entered -rf|"),
      (#"{"hook":"on-visit","state":"left","place":"Home","duration_s":600,"notify":true}"#, "Left Home|10 min"),
      (#"{"hook":"on-visit","state":"entered","place":"Home","notify":false}"#, ""),
      (
        #"{"hook":"on-notice","from":"phone","kind":"trip_ended","data":{"distance_m":9000}}"#,
        "phone: trip ended|9 km"
      ),
      (#"{"hook":"on-notice","from":"phone","kind":"config","data":{}}"#, ""),
    ])
  func sample(document: String, shown: String) throws {
    let stand = bench.folder.appending(path: "notify-send")
    let script = #"while [ "$1" != -- ]; do shift; done; printf '%s|%s\n' "$2" "$3""#
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: stand)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stand.path)
    let input = bench.folder.appending(path: "document")
    try Data(document.utf8).write(to: input)
    let result = try bench.shell(
      "PATH='\(bench.folder.path)':$PATH '\(Samples.notifyHook.path)' <'\(input.path)'")
    #expect(result.status == 0 && result.talk.isEmpty, "\(result.talk)")
    #expect(result.output == (shown.isEmpty ? "" : shown + "\n"))
  }
}
