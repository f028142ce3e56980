import StorageTesting
import Testing
import TrendyPersistence

/// Fails the first disk call, then the second, and so on, until a run completes without a fault. Checks the store after
/// each run.
@Suite("A failing disk", .timeLimit(.minutes(10)))
struct FaultTests {
  private static let noRoom: Int32 = 28
  private static let inputOutput: Int32 = 5
  private static let saves: [ClosedRange<Int>] = (0..<9).map { $0 * 60...($0 * 60 + [0, 20, 45][$0 % 3]) }

  /// Tries every save once and returns the indexes of the completed saves.
  private static func run(on disk: any FileSystem) -> [Int] {
    var done: [Int] = []
    var engine: StorageEngine?
    for (number, save) in saves.enumerated() {
      do throws(StorageError) {
        let open = if let engine, engine.isUsable { engine } else { try EngineFixture.open(disk) }
        engine = open
        try EngineFixture.put(save, in: open)
        done.append(number)
      } catch {
        if let engine, engine.isUsable {
          // A failed save leaves nothing behind in a handle that remains usable.
          let numbers = (try? EngineFixture.numbers(in: engine)) ?? []  // a failed call proves nothing
          #expect(numbers.isEmpty || !numbers.contains(save.lowerBound))
        }
      }
    }
    return done
  }

  private static func check(_ disk: SimulatedFileSystem, done: [Int], _ what: String) {
    do throws(StorageError) {
      let found = Set(try EngineFixture.numbers(in: EngineFixture.open(disk)))
      for (number, save) in saves.enumerated() {
        let held = save.filter(found.contains).count
        #expect(held == save.count || (held == 0 && !done.contains(number)), "\(what): save \(number)")
      }
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test(
    "a failed call loses no completed save, and any other is all or nothing",
    arguments: [(noRoom, false), (noRoom, true), (inputOutput, false), (inputOutput, true)], [false, true])
  func failEachCall(fault: (code: Int32, isForever: Bool), makesChunksAhead: Bool) {
    var call = 1
    while true {
      let disk = SimulatedFileSystem()
      disk.fail(.init(call: call, code: fault.code, isForever: fault.isForever))
      let done = Self.run(on: makesChunksAhead ? AheadFileSystem(base: disk, makers: Makers()) : disk)
      if !disk.metFault { break }
      disk.fail(nil)
      Self.check(disk.anotherProcess(), done: done, "call \(call) failed")
      disk.restart(losing: .unsynced)
      Self.check(disk, done: done, "call \(call) failed, then the power")
      call += 1
    }
    #expect(call > 80)
  }

  @Test func `a process killed at any change leaves a store on which others can save durably`() throws {
    let probe = SimulatedFileSystem()
    _ = Self.run(on: probe)
    for change in 1...probe.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: .nothing)  // only the process ended; its writes can be read but are not synced
      try EngineFixture.put([9999], in: EngineFixture.open(disk))
      disk.restart(losing: .unsynced)
      Self.check(disk, done: done, "killed before change \(change)")
      #expect(
        try EngineFixture.numbers(in: EngineFixture.open(disk)).last == 9999, "killed before change \(change)")
    }
  }

  @Test func `a nearly full disk accepts saves as long as there is space for one`() throws {
    let disk = SimulatedFileSystem()
    let options = StorageEngine.Options(firstChunkBytes: 4096, largestChunkBytes: 1 << 20)
    let engine = try StorageEngine.open(directory: "/store", fileSystem: disk, options: options)
    var number = 0
    while disk.usedBytes < 200_000 {
      number += 1
      try EngineFixture.put([number], in: engine)
    }
    let capacity = disk.usedBytes + 40_000
    disk.setCapacity(capacity)
    while (try? EngineFixture.put([number + 1], in: engine)) != nil { number += 1 }
    #expect(capacity - disk.usedBytes < 4096, "there was room for another file of the least length")
    disk.setCapacity(nil)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == Array(1...number))
  }

  @Test func `a full disk rejects saves one by one and accepts them when there is space`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    disk.setCapacity(disk.usedBytes)
    var refused = 0
    for number in 2...80 {
      do {
        try EngineFixture.put([number], in: engine)
      } catch {
        #expect(error == StorageError.diskFull(path: "/store/log-2"))
        refused += 1
      }
    }
    #expect(refused > 0)
    #expect(try EngineFixture.numbers(in: engine).count == 80 - refused)
    disk.setCapacity(nil)
    try EngineFixture.put([1000], in: engine)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())).count == 81 - refused)
  }

  @Test(
    "errors name the problem and the remedy",
    arguments: [
      (13, "permission"), (30, "read-only"), (28, "free some space"), (122, "free some space"), (5, "Input/output"),
    ] as [(Int32, String)])
  func plainWords(code: Int32, words: String) throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    disk.fail(.init(operation: .write, call: 1, code: code))
    let error = try #require(throws: StorageError.self) { try EngineFixture.put([1], in: engine) }
    #expect("\(error)".contains(words))
    #expect("\(error)".contains("/store"))
  }

  @Test func `a read-only store can be read, and a save reports why it fails`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put(1...3, in: EngineFixture.open(disk))
    let reader = disk.anotherProcess()
    reader.fail(.init(operation: .open, call: 2, code: 30))
    let engine = try EngineFixture.open(reader)
    #expect(reader.metFault)
    #expect(try EngineFixture.numbers(in: engine) == [1, 2, 3])
    #expect(throws: StorageError.readOnly(path: "/store/log-1")) { try EngineFixture.put([4], in: engine) }
  }

  @Test func `a file truncated while it is open is damage`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let bytes = try #require(disk.contents("/store/log-1"))
    disk.setContents("/store/log-1", Array(bytes.prefix(200)))
    // Without a save, the log is checked only on every 64th refresh.
    #expect(throws: StorageError.damaged(path: "/store/log-1", offset: 160)) {
      for _ in 0..<64 { try engine.refresh() }
    }
    #expect(throws: StorageError.damaged(path: "/store/log-1", offset: 160)) { try EngineFixture.put([2], in: engine) }
    disk.setContents("/store/log-1", bytes)
    try EngineFixture.put([2], in: engine)
  }

  @Test func `a removed or replaced directory is detected before a save is confirmed`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    for path in disk.files { try disk.remove(path) }
    #expect(throws: StorageError.missing(path: "/store/log-1")) { try EngineFixture.put([2], in: engine) }
    try EngineFixture.put([3], in: EngineFixture.open(disk.anotherProcess()))
    #expect(throws: StorageError.missing(path: "/store/log-1")) { try EngineFixture.put([2], in: engine) }
  }
}
