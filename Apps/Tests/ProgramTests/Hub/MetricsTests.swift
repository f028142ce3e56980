import Foundation
import Testing

@Suite("Metrics", .waitsForPrograms, .timeLimit(.minutes(20)))
struct MetricsTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func metrics(_ words: String...) throws -> [Substring: Double] {
    let result = try bench.run(
      "trendyd", ["metrics", "--store", bench.store(), "--data", bench.store("hub")] + words)
    try #require(result.status == 0, "\(result.talk)")
    var values: [Substring: Double] = [:]
    var described: Substring?
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "#" {
        described = words[2]
      } else {
        #expect(words.count == 2 && words[0] == described, "\(line)")
        values[words[0]] = Double(words[1])
      }
    }
    return values
  }

  @Test func `metrics of store and hub report pending changes, failures, users and devices`() throws {
    try bench.trendy("init")
    let alone = try metrics()
    #expect(alone["trendy_sync_connected"] == 0 && alone["trendy_agent_up"] == 0 && alone["trendy_hub_up"] == nil)
    let hub = try TestHub(bench)
    try #require(try bench.trendy("connect", hub.url, try hub.code()).status == 0)
    let served = try metrics()
    #expect(served["trendy_hub_up"] == 1 && served["trendy_hub_people"] == 1 && served["trendy_hub_devices"] == 1)
    #expect(served["trendy_sync_failing"] == 0 && served["trendy_sync_waiting_changes"] == 0)
    #expect((served["trendy_sync_last_success_timestamp_seconds"] ?? 0) > 1_700_000_000)
    hub.stop()
    try bench.trendy("log", "coffee")
    try bench.trendy("sync")
    let away = try metrics()
    #expect(away["trendy_hub_up"] == 0 && away["trendy_sync_failing"] == 1 && away["trendy_sync_waiting_changes"] == 1)
    #expect(try metrics("--role", "hub").keys.allSatisfy { $0.hasPrefix("trendy_hub_") })
  }

  @Test func `metrics without a store or a hub fail and create nothing`() throws {
    for words in [[], ["--role", "agent"], ["--role", "hub"]] {
      let result = try bench.run(
        "trendyd", ["metrics", "--store", bench.store("s"), "--data", bench.store("d")] + words)
      #expect(result.status == 66 && result.talk.contains("Hint:"), "\(result.talk)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.store("s")))
    #expect(!FileManager.default.fileExists(atPath: bench.store("d")))
  }
}
