import Foundation
import StorageTesting
import Testing
import TrendyPersistence

/// Stores that earlier versions wrote, as they were.
@Suite("Earlier versions")
struct EarlierVersionTests {
  /// Twenty saves of four in two chunks; one of them deletes 5.
  private func store(_ version: Int) throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let folder = try #require(Bundle.module.url(forResource: "Resources/version-\(version)", withExtension: nil))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      disk.setContents("/store/" + name, Array(try Data(contentsOf: folder.appending(path: name))))
    }
    return disk
  }

  @Test func `a store of version 1 is read, saved to and sealed`() throws {
    let disk = try store(1)
    let engine = try EngineFixture.open(disk)
    #expect(engine.recovery.saves == 20 && !engine.recovery.wasCut)
    let expected = (0..<80).filter { $0 != 5 }
    #expect(try EngineFixture.numbers(in: engine) == expected)
    try EngineFixture.put([80], in: engine)
    try engine.maintain(sealingAll: true)
    #expect(disk.files.contains { $0.hasPrefix("/store/segment-") })
    #expect(!disk.files.contains("/store/log-1"))
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == expected + [80])
  }

  @Test func `a store without segments stays one that version 1 reads`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put(0..<4, in: EngineFixture.open(disk))
    for name in ["log-1", "manifest"] {
      let bytes = try #require(disk.contents("/store/" + name))
      #expect(bytes[8..<12] == [1, 0, 0, 0])
    }
  }
}
