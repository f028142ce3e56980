import Foundation
import StorageTesting
import Testing
import TrendyModels
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

  @Test(arguments: 2...4) func `rows and segments of earlier versions are read, changed and sealed`(version: Int) throws
  {
    let disk = try store(version)
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: EngineFixture.options)
    let store = factory.makeLocalStore()
    var expected = EarlierVersionRows.events.sorted { $0.id < $1.id }
    func held() throws -> [Event] { try store.fetchAllEvents().sorted { $0.id < $1.id } }
    #expect(try held() == expected)
    for event in expected { #expect(try store.findEvent(id: event.id) == event) }
    for type in EarlierVersionRows.types {
      let found = try store.events(in: nil, ofType: type, limit: nil)
      #expect(Set(found) == Set(expected.filter { $0.eventTypeId == type }))
    }
    #expect(try store.syncCursor() == 99)
    func expectLookups() throws {
      for event in expected {
        #expect(try store.events(idBeginning: event.id, limit: .max).contains(event))
      }
      let last = try store.lastRecordedEvents(expected.count, from: Set(EventSourceType.allCases))
      #expect(Set(last.map(\.id)) == Set(expected.map(\.id)))
    }
    try expectLookups()
    for index in expected.indices where index % 3 == 0 {
      expected[index].notes = "after version \(version)"
      try store.upsertEvent(id: expected[index].id) { $0.notes = "after version \(version)" }
    }
    try store.save()
    #expect(try held() == expected)
    while try factory.maintain(sealingAll: true) {}
    #expect(try held() == expected)
    try expectLookups()
    let again = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk.anotherProcess())
    #expect(try again.makeLocalStore().fetchAllEvents().sorted { $0.id < $1.id } == expected)
  }

  @Test func `rows of this version never go into a chunk that earlier programs read`() throws {
    for version in 1...2 {
      let disk = try store(version)
      let before = disk.files.filter { $0.hasPrefix("/store/log-") }
      let engine = try EngineFixture.open(disk)
      try EngineFixture.put([1000], in: engine)
      let added = disk.files.filter { $0.hasPrefix("/store/log-") && !before.contains($0) }
      #expect(added.count == 1)
      for chunk in before { #expect(try #require(disk.contents(chunk))[8..<12] == [1, 0, 0, 0]) }
      for chunk in added { #expect(try #require(disk.contents(chunk))[8..<12] == [3, 0, 0, 0]) }
      // And the next one follows in it.
      try EngineFixture.put([1001], in: engine)
      #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count == before.count + 1)
    }
  }
}
