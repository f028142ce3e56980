import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests `trendy demo`, which shows sample data to users without a store.
@Suite("Demo", .waitsForPrograms, .timeLimit(.minutes(10)))
struct LookingAroundTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func temporaryStores(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  @Test func `The demo shows the sample data and leaves no files behind`() throws {
    let temporary = bench.folder.appending(path: "tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
    let tour = try bench.run("trendy", ["demo", "--years", "1"], environment: ["TMPDIR": temporary.path])
    #expect(tour.status == 0, "\(tour.talk)")
    #expect(tour.output.contains("$ trendy stats coffee"))
    // The strength of the correlation and the last trips vary with the current date.
    #expect(tour.output.contains(#/More run on days with more stretching \((strong|moderate) correlation\)/#))
    #expect(tour.output.contains("More headache on the day after more wine"))
    #expect(tour.output.contains(#/→ Home|Home →/#))
    #expect(try temporaryStores(in: temporary).isEmpty)
    let count = try bench.run("trendy", ["demo", "--years", "1", "--json"], environment: ["TMPDIR": temporary.path])
    #expect(try count.document["store"] == .null)
    #expect(try (count.document["events"]?.intValue ?? 0) > 2000)
    #expect(try temporaryStores(in: temporary).isEmpty)
  }

  @Test("An interrupted demo leaves no files behind", arguments: [SIGINT, SIGTERM])
  func isEnded(signal: Int32) throws {
    let temporary = bench.folder.appending(path: "tmp-\(signal)")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
    let tour = try Running(
      bench, "trendy", ["demo", "--years", "20"], environment: ["TMPDIR": temporary.path])
    defer { tour.kill() }
    // Waits until the sample data is being generated, which takes several seconds.
    #expect(
      try eventually {
        let stores = try temporaryStores(in: temporary)
        let files = try stores.first.map { try temporaryStores(in: temporary.appending(path: $0)) } ?? []
        return files.contains { $0.hasPrefix("log-") } ? true : nil
      } == true)
    kill(tour.process.processIdentifier, signal)
    tour.process.waitUntilExit()
    #expect(
      tour.process.terminationReason == .exit && tour.process.terminationStatus == 128 + signal && tour.text.isEmpty,
      "\(tour.process.terminationStatus) \(tour.text)")
    #expect(try temporaryStores(in: temporary).isEmpty)
  }

  @Test func `A kept demo is an ordinary store, and existing files are never overwritten`() throws {
    let kept = bench.folder.appending(path: "kept")
    let made = try bench.run("trendy", ["demo", "--years", "1", "--keep", kept.path, "--json"])
    #expect(made.status == 0, "\(made.talk)")
    let listed = try bench.run("trendy", ["list", "--limit", "0", "--ndjson", "--store", kept.path])
    #expect(try Int64(listed.output.split(separator: "\n").count) == made.document["events"]?.intValue)
    #expect(try bench.run("trendy", ["doctor", "--store", kept.path]).status == 0)
    let again = try bench.run("trendy", ["demo", "--keep", kept.path])
    #expect(again.status == 73)
    #expect(again.talk.contains("never overwritten"), "\(again.talk)")
    for words in [["--years", "0"], ["--years", "many"], ["--seed", "-1"]] {
      #expect(try bench.run("trendy", ["demo"] + words).status == 64)
    }
  }
}
