import Foundation
import Testing

@Suite("Counts after an import", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ImportCountsTests {
  @Test func `a large import caches its daily counts, and the first statistics use them`() throws {
    let bench = try Workbench()
    // Daily counts are cached for sealed segments only, so the import must be large enough to seal a segment.
    let rows = (0..<30_000).map { index in
      "swim,2026-0\(1 + index / 5000)-\(10 + index % 19)T\(10 + index % 14):\(10 + index % 50):00Z,\(index)\n"
    }
    let file = bench.folder.appending(path: "table.csv")
    try Data("type,start,count\n\(rows.joined())".utf8).write(to: file)
    try bench.trendy("init")
    #expect(try bench.trendy("import", file.path, "--dry-run").status == 0)
    #expect(try Self.counts(of: bench).isEmpty)
    #expect(try bench.trendy("import", file.path).status == 0)
    let counts = try Self.counts(of: bench)
    #expect(!counts.isEmpty)
    let stats = try bench.trendy("stats", "swim")
    #expect(stats.status == 0 && stats.output.contains("30000 entries"), "\(stats.output)\(stats.talk)")
    #expect(try Self.counts(of: bench) == counts)
  }

  /// Returns the files with cached daily counts and their modification dates.
  private static func counts(of bench: Workbench) throws -> [String: Date] {
    let folder = bench.folder.appending(path: ".cache/trendy/insights")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
    var counts: [String: Date] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".tally") {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      counts[name] = try #require(attributes[.modificationDate] as? Date)
    }
    return counts
  }
}
