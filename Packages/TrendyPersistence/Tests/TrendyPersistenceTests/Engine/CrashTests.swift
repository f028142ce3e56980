import StorageTesting
import Testing
import TrendyPersistence

/// Cuts the power before every disk write, in several ways, and checks what remains.
@Suite("Crashes", .timeLimit(.minutes(10)))
struct CrashTests {
  /// Saves of one or more rows, spread over a few chunks.
  private static let saves: [ClosedRange<Int>] = (0..<14).map { $0 * 40...($0 * 40 + [0, 4, 25][$0 % 3]) }

  private static func run(on disk: SimulatedFileSystem) -> Int {
    EngineFixture.saves(on: disk) { engine, done in
      for save in saves {
        try EngineFixture.put(save, in: engine)
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
    "a crash preserves every completed save, and any other is all or nothing",
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
      try EngineFixture.put([9999], in: engine)
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [9999])
    }
  }

  /// Makes saves of one row each, in commit groups of equal size. Row 31 is durable. Rows 61 and 91 are written by
  /// processes that crash before syncing. Then the power is cut.
  private static func loseInFlight(seed: UInt64) throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([31], in: EngineFixture.open(disk))
    for number in [61, 91] {
      let engine = try EngineFixture.open(disk)
      // On a copy of the disk, count the changes up to the sync. After the sync, only the durable end is written.
      let probe = disk.copy()
      let before = probe.changes
      try EngineFixture.put([number], in: EngineFixture.open(probe))
      disk.powerOff(beforeChange: probe.changes - before - 1)
      #expect(throws: StorageError.self) { try EngineFixture.put([number], in: engine) }
      disk.restart(losing: .nothing)
    }
    disk.restart(losing: .random(seed: seed))
    return disk
  }

  @Test func `a hole between unsynced saves is a torn tail, and cut data never reappears`() throws {
    var outcomes: [[Int]: Int] = [:]
    var cut = 0
    for seed in 0..<200 as Range<UInt64> {
      let disk = try Self.loseInFlight(seed: seed)
      let engine = try EngineFixture.open(disk)
      let numbers = try EngineFixture.numbers(in: engine)
      outcomes[numbers, default: 0] += 1
      // The new group has the length of the first group that was cut. The groups after it must not become valid again.
      try EngineFixture.put([1], in: engine)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == [1] + numbers, "seed \(seed)")
      disk.restart(losing: .unsynced)
      let again = try EngineFixture.open(disk)
      #expect(try EngineFixture.numbers(in: again) == [1] + numbers, "seed \(seed)")
      #expect(!again.recovery.wasCut)
      let isAside = disk.files.contains { $0.hasPrefix("/store/cut-") }
      if isAside { cut += 1 }
      // If the durable end is known and no group starts there, only the next save examines the bytes after it.
      #expect(isAside || !engine.recovery.wasCut)
    }
    #expect(Set(outcomes.keys) == [[31], [31, 61], [31, 61, 91]])
    #expect(cut > 10)
  }

  @Test func `a hole between completed saves is damage`() throws {
    let disk = SimulatedFileSystem()
    for number in [31, 61, 91] { try EngineFixture.put([number], in: EngineFixture.open(disk.anotherProcess())) }
    let whole = try #require(disk.contents("/store/log-1"))
    let size = 48 + 48  // a group of one small record
    for group in 0..<2 {
      var bytes = whole
      bytes[64 + group * size + 60] ^= 1
      disk.setContents("/store/log-1", bytes)
      #expect(throws: StorageError.damaged(path: "/store/log-1", offset: 64 + group * size)) {
        _ = try EngineFixture.open(disk.anotherProcess())
      }
    }
  }

  @Test func `a torn, outdated or foreign durable end is ignored`() throws {
    let disk = SimulatedFileSystem()
    try EngineFixture.put([31], in: EngineFixture.open(disk.anotherProcess()))
    let stale = try #require(disk.contents("/store/lock"))
    try EngineFixture.put([62], in: EngineFixture.open(disk.anotherProcess()))
    let current = try #require(disk.contents("/store/lock"))
    #expect(stale.count == 32 && stale != current)
    var otherStore = current
    otherStore[3] ^= 1
    for mark in [stale, [], Array(current.prefix(20)), otherStore, Array(repeating: 0xFF, count: 32)] {
      disk.setContents("/store/lock", mark)
      try EngineFixture.put([93], in: EngineFixture.open(disk.anotherProcess()))
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == [31, 62, 93])
    }
  }

  @Test func `a hole before a save that was written after its sync is damage`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    try EngineFixture.put([2], in: engine)
    try EngineFixture.put([3], in: engine)
    // Save 3 was written when save 2 was already durable. Remove save 2.
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
