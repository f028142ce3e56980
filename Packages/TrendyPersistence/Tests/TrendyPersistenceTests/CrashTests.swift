import StorageTesting
import Testing
import TrendyPersistence

/// Pulls the plug before every change to the disk, in several ways, and looks at what is left.
@Suite("A crash", .timeLimit(.minutes(1)))
struct CrashTests {
  /// Saves of one and of several records, over a few chunks.
  private static let saves: [ClosedRange<Int>] = (0..<14).map { $0 * 40...($0 * 40 + [0, 4, 25][$0 % 3]) }

  /// Runs until the power goes; gives how many saves returned.
  private static func run(on disk: SimulatedFileSystem) -> Int {
    var done = 0
    do {
      let engine = try EngineFixture.open(disk)
      for save in saves {
        try EngineFixture.put(save, in: engine)
        done += 1
      }
    } catch {
      #expect(disk.isOff, "\(error)")
    }
    return done
  }

  private static let changes: Int = {
    let disk = SimulatedFileSystem()
    _ = run(on: disk)
    return disk.changes
  }()

  @Test(
    "leaves every save that returned, and each other one whole or not at all",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing] + (1...6).map { .random(seed: $0) })
  func keepsSaves(loss: SimulatedFileSystem.Loss) throws {
    #expect(Self.changes > 40)
    for change in 1...Self.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: loss)
      let engine = try EngineFixture.open(disk)
      let numbers = try EngineFixture.numbers(in: engine)
      let fitting = (done...Self.saves.count).filter { count in
        Self.saves[..<count].flatMap(Array.init) == numbers
      }
      #expect(fitting.count == 1, "crash before change \(change): \(done) saves returned, found \(numbers)")
      // And it goes on from there, also after another restart.
      try EngineFixture.put([9999], in: engine)
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [9999])
    }
  }

  @Test("between saves in flight loses no earlier one that returned", arguments: 1...40 as ClosedRange<UInt64>)
  func loseInFlight(seed: UInt64) throws {
    // Two writers write their groups before either syncs; then the power goes.
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    disk.fail(.init(operation: .synchronize, call: 1, code: 5, isForever: true))
    disk.powerOff(beforeChange: 2)
    for process in [disk.anotherProcess(), disk.anotherProcess()] {
      _ = try? EngineFixture.put([Int(seed) + 10], in: EngineFixture.open(process))
    }
    disk.fail(nil)
    disk.restart(losing: .random(seed: seed))
    let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
    #expect(numbers == [1] || numbers == [1, Int(seed) + 10])
  }

  @Test func `remains of a cut save never come back`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    try EngineFixture.put([2], in: engine)
    try EngineFixture.put([3], in: engine)
    // Neither 2 nor 3 was known to be durable when 3 was written, as with saves in flight together: forge that by
    // cutting 2 out of the file and taking 3's word for what it knew away.
    var bytes = try #require(disk.contents("/store/log-1"))
    let size = 48 + 48  // a group of one small record
    let second = 64 + size
    bytes.replaceSubrange(second + 8..<second + 16, with: [0, 0, 0, 0, 0, 0, 0, 0])
    disk.setContents("/store/log-1", bytes)
    #expect(throws: StorageError.damaged(path: "/store/log-1", offset: second)) {
      _ = try EngineFixture.open(disk.anotherProcess())
    }
  }
}
