import Foundation
import Testing
import TrendyModels

/// The daemon's log: its formats, its levels, and the journal.
@Suite("The daemon's log", .waitsForPrograms, .timeLimit(.minutes(20)))
struct LogTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Runs an agent with an ingest as the shell line says, asks it once for what is not there, ends it, and returns its log.
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
    func text() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }  // not there yet is empty
    let url = try #require(
      try eventually { text().firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/).map { String($0.output) } })
    #expect(try bench.shell("curl -s -o /dev/null '\(url)/no%0Awhere'").status == 0)
    #expect(try eventually { text().contains(" GET ") || text().contains(#""GET""#) ? true : nil } == true)
    agent.stop()
    return text().split(separator: "\n")
  }

  @Test func `a line of text has its time, its level and its words`() throws {
    let lines = try log("")
    #expect(lines.count >= 3, "\(lines)")
    for line in lines {
      #expect(line.contains(/^2[0-9-]+T[0-9:.]+Z (info|warning|error) ./), "\(line)")
    }
    #expect(lines.contains { $0.contains(" info 404 GET ") }, "\(lines)")
  }

  @Test func `a line of JSON is a document with time and level, whatever it tells of`() throws {
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

  @Test func `the journal is told the level by a prefix, and no time`() throws {
    let lines = try log("", before: "export JOURNAL_STREAM=$(stat -Lc %d:%i /dev/fd/2);")
    #expect(lines.contains { $0.hasPrefix("<6>Agent: ") } && lines.contains { $0.hasPrefix("<6>404 GET ") }, "\(lines)")
    #expect(lines.allSatisfy { $0.contains(/^<[346]>[^0-9 ]|^<6>404/) }, "\(lines)")
  }

  @Test func `a standard error that is not the journal's gets text, although JOURNAL_STREAM was passed on`() throws {
    let lines = try log("", before: "export JOURNAL_STREAM=1:2;")
    #expect(lines.allSatisfy { $0.hasPrefix("2") }, "\(lines)")
  }

  @Test(
    "levels and formats that there are not are refused, whoever says them",
    arguments: [
      (["--log-level", "loud"], [:], "debug, info, warning, error"), (["--log-format", "xml"], [:], "text or json"),
      ([], ["TRENDY_LOG_LEVEL": "loud"], "debug, info, warning, error"),
    ])
  func refused(words: [String], environment: [String: String], hint: String) throws {
    let result = try bench.run("trendyd", ["run", "--store", bench.store()] + words, environment: environment)
    #expect(result.status == (words.isEmpty ? 78 : 64) && result.talk.contains(hint), "\(result.talk)")
  }

  @Test func `below the level that was asked for nothing is logged`() throws {
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
