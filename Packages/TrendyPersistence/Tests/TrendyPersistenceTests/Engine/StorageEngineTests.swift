import StorageTesting
import Testing
import TrendyPersistence

@Suite("StorageEngine", .timeLimit(.minutes(10)))
struct StorageEngineTests {
  @Test func `saved rows are read by a handle opened later`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put(1...5, in: EngineFixture.open(disk))
    let engine = try EngineFixture.open(disk.anotherProcess())
    #expect(try EngineFixture.numbers(in: engine) == [1, 2, 3, 4, 5])
    #expect(engine.recovery.saves == 1)
    #expect(!engine.recovery.wasCut)
    let record = try #require(try engine.get(kind: 1, key: EngineFixture.key(3)))
    #expect(record.payload == EngineFixture.payload(3))
    #expect(try engine.get(kind: 2, key: EngineFixture.key(3)) == nil)
  }

  @Test func `a handle that has only read can save, and others see the save`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([1], in: EngineFixture.open(disk))
    let engine = try EngineFixture.open(disk.anotherProcess())
    let reader = try EngineFixture.open(disk.anotherProcess())
    for _ in 1...10 {
      try engine.refresh()
      try reader.refresh()
    }
    try EngineFixture.put([2], in: engine)
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == [1, 2])
  }

  @Test func `a log of many chunks is read in order`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for number in 1...400 { try EngineFixture.put([number], in: engine) }
    #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count > 4)
    #expect(try EngineFixture.numbers(in: engine) == Array(1...400))
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == Array(1...400))
  }

  @Test func `a save larger than a chunk gets a separate chunk`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(1...1000, in: engine)
    try EngineFixture.put([1001], in: engine)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == Array(1...1001))
  }

  @Test func `put replaces, delete removes, and both are durable`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(1...3, in: engine)
    try engine.write { transaction throws(StorageError) in
      try transaction.put(kind: 1, key: EngineFixture.key(2), sort: 90, group: 7, payload: [9])
      transaction.delete(kind: 1, key: EngineFixture.key(1))
      transaction.delete(kind: 1, key: EngineFixture.key(77))
    }
    for engine in [engine, try EngineFixture.open(disk.anotherProcess())] {
      #expect(try engine.scan(kind: 1).map(\.sort) == [3, 90])
      #expect(try engine.scan(kind: 1, group: 7).map(\.payload) == [[9]])
      #expect(try engine.scan(kind: 1, group: 2).isEmpty)
      #expect(try engine.get(kind: 1, key: EngineFixture.key(1)) == nil)
      #expect(try engine.count(kind: 1) == 2)
    }
  }

  @Test func `a transaction sees its own changes, which are invisible elsewhere before the commit`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    let other = try EngineFixture.open(disk.anotherProcess())
    try EngineFixture.put(1...6, in: engine)
    let transaction = try engine.beginWrite()
    transaction.delete(kind: 1, key: EngineFixture.key(2))
    try transaction.put(kind: 1, key: EngineFixture.key(4), sort: 0, group: 5, payload: [])
    try transaction.put(kind: 1, key: EngineFixture.key(8), sort: 8, group: 5, payload: [])
    #expect(try transaction.scan(kind: 1).map(\.sort) == [0, 1, 3, 5, 6, 8])
    #expect(try transaction.scan(kind: 1, descending: true, limit: 3).map(\.sort) == [8, 6, 5])
    #expect(try transaction.scan(kind: 1, from: 1, to: 6).map(\.sort) == [1, 3, 5])
    #expect(try transaction.scan(kind: 1, group: 5).map(\.sort) == [0, 8])
    #expect(try transaction.scan(kind: 1, group: 1).map(\.sort) == [1])
    #expect(try transaction.count(kind: 1) == 6)
    #expect(try transaction.count(kind: 1, group: 1) == 1)
    #expect(try transaction.counts(kind: 1, boundaries: [0, 2, 5, 9]) == [2, 1, 3])
    #expect(try transaction.get(kind: 1, key: EngineFixture.key(2)) == nil)
    try other.refresh()
    #expect(try other.scan(kind: 1).map(\.sort) == [1, 2, 3, 4, 5, 6])
    #expect(try engine.scan(kind: 1).map(\.sort) == [1, 2, 3, 4, 5, 6])
    try transaction.commit()
    try other.refresh()
    #expect(try other.scan(kind: 1).map(\.sort) == [0, 1, 3, 5, 6, 8])
    #expect(try engine.scan(kind: 1).map(\.sort) == [0, 1, 3, 5, 6, 8])
  }

  @Test func `a rollback discards all changes and releases the lock`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    let transaction = try engine.beginWrite()
    try transaction.put(kind: 1, key: EngineFixture.key(1), sort: 1, payload: [])
    transaction.rollback()
    try EngineFixture.put([2], in: engine)
    #expect(try EngineFixture.numbers(in: engine) == [2])
  }

  @Test func `a save without a change makes the rows it read durable`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([1], in: EngineFixture.open(disk))
    let killed = try EngineFixture.open(disk)
    disk.powerOff(beforeChange: 3)  // the directory sync and the write succeed, the sync of the group fails
    #expect(throws: StorageError.self) { try EngineFixture.put([2], in: killed) }
    disk.restart(losing: .nothing)
    let engine = try EngineFixture.open(disk)
    #expect(try EngineFixture.numbers(in: engine) == [1, 2])
    try engine.write { transaction throws(StorageError) in transaction.delete(kind: 1, key: EngineFixture.key(77)) }
    disk.restart(losing: .unsynced)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == [1, 2])
  }

  @Test func `a save of a reader makes the unsynced saves of another process durable`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([1], in: EngineFixture.open(disk))
    let reader = try EngineFixture.open(disk.anotherProcess())
    let failing = try EngineFixture.open(disk)
    disk.fail(.init(operation: .synchronize, call: 1, code: 5, isForever: false))
    #expect(throws: StorageError.syncFailed(path: "/store/log-1", code: 5)) { try EngineFixture.put([2], in: failing) }
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == [1, 2])
    try EngineFixture.put([3], in: reader)
    disk.restart(losing: .unsynced)
    #expect(try EngineFixture.numbers(in: reader) == [1, 2, 3])
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == [1, 2, 3])
  }

  @Test func `an abandoned transaction releases the lock`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    _ = try engine.beginWrite()
    try EngineFixture.put([2], in: engine)
  }

  @Test func `two handles take turns, and each sees the other's saves before its own`() throws {
    let disk = SimulatedFileSystem()
    let first = try EngineFixture.open(disk)
    let second = try EngineFixture.open(disk.anotherProcess())
    for number in 0..<200 {
      try (number.isMultiple(of: 2) ? first : second).write { transaction throws(StorageError) in
        let before = try transaction.count(kind: 1)
        #expect(before == number)
        try transaction.put(
          kind: 1, key: EngineFixture.key(number), sort: Int64(number), payload: EngineFixture.payload(number))
      }
    }
    try first.refresh()
    try second.refresh()
    #expect(try EngineFixture.numbers(in: first) == Array(0..<200))
    #expect(try EngineFixture.numbers(in: second) == Array(0..<200))
  }

  @Test func `a second writer throws busy`() throws {
    let disk = SimulatedFileSystem()
    let first = try EngineFixture.open(disk)
    let second = try EngineFixture.open(disk.anotherProcess())
    let transaction = try first.beginWrite()
    #expect(throws: StorageError.busy(path: "/store/lock")) { _ = try second.beginWrite() }
    #expect(throws: StorageError.busy(path: "/store/lock")) { _ = try first.beginWrite() }
    transaction.rollback()
    try EngineFixture.put([1], in: second)
  }

  @Test func `the lock of a dead process is free`() throws {
    let disk = SimulatedFileSystem()
    let first = try EngineFixture.open(disk)
    let process = disk.anotherProcess()
    let second = try EngineFixture.open(process)
    let transaction = try second.beginWrite()
    process.kill()
    try EngineFixture.put([1], in: first)
    withExtendedLifetime(transaction) {}
  }

  @Test(arguments: [0, 2] as [UInt8]) func `another version is rejected and reported`(version: UInt8) throws {
    for name in ["manifest", "log-1"] {
      let disk = SimulatedFileSystem()
      try EngineFixture.put([1], in: EngineFixture.open(disk))
      let path = "/store/\(name)"
      var bytes = try #require(disk.contents(path))
      bytes[8] = version
      let covered = name == "manifest" ? bytes.count - 8 : 56
      let checksum = bytes.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[..<covered])) }
      for index in 0..<8 { bytes[covered + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
      disk.setContents(path, bytes)
      #expect(throws: StorageError.newerVersion(path: path, found: Int(version), supported: 1)) {
        _ = try EngineFixture.open(disk.anotherProcess())
      }
    }
  }

  @Test func `opening reads no further than the durable end`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([1], in: StorageEngine.open(directory: "/store", fileSystem: disk))
    func callsOfOpening() throws -> Int {
      let before = disk.calls
      let engine = try StorageEngine.open(directory: "/store", fileSystem: disk.anotherProcess())
      #expect(try EngineFixture.numbers(in: engine) == [1])
      return disk.calls - before
    }
    let marked = try callsOfOpening()
    disk.setContents("/store/lock", [])
    // The two additional calls read the rest of the chunk and look for a next chunk.
    #expect(try callsOfOpening() == marked + 2)
  }

  @Test func `a row put and deleted in one unit is deleted, regardless of reads in between`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1, 2], in: engine)
    try engine.maintain(sealingAll: true)
    try EngineFixture.put([2, 3], in: engine)
    try engine.write { transaction throws(StorageError) in
      for number in 1...4 {
        let key = EngineFixture.key(number)
        let saved = try transaction.get(kind: 1, key: key)
        #expect((saved?.sort != nil) == (number < 4))
        transaction.delete(kind: 1, key: key)
        let deleted = try transaction.get(kind: 1, key: key)
        #expect(deleted?.sort == nil)
        try transaction.put(kind: 1, key: key, sort: 9, payload: [])
        if number.isMultiple(of: 2) {
          let put = try transaction.get(kind: 1, key: key)
          #expect(put?.sort == 9)
        }
        transaction.delete(kind: 1, key: key)
      }
    }
    for engine in [engine, try EngineFixture.open(disk.anotherProcess())] {
      for number in 1...4 { #expect(try engine.get(kind: 1, key: EngineFixture.key(number)) == nil) }
      #expect(try engine.count(kind: 1) == 0)
    }
  }

  @Test func `rows that were read do not change`() throws {
    let engine = try EngineFixture.open(SimulatedFileSystem())
    try EngineFixture.put(1...3, in: engine)
    let list = try engine.scan(kind: 1)
    let record = try #require(try engine.get(kind: 1, key: EngineFixture.key(1)))
    try engine.write { transaction throws(StorageError) in
      for number in 1...3 { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
    }
    for number in 10...500 { try EngineFixture.put([number], in: engine) }
    #expect(list.map(\.payload) == (1...3).map(EngineFixture.payload))
    #expect(record.payload == EngineFixture.payload(1))
  }
}
