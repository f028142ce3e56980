import Foundation
import Testing
import TrendyModels

/// Tests the formats and levels of the daemon's log, and logging to the journal.
@Suite("The daemon's log", .waitsForPrograms, .timeLimit(.minutes(20)))
struct LogTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Runs an agent that listens for trackers, requests a path that does not exist, stops the agent and returns its log.
  private func log(_ words: String, before: String = "") throws -> [Substring] {
    try bench.trendy("init")
    let log = bench.folder.appending(path: "log").path
    let agent = try Running(
      bench, "/bin/bash",
      [
        "-c",
        "exec 2>'\(log)'; \(before) exec \(Workbench.path("trendyd")) run --store '\(bench.store())' --ingest 127.0.0.1:0 \(words)",
      ], environment: ["PATH": "/usr/bin:/bin"])
    defer { agent.kill() }
    func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }  // a missing file is empty
    let url = try #require(
      try eventually { text().firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map { String($0.output) } })
    #expect(try bench.shell("curl -s -o /dev/null '\(url)/no%0Awhere'").status == 0)
    #expect(try eventually { text().contains(" GET ") || text().contains(#""GET""#) ? true : nil } == true)
    agent.stop()
    return text().split(separator: "\n")
  }

  @Test func `a text line contains time, level and message`() throws {
    let lines = try log("")
    #expect(lines.count >= 3, "\(lines)")
    for line in lines {
      #expect(line.contains(/^2[0-9-]+T[0-9:.]+Z (info|warning|error) ./), "\(line)")
    }
    #expect(lines.contains { $0.contains(" info 404 GET ") }, "\(lines)")
  }

  @Test func `a JSON line is an object with time and level for every kind of message`() throws {
    let lines = try log("--log-format json")
    let documents = try lines.map {
      try #require(WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue, "\($0)")
    }
    #expect(
      documents.allSatisfy {
        $0["time"]?.stringValue.flatMap { RFC3339.date(from: $0) } != nil && $0["level"] == "info"
      }, "\(lines)")
    #expect(
      documents.contains { $0["message"]?.stringValue?.contains("not connected to a hub yet") == true }, "\(lines)")
    #expect(documents.contains { $0["status"] == 404 && $0["method"] == "GET" }, "\(lines)")
  }

  @Test func `lines for the journal have a level prefix and no time`() throws {
    let lines = try log("", before: "export JOURNAL_STREAM=$(stat -Lc %d:%i /dev/fd/2);")
    #expect(lines.contains { $0.hasPrefix("<6>Agent: ") } && lines.contains { $0.hasPrefix("<6>404 GET ") }, "\(lines)")
    #expect(lines.allSatisfy { $0.contains(/^<[346]>[^0-9 ]|^<6>404/) }, "\(lines)")
  }

  @Test func `a standard error other than the journal receives plain text despite JOURNAL_STREAM`() throws {
    let lines = try log("", before: "export JOURNAL_STREAM=1:2;")
    #expect(lines.allSatisfy { $0.hasPrefix("2") }, "\(lines)")
  }

  @Test(
    "an unknown level or format is rejected",
    arguments: [
      (["--log-level", "loud"], "debug, info, warning, error"), (["--log-format", "xml"], "text or json"),
    ])
  func refused(words: [String], hint: String) throws {
    let result = try bench.run("trendyd", ["run", "--store", bench.store()] + words)
    #expect(result.status == 64 && result.talk.contains(hint), "\(result.talk)")
  }

  @Test func `an unknown level in the environment is a warning`() throws {
    let running = try Running(
      bench, "trendyd", ["run", "--store", bench.store()], environment: ["TRENDY_LOG_LEVEL": "loud"])
    defer { running.stop() }
    #expect(try eventually { running.text.contains(" info ") ? true : nil } == true)
    #expect(running.text.hasPrefix("Warning: TRENDY_LOG_LEVEL: The value 'loud' is invalid"), "\(running.text)")
  }

  @Test func `messages below the configured level are not logged`() throws {
    let hub = bench.store("hub")
    try #require(try bench.run("trendyd", ["hub", "init", "--data", hub, "--listen", "127.0.0.1:0"]).status == 0)
    let running = try Running(
      bench, "trendyd", ["run", "--role", "hub", "--data", hub, "--json", "--log-level", "warning"])
    defer { running.stop() }
    let url = try #require(
      try eventually { running.text.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map { String($0.output) } })
    #expect(try bench.shell("curl -sf '\(url)/api/v1/health'").status == 0)
    running.stop()
    #expect(running.text.split(separator: "\n").count == 1, "\(running.text)")
  }
}
