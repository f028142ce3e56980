import StorageTesting
import Synchronization
import Testing
import TrendyPersistence

/// Large saves, which are written directly as segments, alternating with small saves while other handles are open.
@Suite("Large saves", .timeLimit(.minutes(10)))
struct LargeSaveTests {
  /// Saves of more than eight times 4096 bytes are large.
  private static let options = StorageEngine.Options(
    lockTimeout: .milliseconds(50), firstChunkBytes: 4096, largestChunkBytes: 8192, sealBytes: 4096)

  private struct Step {
    var put: [Int]
    var deleted: [Int]
    /// First byte of every payload written in this step.
    var mark: UInt8

    var isLarge: Bool { put.count > 30 }
  }

  /// Alternates small and large steps. Large steps replace and delete rows in the log, in segments, and in both.
  private static let steps: [Step] = [
    Step(put: Array(0..<6), deleted: [], mark: 1), Step(put: Array(4..<44), deleted: [0], mark: 2),
    Step(put: [2, 10, 50], deleted: [5, 6], mark: 3), Step(put: Array(8..<48), deleted: [2, 4, 50], mark: 4),
    Step(put: [4, 100], deleted: [9, 200], mark: 5), Step(put: Array(60..<100), deleted: Array(10..<20), mark: 6),
  ]

  private static func payload(_ number: Int, _ mark: UInt8, isLarge: Bool) -> [UInt8] {
    [mark] + [UInt8](repeating: UInt8(number), count: isLarge ? 1000 : 9)
  }

  /// Returns the stored numbers after the first `count` steps, each with the mark of the step that last wrote it.
  private static func model(after count: Int) -> [Int: UInt8] {
    var model: [Int: UInt8] = [:]
    for step in steps[..<count] {
      for number in step.put { model[number] = step.mark }
      for number in step.deleted { model[number] = nil }
    }
    return model
  }

  private static func open(_ disk: SimulatedFileSystem) throws(StorageError) -> StorageEngine {
    try EngineFixture.open(disk, options: options)
  }

  private static func put(_ step: Step, in transaction: WriteTransaction) throws(StorageError) {
    var new: Set<Int> = []
    for kind in 0..<2 {
      let numbers = step.put.filter { $0 % 2 == kind }
      let areNew = try transaction.areNew(kind: UInt8(kind + 1), keys: numbers.map { EngineFixture.key($0) })
      for (number, isNew) in zip(numbers, areNew) where isNew { new.insert(number) }
    }
    for number in step.put {
      let bytes = payload(number, step.mark, isLarge: step.isLarge)
      // A row put twice in one unit is still new.
      for payload in number % 5 == 0 ? [[0], bytes] : [bytes] {
        try transaction.put(
          kind: UInt8(number % 2 + 1), key: EngineFixture.key(number), sort: Int64(number % 7),
          group: UInt64(number % 3), payload: payload, isNew: new.contains(number))
      }
    }
    for number in step.deleted { transaction.delete(kind: UInt8(number % 2 + 1), key: EngineFixture.key(number)) }
  }

  private static func save(_ step: Step, in engine: StorageEngine) throws(StorageError) {
    try engine.write { transaction throws(StorageError) in try put(step, in: transaction) }
  }

  /// Returns the contents of an engine after checking that all ways to read the rows give the same result.
  private static func contents(of engine: StorageEngine) throws -> [Int: UInt8] {
    var contents: [Int: UInt8] = [:]
    for kind in [1, 2] as [UInt8] {
      let records = try engine.scan(kind: kind)
      #expect(records.map(\.sort) == records.map(\.sort).sorted())
      #expect(try engine.count(kind: kind) == records.count)
      var grouped = try engine.scan(kind: kind, group: 1).count + engine.scan(kind: kind, group: 2).count
      grouped += records.filter { $0.group == 0 }.count
      #expect(grouped == records.count)
      for record in records {
        let number = Int(record.key.low)
        #expect(try engine.get(kind: kind, key: record.key)?.payload == record.payload)
        #expect(record.payload.dropFirst().allSatisfy { $0 == UInt8(number) })
        contents[number] = record.payload.first
      }
    }
    return contents
  }

  /// Returns the sequence number of the last durable save from the lock file (docs/format.md, "Lock").
  private static func mark(_ disk: SimulatedFileSystem) -> UInt64? { word("/store/lock", at: 8, disk) }

  /// Returns the sequence number of the first save in the log from the manifest (docs/format.md, "Manifest").
  private static func firstSequence(_ disk: SimulatedFileSystem) -> UInt64 {
    word("/store/manifest", at: 40, disk) ?? 0
  }

  private static func word(_ path: String, at offset: Int, _ disk: SimulatedFileSystem) -> UInt64? {
    disk.contents(path).map { bytes in bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  }

  private static func segments(_ disk: SimulatedFileSystem) -> [String] {
    disk.files.filter { $0.hasPrefix("/store/segment-") }
  }

  @Test func `a segment is not merged while there are few`() throws {
    let disk = SimulatedFileSystem()
    let engine = try Self.open(disk)
    for step in Self.steps where step.isLarge { try Self.save(step, in: engine) }
    #expect(Self.segments(disk).count == 3)
    while try engine.maintain(mergingFrom: 4) {}
    #expect(Self.segments(disk).count == 3)
    while try engine.maintain(mergingFrom: 3) {}
    #expect(Self.segments(disk).count == 1)
  }

  @Test func `a large save is visible to all open handles and to new ones`() throws {
    let disk = SimulatedFileSystem()
    let writers = [try Self.open(disk), try Self.open(disk.anotherProcess())]
    // One handle has never refreshed. The other has refreshed many times and therefore uses the counter.
    let (late, busy) = (try Self.open(disk.anotherProcess()), try Self.open(disk.anotherProcess()))
    for _ in 0..<10 { try busy.refresh() }
    for (index, step) in Self.steps.enumerated() {
      let before = Self.segments(disk)
      let kept = try busy.scan(kind: 1).map(\.payload)
      let list = try busy.scan(kind: 1)
      try Self.save(step, in: writers[index % 2])
      #expect((Self.segments(disk) != before) == step.isLarge, "step \(index)")
      #expect(try Self.contents(of: writers[index % 2]) == Self.model(after: index + 1), "step \(index)")
      #expect(try !Self.open(disk.anotherProcess()).recovery.wasCut, "step \(index)")
      if step.isLarge {
        #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count == 1, "step \(index)")
        #expect(Self.mark(disk) == Self.firstSequence(disk) - 1, "step \(index)")
      }
      for engine in [writers[index % 2], busy, try Self.open(disk.anotherProcess())] {
        try engine.refresh()
        #expect(try Self.contents(of: engine) == Self.model(after: index + 1), "step \(index)")
      }
      #expect(list.map(\.payload) == kept)
    }
    try late.refresh()
    #expect(try Self.contents(of: late) == Self.model(after: Self.steps.count))
    let seen = try StorageEngine.verify(directory: "/store", fileSystem: disk, options: Self.options)
    #expect(seen.findings.isEmpty, "\(seen.findings)")
    #expect(!disk.files.contains { $0.hasPrefix("/store/cut-") })
  }

  @Test func `a large save is visible to a handle that refreshed between the log and the manifest`() throws {
    let disk = SimulatedFileSystem()
    try Self.save(Self.steps[0], in: Self.open(disk))
    let reader = try Self.open(disk.anotherProcess())
    for _ in 0..<10 { try reader.refresh() }
    let intruded = IntrudedFileSystem(disk.anotherProcess(), beforeOpenings: [1], of: "/store/manifest.new") {
      do {
        try reader.refresh()
        #expect(try Self.contents(of: reader) == Self.model(after: 1))
      } catch {
        Issue.record(error)
      }
    }
    let writer = try StorageEngine.open(directory: "/store", fileSystem: intruded, options: Self.options)
    try Self.save(Self.steps[1], in: writer)
    try reader.refresh()
    #expect(try Self.contents(of: reader) == Self.model(after: 2))
  }

  @Test func `a large save opens its own segment and none of the others`() throws {
    let openings = Mutex(0)
    let disk = SimulatedFileSystem()
    let counted = IntrudedFileSystem(disk, beforeOpenings: Set(1...100), of: "/store/segment-") {
      openings.withLock { $0 += 1 }
    }
    let engine = try StorageEngine.open(directory: "/store", fileSystem: counted, options: Self.options)
    for (index, step) in Self.steps.enumerated() {
      openings.withLock { $0 = 0 }
      try Self.save(step, in: engine)
      #expect(try Self.contents(of: engine) == Self.model(after: index + 1), "step \(index)")
      #expect(openings.withLock { $0 } == (step.isLarge ? 2 : 0), "step \(index)")
    }
  }

  @Test func `a large unit sees its changes, and a rollback discards them`() throws {
    let disk = SimulatedFileSystem()
    let engine = try Self.open(disk)
    for step in Self.steps[..<3] { try Self.save(step, in: engine) }
    let transaction = try engine.beginWrite()
    try Self.put(Self.steps[3], in: transaction)
    #expect(try transaction.count(kind: 1) + transaction.count(kind: 2) == Self.model(after: 4).count)
    transaction.rollback()
    #expect(try Self.contents(of: engine) == Self.model(after: 3))
  }

  @Test func `a large save is written to the log while another process maintains the store`() throws {
    let disk = SimulatedFileSystem()
    let engine = try Self.open(disk)
    let lock = try disk.open("/store/maintenance", .create)
    #expect(try lock.tryLock())
    for step in Self.steps { try Self.save(step, in: engine) }
    #expect(Self.segments(disk).isEmpty)
    #expect(try Self.contents(of: engine) == Self.model(after: Self.steps.count))
    try lock.unlock()
    while try engine.maintain() {}
    #expect(try Self.contents(of: Self.open(disk.anotherProcess())) == Self.model(after: Self.steps.count))
  }

  private static func run(on disk: SimulatedFileSystem) -> Int {
    EngineFixture.saves(on: disk, options: options) { engine, done in
      for step in steps {
        try save(step, in: engine)
        done += 1
      }
    }
  }

  private static let changes: Int = {
    let disk = SimulatedFileSystem()
    _ = run(on: disk)
    return disk.changes
  }()

  @Test(
    "after a crash a large save is all or nothing, and the store is usable",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing] + (1...3).map { .random(seed: $0) })
  func crash(loss: SimulatedFileSystem.Loss) throws {
    #expect(Self.changes > 60)
    for change in 1...Self.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: loss)
      let engine = try Self.open(disk)
      let contents = try Self.contents(of: engine)
      let fitting = (done...min(done + 1, Self.steps.count)).filter { Self.model(after: $0) == contents }
      #expect(fitting.count >= 1, "crash before change \(change): \(done) saves returned, found \(contents)")
      // Leftover data must not become part of the next large save, nor appear when the store is opened later.
      let last = Step(put: Array(100..<140), deleted: [100], mark: 9)
      try Self.save(last, in: engine)
      disk.restart(losing: .unsynced)
      var expected = contents
      for number in last.put { expected[number] = number == 100 ? nil : 9 }
      #expect(try Self.contents(of: Self.open(disk)) == expected, "crash before change \(change)")
    }
  }

  @Test(
    "a large save that fails at any call is absent and can be repeated, unless a sync failed",
    arguments: [28, 5] as [Int32])
  func failure(code: Int32) throws {
    var call = 0
    var isOver = false
    while !isOver {
      call += 1
      let disk = SimulatedFileSystem()
      let engine = try Self.open(disk)
      let reader = try Self.open(disk.anotherProcess())
      for step in Self.steps[..<3] { try Self.save(step, in: engine) }
      let segments = Self.segments(disk)
      let transaction = try engine.beginWrite()
      try Self.put(Self.steps[3], in: transaction)
      disk.fail(.init(call: call, code: code))
      do throws(StorageError) {
        try transaction.commit()
        isOver = !disk.metFault
        disk.fail(nil)
      } catch {
        disk.fail(nil)
        if !engine.isUsable {
          guard case .syncFailed = error else { throw error }
          let there = try Self.contents(of: Self.open(disk.anotherProcess()))
          #expect(there == Self.model(after: 3) || there == Self.model(after: 4), "call \(call)")
          continue
        }
        let left = Self.segments(disk).filter { disk.contents($0)?.isEmpty == false }
        #expect(left == segments, "call \(call)")
        for engine in [engine, reader] {
          try engine.refresh()
          #expect(try Self.contents(of: engine) == Self.model(after: 3), "call \(call)")
        }
        try transaction.commit()
      }
      if engine.isUsable { #expect(try Self.contents(of: engine) == Self.model(after: 4), "call \(call)") }
      try reader.refresh()
      #expect(try Self.contents(of: reader) == Self.model(after: 4), "call \(call)")
      #expect(try Self.contents(of: Self.open(disk.anotherProcess())) == Self.model(after: 4), "call \(call)")
    }
    #expect(call > 20)
  }
}
