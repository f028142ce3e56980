import Foundation
import Testing

@testable import SyncBenchmark

@Suite("trendy-bench sync", .timeLimit(.minutes(10)))
struct SyncBenchmarkTests {
  /// Path of the program, which `swift test` builds next to the test bundle.
  private static var program: String {
    Bundle.main.bundleURL.appending(path: "trendy-bench-sync").path
  }

  @Test(
    "each workload prints its measurements after doing all of its work",
    arguments: [("push", 60), ("pull", 700), ("catch-up", 30), ("bootstrap", 40), ("empty", 5), ("live", 3)])
  func workloads(name: String, count: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-bench-\(name)-\(getpid())")
    let options = try SyncOptions(["--workload", name, "--n", "\(count)", "--dir", folder.path])
    let line = try await SyncBenchmark(options, program: Self.program).run()
    let figures = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(figures["suite"] as? String == "sync")
    #expect(figures["workload"] as? String == name)
    #expect(figures["ops"] as? Int == count)
    let requests = try #require(figures["requests"] as? Int)
    switch name {
    case "empty": #expect(requests == count, "an empty sync is one round trip")
    case "pull": #expect(requests == 3, "a page of 100, one of 500, and the rest")
    case "bootstrap": #expect(requests <= 2)
    default: #expect(requests > 0)
    }
    for key in ["seconds", "ops_per_s", "peak_rss_kb", "hub_peak_rss_kb"] {
      #expect((figures[key] as? Double ?? 0) > 0, "\(key)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `an existing folder is rejected and not changed`() async throws {
    let options = try SyncOptions(["--workload", "push", "--dir", NSTemporaryDirectory()])
    await #expect(throws: UsageError.self) { try await SyncBenchmark(options, program: Self.program).run() }
  }

  @Test(
    "invalid options are rejected with an explanation",
    arguments: [
      ([], "--workload is missing"), (["--workload"], "--workload needs a value"),
      (["--workload", "fast"], "unknown workload \"fast\""), (["--n", "0"], "--n must be an integer"),
      (["--n", "x"], "--n must be an integer"), (["--dir", ""], "--dir must not be empty"),
      (["--depth", "1"], "unknown option --depth"),
    ])
  func options(arguments: [String], words: String) {
    let error = #expect(throws: UsageError.self) { try SyncOptions(arguments) }
    #expect(error?.text.contains(words) == true)
  }

  @Test func `each workload has a default count`() throws {
    #expect(try SyncOptions(["--workload", "bootstrap"]).count == 100_000)
    #expect(try SyncOptions(["--workload", "bootstrap", "--n", "7"]).count == 7)
  }
}
