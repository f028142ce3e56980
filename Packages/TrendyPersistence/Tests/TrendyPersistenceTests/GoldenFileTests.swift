import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Files in format version 1, which every later version must be able to read (docs/format.md).
///
/// To write them again, set `TRENDY_GOLDEN` to a folder.
@Suite("Golden files")
struct GoldenFileTests {
  private struct Row: Hashable {
    var kind: UInt8
    var key: RowKey
    var sort: Int64
    var group: UInt64
    var payload: [UInt8]
  }

  private static let folder = Bundle.module.url(forResource: "Resources/golden", withExtension: nil)
  private static let written = ["/store/manifest", "/store/segment-", "/store/log-", "/store/tracks/", "/stick/"]

  private func disk() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    for directory in ["/store", "/store/tracks", "/stick"] { try disk.createDirectory(directory) }
    let folder = try #require(Self.folder)
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      guard let bytes = try? Data(contentsOf: folder.appending(path: name)) else { continue }  // a folder
      disk.setContents("/" + name, Array(bytes))
    }
    return disk
  }

  private func rows(_ directory: String, on disk: SimulatedFileSystem) throws -> [Row] {
    let engine = try StorageEngine.open(directory: directory, fileSystem: disk, options: EngineFixture.options)
    return try (0...UInt8.max).flatMap { kind in
      try engine.scan(kind: kind).map {
        Row(kind: $0.kind, key: $0.key, sort: $0.sort, group: $0.group, payload: $0.payload)
      }
    }
  }

  @Test func `a store is read, changed and sealed`() throws {
    let disk = try disk()
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: EngineFixture.options)
    let store = factory.makeLocalStore()
    var expected = GoldenRecord.events.sorted { $0.id < $1.id }
    func stored() throws -> [Event] { try store.fetchAllEvents().sorted { $0.id < $1.id } }
    #expect(try stored() == expected)
    for event in expected { #expect(try store.findEvent(id: event.id) == event) }
    for type in GoldenRecord.types {
      let found = try store.events(in: nil, ofType: type, limit: nil)
      #expect(Set(found) == Set(expected.filter { $0.eventTypeId == type }))
    }
    for index in expected.indices where index % 3 == 0 {
      expected[index].notes = "changed again"
      try store.upsertEvent(id: expected[index].id) { $0.notes = "changed again" }
    }
    try store.save()
    while try factory.maintain(sealingAll: true) {}
    #expect(try stored() == expected)
    let again = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk.anotherProcess())
    #expect(try again.makeLocalStore().fetchAllEvents().sorted { $0.id < $1.id } == expected)
  }

  @Test(arguments: GoldenRecord.stores) func `this version writes the same rows`(store: StoreBackup.Store) throws {
    let (golden, fresh) = (try disk(), try GoldenRecord.write())
    let rows = try rows(store.directory, on: golden)
    #expect(try !rows.isEmpty && rows == self.rows(store.directory, on: fresh))
    for path in golden.files where path.hasPrefix(store.directory) {
      #expect(try #require(golden.contents(path))[8..<12] == [1, 0, 0, 0], "\(path)")
    }
    let report = try StorageEngine.verify(
      directory: store.directory, fileSystem: golden, options: EngineFixture.options)
    #expect(report.findings.isEmpty && report.records == rows.count)
  }

  @Test func `a track is read`() throws {
    let log = try TrackLog(
      directory: "/store/tracks", fileSystem: disk(), options: TrackFixture.options, generator: FixedGenerator())
    #expect(try TrackFixture.readings(in: log) == GoldenRecord.track)
    #expect(try log.note(.finding, id: "trip-1")?.note == GoldenRecord.note)
    let unread = try log.unread(device: "phone")
    #expect(unread?.since == TrackFixture.moment(0) && unread?.through == TrackFixture.moment(59))
  }

  @Test func `a backup is restored`() throws {
    let golden = try disk()
    let empty = SimulatedFileSystem()
    empty.setContents(GoldenRecord.backupPath, try #require(golden.contents(GoldenRecord.backupPath)))
    _ = try StoreBackup.restore(
      from: GoldenRecord.backupPath, to: GoldenRecord.stores, keptIn: "/stick/before", nowMillis: 0, fileSystem: empty,
      options: EngineFixture.options)
    for store in GoldenRecord.stores {
      #expect(try rows(store.directory, on: empty) == rows(store.directory, on: golden))
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["TRENDY_GOLDEN"] != nil))
  func `golden files are written`() throws {
    let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["TRENDY_GOLDEN"]))
    let disk = try GoldenRecord.write()
    for path in disk.files where Self.written.contains(where: path.hasPrefix) && !path.hasSuffix("lock") {
      guard path.split(separator: "/").last != "maintenance", !path.hasSuffix(".new") else { continue }
      let url = folder.appending(path: String(path.dropFirst()))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(try #require(disk.contents(path))).write(to: url)
    }
  }
}
