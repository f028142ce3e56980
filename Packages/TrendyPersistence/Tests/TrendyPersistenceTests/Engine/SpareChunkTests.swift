import StorageTesting
import Synchronization
import Testing
import TrendyPersistence

@Suite("Prepared chunks", .timeLimit(.minutes(10)))
struct SpareChunkTests {
  private static let saves: [ClosedRange<Int>] = (0..<14).map { $0 * 40...($0 * 40 + [0, 4, 25][$0 % 3]) }

  private static func run(on disk: SimulatedFileSystem, _ makers: Makers = Makers()) -> Int {
    var done = 0
    do {
      var generator = SystemRandomNumberGenerator()
      let engine = try StorageEngine.open(
        directory: EngineFixture.directory, fileSystem: AheadFileSystem(base: disk, makers: makers),
        options: EngineFixture.options, generator: &generator)
      for save in saves {
        try EngineFixture.put(save, in: engine)
        done += 1
      }
    } catch {
      #expect(disk.isOff, "\(error)")
    }
    return done
  }

  @Test(
    "a prepared chunk loses no completed save in a power cut",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing] + (1...4).map { .random(seed: $0) })
  func keepsSaves(loss: SimulatedFileSystem.Loss) throws {
    let whole = SimulatedFileSystem()
    let makers = Makers()
    try #require(Self.run(on: whole, makers) == Self.saves.count)
    #expect(makers.adopted.withLock { $0 } >= 2)
    for change in 1...whole.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: loss)
      let engine = try EngineFixture.open(disk)
      let numbers = try EngineFixture.numbers(in: engine)
      #expect(
        (done...Self.saves.count).contains { Self.saves[..<$0].flatMap(Array.init) == numbers },
        "crash before change \(change): \(done) saves returned, found \(numbers)")
      try EngineFixture.put([9999], in: engine)
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [9999])
    }
  }

  @Test func `a save creates its chunk if none can be prepared`() throws {
    let disk = SimulatedFileSystem()
    let makers = Makers(fails: true)
    #expect(Self.run(on: disk, makers) == Self.saves.count)
    #expect(makers.begun.withLock { $0 } >= 2 && makers.adopted.withLock { $0 } == 0)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.saves.flatMap(Array.init))
  }

  @Test func `a process with a single save prepares no chunk`() throws {
    let disk = SimulatedFileSystem()
    for number in 0..<60 {
      let makers = Makers()
      var generator = SystemRandomNumberGenerator()
      let engine = try StorageEngine.open(
        directory: EngineFixture.directory,
        fileSystem: AheadFileSystem(base: disk.anotherProcess(), makers: makers),
        options: EngineFixture.options, generator: &generator)
      try EngineFixture.put([number], in: engine)
      #expect(makers.begun.withLock { $0 } == 0)
    }
  }

  @Test(
    "a name whose sync failed is created again before the next save", arguments: [false, true])
  func failedSyncOfAName(makesChunksAhead: Bool) throws {
    let disk = SimulatedFileSystem()
    let folder = FailingFolder(base: disk, makesChunksAhead: makesChunksAhead)
    let engine = try EngineFixture.open(folder)
    try EngineFixture.put(0..<1, in: engine)
    folder.fails.withLock { $0 = (sync: true, remove: true) }
    var saved = 1
    while saved < 500, (try? EngineFixture.put(saved..<saved + 1, in: engine)) != nil { saved += 1 }
    try #require((10..<500).contains(saved), "the save that needs a name throws")
    #expect(throws: StorageError.self) { try EngineFixture.put(saved..<saved + 1, in: engine) }
    folder.fails.withLock { $0.remove = false }
    try EngineFixture.put(saved..<saved + 1, in: engine)
    disk.restart(losing: .unsynced)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(0...saved))
  }

  #if os(Linux) && !TRENDY_PORTABLE
    @Test func `on a real disk a prepared chunk has no name before its use and leaves nothing behind`() throws {
      let folder = try TemporaryFolder()
      let options = StorageEngine.Options(firstChunkBytes: 65_536, largestChunkBytes: 262_144)
      var chunks: [String] = []
      do {
        let engine = try StorageEngine.open(directory: folder.path, options: options)
        for save in 0..<400 { try EngineFixture.put(save * 40..<save * 40 + 40, in: engine) }
        chunks = try PosixFileSystem().names(inDirectory: folder.path)
      }
      #expect(chunks.count { $0.hasPrefix("log-") } >= 5)
      #expect(chunks.allSatisfy { $0.hasPrefix("log-") || ["lock", "manifest"].contains($0) }, "\(chunks)")
      let again = try StorageEngine.open(directory: folder.path, options: options)
      #expect(try EngineFixture.numbers(in: again) == Array(0..<16_000))
    }
  #endif
}

final class Makers: Sendable {
  let begun = Mutex(0)
  let adopted = Mutex(0)
  let fails: Bool

  init(fails: Bool = false) { self.fails = fails }
}

/// Disk that fails one directory sync, and every removal after that.
private final class FailingFolder: ForwardingFileSystem {
  let base: SimulatedFileSystem
  let makesChunksAhead: Bool
  let fails = Mutex((sync: false, remove: false))

  init(base: SimulatedFileSystem, makesChunksAhead: Bool) {
    self.base = base
    self.makesChunksAhead = makesChunksAhead
  }

  func syncDirectory(_ path: String) throws(FileSystemError) {
    let fails = fails.withLock { fails in
      defer { fails.sync = false }
      return fails.sync
    }
    if fails { throw FileSystemError(operation: .syncDirectory, path: path, code: 5) }
    try base.syncDirectory(path)
  }

  func remove(_ path: String) throws(FileSystemError) {
    if base.contents(path) != nil, fails.withLock({ $0.remove }) {
      throw FileSystemError(operation: .remove, path: path, code: 5)
    }
    try base.remove(path)
  }

  func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)? {
    guard makesChunksAhead else { return nil }
    return AheadFileSystem(base: base, makers: Makers())
      .beginSpare(inDirectory: path, bytes: bytes, beginningWith: start, preparing: preparing)
  }
}

/// Simulated disk that prepares files immediately.
struct AheadFileSystem: ForwardingFileSystem {
  let base: SimulatedFileSystem
  let makers: Makers

  func beginSpare(
    inDirectory path: String, bytes: Int, beginningWith start: [UInt8], preparing: @escaping @Sendable () -> Void
  ) -> (any SpareFile)? {
    preparing()
    makers.begun.withLock { $0 += 1 }
    return Spare(bytes: bytes, start: start, base: base, makers: makers)
  }

  private final class Spare: SpareFile {
    private let bytes: Int
    private let start: [UInt8]
    private let base: SimulatedFileSystem
    private let makers: Makers

    init(bytes: Int, start: [UInt8], base: SimulatedFileSystem, makers: Makers) {
      self.bytes = bytes
      self.start = start
      self.base = base
      self.makers = makers
    }

    func become(_ path: String) throws(FileSystemError) -> any OpenFile {
      if makers.fails { throw FileSystemError(operation: .allocate, path: path, code: 28) }
      // Like link(2), fail instead of replacing an existing file.
      if base.contents(path) != nil { throw FileSystemError(operation: .rename, path: path, code: 17) }
      let file = try base.open(path, .create)
      try file.truncate(to: 0)
      try file.allocate(bytes)
      try file.write(start, at: 0)
      try file.synchronize()
      makers.adopted.withLock { $0 += 1 }
      return file
    }
  }
}
