import StorageTesting
import Testing
import TrendyPersistence

@Suite("Repair", .timeLimit(.minutes(10)))
struct RepairTests {
  private static let options = EngineFixture.options

  /// Returns a store with forty saves of three rows, in a few chunks.
  private func store() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for save in 0..<40 { try EngineFixture.put(save * 3..<save * 3 + 3, in: engine) }
    return disk.copy()
  }

  private func repair(_ disk: SimulatedFileSystem) throws(StorageError) -> RepairReport {
    try StorageEngine.repair(directory: "/store", fileSystem: disk, options: Self.options)
  }

  private func damage(_ disk: SimulatedFileSystem, _ path: String, at offset: Int) throws {
    var bytes = try #require(disk.contents(path))
    bytes[offset] ^= 0x10
    disk.setContents(path, bytes)
  }

  @Test func `an intact store is not changed`() throws {
    let disk = try store()
    disk.setContents("/store/maintenance", [])
    let before = disk.files.map { disk.contents($0) }
    #expect(try repair(disk) == RepairReport(wasDamaged: false, savesKept: 40))
    #expect(disk.files.map { disk.contents($0) } == before)
  }

  @Test func `one damaged save is set aside, all others are kept, and the store can be written`() throws {
    let disk = try store()
    try damage(disk, "/store/log-1", at: 64 + 100)
    let damaged = disk.contents("/store/log-1")
    #expect(throws: StorageError.damaged(path: "/store/log-1", offset: 64)) { _ = try EngineFixture.open(disk) }
    let report = try repair(disk)
    #expect(report.wasDamaged && report.savesKept == 39 && report.savesLost == 1)
    #expect(report.setAside.first == "/store/set-aside-2-log-1")
    #expect(disk.contents("/store/set-aside-2-log-1") == damaged)
    let engine = try EngineFixture.open(disk)
    #expect(try EngineFixture.numbers(in: engine) == Array(3..<120))
    try EngineFixture.put([500], in: engine)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == Array(3..<120) + [500])
    #expect(try repair(disk).wasDamaged == false)
  }

  @Test(arguments: ["manifest", "log-1", "log-2", "log-3"])
  func `a damaged header of any file loses no save`(name: String) throws {
    let disk = try store()
    try damage(disk, "/store/\(name)", at: 20)
    #expect(throws: StorageError.self) { _ = try EngineFixture.open(disk) }
    let report = try repair(disk)
    #expect(report.wasDamaged && report.savesKept == 40 && report.savesLost == 0)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(0..<120))
  }

  @Test func `a missing file loses its saves, and the report has their number`() throws {
    let disk = try store()
    try disk.remove("/store/log-2")
    let report = try repair(disk)
    let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
    #expect(report.savesLost > 0 && numbers.count == report.savesKept * 3)
    #expect(numbers.last == 119)
  }

  @Test func `without a manifest the store id is read from the logs, and without both the repair fails`() throws {
    let disk = try store()
    try disk.remove("/store/manifest")
    #expect(throws: StorageError.damaged(path: "/store/manifest", offset: 0)) { _ = try EngineFixture.open(disk) }
    #expect(try repair(disk).savesKept == 40)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(0..<120))
    let hopeless = try store()
    for path in hopeless.files where path != "/store/lock" { try damage(hopeless, path, at: 30) }
    #expect(throws: StorageError.damaged(path: "/store/manifest", offset: 0)) { _ = try repair(hopeless) }
  }

  /// Returns a store with rows 0..<120 in segments, two of them deleted, and rows 120..<126 in the log.
  private func sealedStore() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<120, in: engine)
    try engine.maintain(sealingAll: true)
    try engine.write { transaction throws(StorageError) in
      for number in [3, 50] { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
    }
    try engine.maintain(sealingAll: true)
    for save in 40..<42 { try EngineFixture.put(save * 3..<save * 3 + 3, in: engine) }
    #expect(disk.files.filter { $0.hasPrefix("/store/segment-") }.count == 2)
    return disk.copy()
  }

  private static let sealedNumbers = (0..<126).filter { $0 != 3 && $0 != 50 }

  @Test func `all rows in intact pages of a damaged segment are kept, and deleted rows stay deleted`() throws {
    let sound = try sealedStore()
    #expect(try !repair(sound).wasDamaged)
    let path = try #require(sound.files.first { $0.hasPrefix("/store/segment-") })
    let size = try #require(sound.contents(path)).count
    for offset in [64, 8000, size / 2, size - 500, size - 4] {
      let disk = sound.copy()
      try damage(disk, path, at: offset)
      let report = try repair(disk)
      #expect(report.wasDamaged && report.savesLost == 0 && report.savesKept == 2)
      let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
      #expect(Set(numbers).isSubset(of: Self.sealedNumbers))
      // Missing live rows count as lost. The two deleted rows may count as well.
      #expect(Self.sealedNumbers.count - numbers.count <= report.rowsLost)
      #expect(report.rowsLost <= Self.sealedNumbers.count - numbers.count + 2)
      if offset > size - 400 { #expect(numbers == Self.sealedNumbers) }
      #expect(numbers.contains(125))
      #expect(disk.files.contains { $0.hasPrefix("/store/set-aside-4-segment-") })
      #expect(disk.files.filter { $0.hasPrefix("/store/segment-") } == ["/store/segment-4"])
    }
  }

  @Test func `lost rows are reported with the available details`() throws {
    let disk = try store()
    try damage(disk, "/store/log-1", at: 64 + 100)
    let saves = try #require(try repair(disk).lostSaves.first)
    #expect(saves.path == "/store/log-1" && saves.offset == 64 && saves.numbers == 1...1)
    #expect(saves.rows.first == LostRow(kind: 1, key: EngineFixture.key(0), sort: 0))

    let sealed = SimulatedFileSystem()
    let engine = try EngineFixture.open(sealed)
    try EngineFixture.put(0..<600, in: engine)
    try engine.maintain(sealingAll: true)
    try damage(sealed, "/store/segment-2", at: 8000)
    let report = try repair(sealed)
    #expect(report.rowsLost == report.lostRows.count && report.rowsLost > 0)
    let left = Set(try EngineFixture.numbers(in: EngineFixture.open(sealed)))
    for row in report.lostRows {
      let number = try #require(row.sort.map { Int($0) })
      // All rows are on the same day.
      #expect(row.kind == 1 && (row.key == nil ? number == 0 : !left.contains(number)))
      #expect(row.key == nil || row.key == EngineFixture.key(number))
    }
  }

  @Test func `without a manifest the valid files are found from the segments, beside obsolete files`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<60, in: engine)
    try engine.maintain(sealingAll: true)
    let before = disk.copy()
    try engine.write { transaction throws(StorageError) in
      transaction.delete(kind: 1, key: EngineFixture.key(9))
    }
    try EngineFixture.put(60..<120, in: engine)
    while try engine.maintain(sealingAll: true) {}
    try EngineFixture.put(120..<123, in: engine)
    let expected = (0..<123).filter { $0 != 9 }
    // Recreate the state after an interrupted removal of files.
    for path in before.files where disk.contents(path) == nil {
      disk.setContents(path, try #require(before.contents(path)))
    }
    try disk.remove("/store/manifest")
    #expect(throws: StorageError.damaged(path: "/store/manifest", offset: 0)) {
      _ = try EngineFixture.open(disk.anotherProcess())
    }
    let report = try repair(disk)
    #expect(report.wasDamaged && report.rowsLost == 0 && report.savesLost == 0)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == expected)
  }

  @Test func `a store of a newer version is not changed`() throws {
    let disk = try store()
    var bytes = try #require(disk.contents("/store/log-2"))
    bytes[8] = 9
    let checksum = bytes.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[..<56])) }
    for index in 0..<8 { bytes[56 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    disk.setContents("/store/log-2", bytes)
    #expect(throws: StorageError.newerVersion(path: "/store/log-2", found: 9, supported: 1)) { _ = try repair(disk) }
  }

  /// Checks that the contents of these files still exist under some name.
  private func expectKept(_ files: [String], of before: SimulatedFileSystem, on disk: SimulatedFileSystem) {
    let contents = Set(disk.files.compactMap { disk.contents($0) })
    for file in files { #expect(before.contents(file).map(contents.contains) == true, "\(file) is gone") }
  }

  @Test(arguments: ["log-1", "manifest", "segment-3"])
  func `an interrupted repair can be repeated, loses nothing more and keeps the damaged files`(
    name: String
  ) throws {
    let damaged = name == "segment-3" ? try sealedStore() : try store()
    let segments = damaged.files.filter { $0.hasPrefix("/store/segment-") }
    try damage(damaged, "/store/\(name)", at: name == "manifest" ? 30 : 64 + 100)
    let whole = damaged.copy()
    _ = try repair(whole)
    let expected = try EngineFixture.numbers(in: EngineFixture.open(whole))
    #expect(expected.count > 40)
    let kept = damaged.files.filter { $0.hasPrefix("/store/log-") || segments.contains($0) || $0.hasSuffix(name) }
    var change = 1
    while change > 0 {
      for loss in [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: UInt64(change))] {
        let disk = damaged.copy()
        disk.powerOff(beforeChange: change)
        let result = Result { try repair(disk) }
        if !disk.isOff {
          _ = try result.get()
          #expect(change > 10)
          change = -1
          break
        }
        disk.restart(losing: loss)
        _ = try repair(disk)
        let engine = try EngineFixture.open(disk)
        #expect(try EngineFixture.numbers(in: engine) == expected, "\(name), before change \(change), \(loss)")
        while try engine.maintain(sealingAll: true) {}
        expectKept(kept, of: damaged, on: disk)
        #expect(
          try StorageEngine.verify(directory: "/store", fileSystem: disk, options: Self.options).findings.isEmpty)
      }
      change += 1
    }
  }

  @Test("a failed call leaves a store that can be repaired", arguments: [28, 5] as [Int32], [false, true])
  func failEachCall(code: Int32, isForever: Bool) throws {
    let damaged = try sealedStore()
    try damage(damaged, "/store/segment-3", at: 100)
    let whole = damaged.copy()
    _ = try repair(whole)
    let expected = try EngineFixture.numbers(in: EngineFixture.open(whole))
    var call = 1
    while true {
      let disk = damaged.copy()
      disk.fail(.init(call: call, code: code, isForever: isForever))
      _ = try? repair(disk)  // may fail or succeed
      let isMet = disk.metFault
      disk.fail(nil)
      _ = try repair(disk)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == expected, "call \(call)")
      if !isMet { break }
      call += 1
    }
    #expect(call > 30)
  }

  @Test func `a repair waits for maintenance, and later maintenance keeps the files set aside`() throws {
    let disk = try sealedStore()
    try damage(disk, "/store/segment-3", at: 100)
    let other = disk.anotherProcess()
    let lock = try other.open("/store/maintenance", .create)
    #expect(try lock.tryLock())
    #expect(throws: StorageError.busy(path: "/store/lock")) { _ = try repair(disk) }
    try lock.unlock()
    let before = disk.copy()
    let report = try repair(disk)
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([700], in: engine)
    while try engine.maintain(sealingAll: true) {}
    expectKept(
      before.files.filter { $0.hasPrefix("/store/segment-") || $0.hasPrefix("/store/log-") }, of: before, on: disk)
    for path in report.setAside { #expect(disk.contents(path) != nil) }
  }
}
