import Foundation
import Testing
import TrendyPersistence

/// Runs `trendy-torture` for a few seconds, and checks that it detects lost data.
@Suite("trendy-torture", .timeLimit(.minutes(10)))
struct TortureTests {
  private func torture(_ words: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "trendy-torture")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test func `no data is lost within a few seconds, and a deleted row is detected`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-torture-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try torture("--seconds", "4", "--dir", folder)
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("no data lost"))
    #expect(try torture("--check", folder).status == 0)
    let engine = try StorageEngine.open(directory: folder + "/store")
    let row = try #require(try engine.scan(kind: 1).first)
    try engine.write { transaction throws(StorageError) in transaction.delete(kind: 1, key: row.key) }
    let missed = try torture("--check", folder)
    #expect(missed.status == 1 && missed.output.contains("LOST"), "\(missed.output)")
  }

  @Test func `a missing acknowledged save is detected`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-torture-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try torture("--seconds", "0.5", "--dir", folder).status == 0)
    let ledger = URL(filePath: folder + "/ledger-1")
    let noted = (try? Data(contentsOf: ledger)) ?? Data()  // empty if killed before the first save
    try (noted + Data([1, 1])).write(to: ledger)
    let missed = try torture("--check", folder)
    #expect(missed.status == 1 && missed.output.contains("acknowledged"), "\(missed.output)")
    #expect(try torture("--seconds").status == 2)
  }
}
