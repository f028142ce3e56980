import Foundation
import Testing
import TrendyModels

/// An agent beside receivers that never stop talking.
@Suite("An agent's receivers", .timeLimit(.minutes(10)))
struct ReceiverTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init", store: "phone")
  }

  @Test func `an hour of a fix a second asks the hub for nothing, and is one trip when it is over`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    let agent = try Running(
      bench, "trendyd",
      ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1d", "--ingest", "127.0.0.1:0"])
    defer { agent.stop() }
    let url = try agent.ingestURL()
    let secret = try bench.ingestToken("phone")
    func requests() -> Int { hub.log.split(separator: "\n").count { $0.contains("/api/v1/") } }
    // The agent has said hello when it has read what there was.
    let isIdle = try eventually {
      try bench.trendy("sync", "status", "--json", store: "phone").document.objectValue?["sync"]?.objectValue?[
        "waiting"] == 0 && requests() > 0 ? true : nil
    }
    try #require(isIdle == true, "\(agent.text)")
    try #require(try bench.trendy("sync", store: "phone").status == 0)

    // Half an hour of driving that ended half an hour ago; each fix a request of its own.
    let end = Date().timeIntervalSince1970.rounded() - 60
    func post(_ seconds: ClosedRange<Int>) throws {
      let lines = seconds.map { second in
        let latitude = 52 + Double(min(second, 1800)) * 12 / 111_250
        return "url = \"\(url)/gpslogger?lat=\(latitude)&lon=4&acc=5&timestamp=\(Int(end) - 3600 + second)\""
      }
      let file = bench.folder.appending(path: "fixes-\(seconds.lowerBound)")
      try Data((["header = \"Authorization: Bearer \(secret)\""] + lines).joined(separator: "\n").utf8).write(to: file)
      let posted = try bench.shell("curl -sf --config '\(file.path)' | wc -c")
      try #require(posted.status == 0, "\(posted.talk)")
    }
    let before = requests()
    try post(0...1800)
    // It is shown all the same.
    let isShown = try eventually {
      let status = try bench.run("trendyd", ["status", "--json", "--store", bench.store("phone")]).document.objectValue
      return status?["trip"]?.objectValue?["distance_m"]?.doubleValue ?? 0 > 21_000 ? true : nil
    }
    #expect(isShown == true, "\(agent.text)")
    let driving = requests()
    #expect(driving - before <= 4, "\(driving - before) requests for 1801 fixes: \(hub.log.suffix(2000))")
    try post(1801...3600)
    // It was over five minutes after the last movement: one round tells of it.
    let isTold = try eventually { requests() > driving ? true : nil }
    #expect(isTold == true, "\(agent.text)")
    let after = requests()
    #expect(after - driving <= 8, "\(after - driving) requests for 1800 fixes: \(hub.log.suffix(2000))")
    try bench.trendy("init", store: "laptop")
    try #require(try bench.trendy("connect", hub.url, hub.code(), store: "laptop").status == 0)
    let list = try eventually {
      try #require(try bench.trendy("sync", store: "laptop").status == 0)
      let list = try bench.trendy("trip", "list", "--json", store: "laptop").document.objectValue?["trips"]
      return list?.arrayValue?.isEmpty == false ? list?.arrayValue : nil
    }
    #expect(list?.count == 1)
    #expect(abs((list?.first?.objectValue?["distance_m"]?.doubleValue ?? 0) - 21_600) < 300)
  }
}

extension Running {
  /// Where an agent's trackers post to.
  func ingestURL() throws -> String {
    try #require(
      try eventually {
        guard process.isRunning else { throw BenchError(text) }
        guard let start = text.firstRange(of: "post to ")?.upperBound else { return nil }
        return text[start...].split(separator: " ").first.map(String.init)
      })
  }
}

extension Workbench {
  func ingestToken(_ store: String) throws -> String {
    try String(contentsOf: URL(filePath: self.store(store)).appending(path: "ingest-token"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
