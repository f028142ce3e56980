import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("StoreMode", .timeLimit(.minutes(10)))
struct StoreModeTests {
  enum Disk: String, CaseIterable, CustomTestStringConvertible {
    case real, simulated

    var testDescription: String { rawValue }

    func makePlace() throws -> Place {
      switch self {
      case .real:
        let folder = try TemporaryFolder()
        return Place(parent: folder.path, fileSystem: PosixFileSystem(), folder: folder)
      case .simulated:
        let disk = SimulatedFileSystem()
        try disk.createDirectory("/home")
        return Place(parent: "/home", fileSystem: disk, folder: nil)
      }
    }
  }

  struct FileState: Hashable {
    var bytes: [UInt8]
    var changed: Double
  }

  struct Place {
    let parent: String
    let fileSystem: any FileSystem
    let folder: TemporaryFolder?
    var directory: String { parent + "/store" }

    func open(_ mode: StoreMode) throws(StorageError) -> DefaultDataStoreFactory {
      let disk = fileSystem as? SimulatedFileSystem
      return try DefaultDataStoreFactory(
        directory: directory, mode: mode, fileSystem: disk?.anotherProcess() ?? fileSystem,
        options: LocalStoreTests.options)
    }

    /// Returns the state of every file. On a simulated disk, the number of changes replaces the modification times.
    func state() throws -> [String: FileState] {
      var state: [String: FileState] = [:]
      if let disk = fileSystem as? SimulatedFileSystem {
        for path in disk.files { state[path] = FileState(bytes: disk.contents(path) ?? [], changed: 0) }
        state["changes"] = FileState(bytes: [], changed: Double(disk.changes))
        return state
      }
      for name in try FileManager.default.subpathsOfDirectory(atPath: parent) {
        let path = parent + "/" + name
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let date = try #require(attributes[.modificationDate] as? Date)
        let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
        let bytes = isFolder ? [] : [UInt8](try Data(contentsOf: URL(filePath: path)))
        state[name] = FileState(bytes: bytes, changed: date.timeIntervalSinceReferenceDate)
      }
      return state
    }
  }

  private static func record(_ ids: [String], in factory: DefaultDataStoreFactory) throws {
    let store = factory.makeDataStore()
    for id in ids { try store.upsertGeofence(id: id) { $0.name = "n" } }
    try store.save()
  }

  private static func ids(_ store: any DataStoreProtocol) throws -> [String] {
    try store.fetchAllGeofences().map(\.id).sorted()
  }

  @Test(arguments: Disk.allCases, [StoreMode.mustExist, .readOnly])
  func `a missing store is not created`(disk: Disk, mode: StoreMode) throws {
    let place = try disk.makePlace()
    let before = try place.state()
    #expect(throws: StorageError.notFound(path: place.directory)) { _ = try place.open(mode) }
    #expect(try place.state() == before)
    try place.fileSystem.createDirectory(place.directory)
    let empty = try place.state()
    #expect(throws: StorageError.notFound(path: place.directory)) { _ = try place.open(mode) }
    #expect(try place.state() == empty)
  }

  @Test func `the error for a mistyped path states what to do`() throws {
    let folder = try TemporaryFolder()
    let error = try #require(throws: StorageError.self) {
      _ = try DefaultDataStoreFactory(directory: URL(filePath: folder.path + "/stoer"), mode: .readOnly)
    }
    #expect(error.description == "\(folder.path)/stoer contains no store: nothing was created; check the path")
    try Data().write(to: URL(filePath: folder.path + "/file"))
    #expect(throws: StorageError.notAFolder(path: folder.path + "/file")) {
      _ = try DefaultDataStoreFactory(directory: URL(filePath: folder.path + "/file"), mode: .mustExist)
    }
  }

  @Test(arguments: Disk.allCases)
  func `an existing store is opened for writing`(disk: Disk) throws {
    let place = try disk.makePlace()
    try Self.record(["a"], in: place.open(.createIfMissing))
    try Self.record(["b"], in: place.open(.mustExist))
    #expect(try Self.ids(place.open(.mustExist).makeDataStore()) == ["a", "b"])
  }

  @Test(arguments: Disk.allCases)
  func `a reader sees the saves of others and changes nothing`(disk: Disk) throws {
    let place = try disk.makePlace()
    let writer = try place.open(.createIfMissing)
    try Self.record(["a"], in: writer)
    let before = try place.state()
    let reader = try place.open(.readOnly)
    for _ in 0..<70 { #expect(try Self.ids(reader.makeDataStore()) == ["a"]) }
    #expect(try place.state() == before)

    // Add chunks, a segment, and a new manifest.
    var expected = ["a"]
    for round in 0..<3 {
      let ids = (0..<1000).map { "\(round)-\($0)" }
      try Self.record(ids, in: writer)
      expected += ids
      while try writer.maintain(sealingAll: round == 1) {}
      let after = try place.state()
      #expect(try Self.ids(reader.makeDataStore()) == expected.sorted())
      #expect(try Self.ids(place.open(.readOnly).makeDataStore()) == expected.sorted())
      reader.releaseMemory()
      #expect(try place.state() == after)
    }
    #expect(try place.state().keys.contains { $0.contains("segment-") })
  }

  @Test(arguments: Disk.allCases)
  func `a store without a lock file can be read`(disk: Disk) throws {
    let place = try disk.makePlace()
    try Self.record(["a"], in: place.open(.createIfMissing))
    try place.fileSystem.remove(place.directory + "/lock")
    let before = try place.state()
    let reader = try place.open(.readOnly)
    for _ in 0..<10 { #expect(try Self.ids(reader.makeDataStore()) == ["a"]) }
    #expect(try place.state() == before)
  }

  @Test(arguments: Disk.allCases)
  func `every write of a reader throws and changes nothing`(disk: Disk) throws {
    let place = try disk.makePlace()
    try Self.record(["a"], in: place.open(.createIfMissing))
    let before = try place.state()
    let reader = try place.open(.readOnly)
    let refusal = StorageError.openedReadOnly(path: place.directory)
    let store = reader.makeLocalStore()
    #expect(throws: refusal) { try store.upsertGeofence(id: "b") { $0.name = "n" } }
    #expect(throws: refusal) { try store.deleteGeofence(id: "a") }
    #expect(throws: refusal) { try store.deleteAllGeofences() }
    #expect(throws: refusal) { try store.setSyncCursor(1) }
    #expect(throws: refusal) { try store.setNote("x", named: "n") }
    #expect(throws: refusal) { try store.beginWriting() }
    #expect(throws: refusal) { try reader.maintain(sealingAll: true) }
    #expect(throws: refusal) { try reader.performMaintenance() }
    #expect(throws: refusal) { _ = try reader.lockForSync() }
    try store.save()
    store.rollback()
    #expect(try Self.ids(store) == ["a"])
    #expect(try place.state() == before)
    #expect("\(refusal)".hasPrefix("\(place.directory) is open for reading only: nothing was changed"))
  }

  @Test func `a reader skips an unfinished save and leaves its bytes to the next writer`() throws {
    for change in 1... {
      let disk = SimulatedFileSystem()
      let place = Place(parent: "", fileSystem: disk, folder: nil)
      let writer = try place.open(.createIfMissing)
      try Self.record(["a"], in: writer)
      disk.powerOff(beforeChange: change)
      do {
        try Self.record(["b"], in: writer)
        break
      } catch {
        #expect(disk.isOff)
      }
      disk.restart(losing: .random(seed: UInt64(change)))
      let before = try place.state()
      let ids = try Self.ids(place.open(.readOnly).makeDataStore())
      #expect(ids == ["a"] || ids == ["a", "b"])
      #expect(try place.state() == before)
      #expect(try Self.ids(place.open(.mustExist).makeDataStore()) == ids)
    }
  }

  @Test(arguments: [StoreMode.mustExist, .readOnly])
  func `an interrupted creation is not a store, and saves without a manifest are damage`(mode: StoreMode) throws {
    let disk = SimulatedFileSystem()
    disk.powerOff(beforeChange: 8)
    #expect(throws: StorageError.self) { _ = try EngineFixture.open(disk) }
    disk.restart(losing: .nothing)
    #expect(disk.contents("/store/log-1") != nil && disk.contents("/store/manifest") == nil)
    let before = disk.changes
    func open() throws { _ = try StorageEngine.open(directory: "/store", mode: mode, fileSystem: disk) }
    #expect(throws: StorageError.notFound(path: "/store")) { try open() }
    #expect(disk.changes == before)
    try EngineFixture.put([1], in: EngineFixture.open(disk))
    try disk.remove("/store/manifest")
    #expect(throws: StorageError.damaged(path: "/store/manifest", offset: 0)) { try open() }
  }

  @Test func `a store that was removed after a failed sync is not replaced by an empty one`() throws {
    let disk = SimulatedFileSystem()
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: LocalStoreTests.options)
    try Self.record(["a"], in: factory)
    disk.fail(SimulatedFileSystem.Fault(operation: .synchronize, call: 1, code: EIO))
    #expect(throws: StorageError.syncFailed(path: "/store/log-1", code: EIO)) { try Self.record(["b"], in: factory) }
    disk.fail(nil)
    for file in disk.files { try disk.remove(file) }
    #expect(throws: StorageError.notFound(path: "/store")) { _ = try factory.makeDataStore().fetchAllGeofences() }
    #expect(disk.files.isEmpty)
  }

  @Test func `a store that was created while a reader looked for it is opened`() throws {
    let disk = SimulatedFileSystem()
    let intruded = IntrudedFileSystem(disk, beforeOpenings: [2], of: "/store/manifest") {
      do { try EngineFixture.put([1], in: EngineFixture.open(disk.anotherProcess())) } catch { Issue.record(error) }
    }
    let reader = try StorageEngine.open(directory: "/store", mode: .readOnly, fileSystem: intruded)
    #expect(try EngineFixture.numbers(in: reader) == [1])
  }

  /// At first the reader finds only half of a save. The save completes just before the reader opens `file`.
  @Test(arguments: [("/store/lock", 1), ("/store/log-2", 1), ("/store/log-2", 2)])
  func `a save that completes during the opening of a reader is not damage`(file: String, opening: Int) throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let lock = try #require(disk.contents("/store/lock"))
    let first = try #require(disk.contents("/store/log-1"))
    try EngineFixture.put(2..<20, in: engine)
    let whole = (lock: try #require(disk.contents("/store/lock")), log: try #require(disk.contents("/store/log-1")))
    let changed = zip(first, whole.log).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    let middle = (try #require(changed.first) + #require(changed.last)) / 2
    disk.setContents("/store/log-1", Array(whole.log[..<middle]) + Array(first[middle...]))
    disk.setContents("/store/lock", lock)
    let intruded = IntrudedFileSystem(disk.anotherProcess(), beforeOpenings: [opening], of: file) {
      disk.setContents("/store/log-1", whole.log)
      disk.setContents("/store/lock", whole.lock)
      do {
        let writer = try EngineFixture.open(disk.anotherProcess())
        for number in 20..<100 { try EngineFixture.put([number], in: writer) }
      } catch {
        Issue.record(error)
      }
    }
    let reader = try StorageEngine.open(
      directory: "/store", mode: .readOnly, fileSystem: intruded, options: EngineFixture.options)
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == Array(1..<100))
    #expect(disk.contents("/store/log-2") != nil)
  }

  @Test func `a reader reports damage before a confirmed save`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let end = try #require(disk.contents("/store/log-1")?.lastIndex { $0 != 0 })
    try EngineFixture.put([2], in: engine)
    var bytes = try #require(disk.contents("/store/log-1"))
    let last = try #require(bytes.lastIndex { $0 != 0 })
    bytes[last - 4] ^= 1
    disk.setContents("/store/log-1", bytes)
    let error = try #require(throws: StorageError.self) {
      _ = try StorageEngine.open(directory: "/store", mode: .readOnly, fileSystem: disk)
    }
    guard case .damaged("/store/log-1", let offset) = error else {
      Issue.record(error)
      return
    }
    #expect(offset > end - 8 && offset <= last)
  }
}
