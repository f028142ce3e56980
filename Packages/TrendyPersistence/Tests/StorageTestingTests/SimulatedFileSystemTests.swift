import StorageTesting
import Testing
import TrendyPersistence

@Suite("SimulatedFileSystem", .timeLimit(.minutes(10)))
struct SimulatedFileSystemTests {
  let disk = SimulatedFileSystem()

  private func write(_ bytes: [UInt8], to file: any OpenFile, at offset: Int = 0) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: offset) }
  }

  @Test func `a power loss keeps synced data and drops unsynced data`() throws {
    let file = try disk.open("/a", .create)
    try disk.syncDirectory("/")
    try write([1, 2], to: file)
    try file.synchronize()
    try write([3], to: file, at: 1)
    #expect(disk.contents("/a") == [1, 3])
    disk.restart(losing: .unsynced)
    #expect(disk.contents("/a") == [1, 2])
  }

  @Test func `a file is lost if its directory was not synced`() throws {
    let file = try disk.open("/a", .create)
    try write([1], to: file)
    try file.synchronize()
    disk.restart(losing: .unsynced)
    #expect(disk.files.isEmpty)
  }

  @Test func `a rename is atomic and durable after a sync of its directory`() throws {
    for (name, byte) in [("/a", 1), ("/b", 2)] as [(String, UInt8)] {
      let file = try disk.open(name, .create)
      try write([byte], to: file)
      try file.synchronize()
    }
    try disk.syncDirectory("/")
    try disk.rename("/b", to: "/a")
    #expect(disk.contents("/a") == [2])
    #expect(disk.files == ["/a"])
    let unsynced = disk.copy()
    disk.restart(losing: .unsynced)
    #expect(disk.contents("/a") == [1])
    #expect(disk.contents("/b") == [2])
    #expect(unsynced.contents("/a") == [2])
  }

  @Test func `after a process crash the data remains and can still be lost later`() throws {
    let file = try disk.open("/a", .create)
    try disk.syncDirectory("/")
    try write([1], to: file)
    disk.restart(losing: .nothing)
    #expect(disk.contents("/a") == [1])
    #expect(throws: FileSystemError(operation: .synchronize, path: "/a", code: 9)) { try file.synchronize() }
    disk.restart(losing: .unsynced)
    #expect(disk.contents("/a") == [])
  }

  @Test func `a random loss tears writes between sectors and is reproducible by its seed`() throws {
    var outcomes: Set<[UInt8]> = []
    for seed in 0..<60 as Range<UInt64> {
      var twice: [[UInt8]?] = []
      for _ in 0..<2 {
        let disk = SimulatedFileSystem()
        let file = try disk.open("/a", .create)
        try disk.syncDirectory("/")
        try write([UInt8](repeating: 0, count: 2048), to: file)
        try file.synchronize()
        try write([UInt8](repeating: 1, count: 1024), to: file, at: 256)
        try write([UInt8](repeating: 2, count: 512), to: file, at: 1024)
        disk.restart(losing: .random(seed: seed))
        twice.append(disk.contents("/a"))
      }
      #expect(twice[0] == twice[1])
      let bytes = try #require(twice[0])
      #expect(bytes.count == 2048)
      for sector in 0..<4 {
        // Within a sector each write is either complete or missing.
        let parts = [bytes[(sector * 512)..<(sector * 512 + 256)], bytes[(sector * 512 + 256)..<(sector * 512 + 512)]]
        for part in parts { #expect(Set(part).count == 1) }
      }
      outcomes.insert(bytes)
    }
    #expect(outcomes.count > 8)
    #expect(outcomes.contains { $0.contains(2) && !$0.contains(1) }, "a later write without the earlier")
  }

  @Test func `a call fails at the chosen count, once or permanently`() throws {
    disk.fail(.init(operation: .write, call: 2, code: 28))
    let file = try disk.open("/a", .create)
    try write([1], to: file)
    #expect(!disk.metFault)
    #expect(throws: FileSystemError(operation: .write, path: "/a", code: 28)) { try write([2, 2, 2, 2], to: file) }
    #expect(disk.contents("/a") == [2, 2], "half of it was written")
    #expect(disk.metFault)
    try write([3], to: file)
    disk.fail(.init(call: 1, code: 5, isForever: true))
    for _ in 0..<3 { #expect(throws: FileSystemError.self) { try write([4], to: file) } }
    disk.fail(nil)
    try write([5, 5], to: file)
  }

  @Test func `data of a failed sync is never written`() throws {
    let file = try disk.open("/a", .create)
    try disk.syncDirectory("/")
    try write([1], to: file)
    disk.fail(.init(operation: .synchronize, call: 1, code: 5))
    #expect(throws: FileSystemError.self) { try file.synchronize() }
    try file.synchronize()
    #expect(disk.contents("/a") == [1])
    disk.restart(losing: .unsynced)
    #expect(disk.contents("/a") == [])
  }

  @Test func `without power nothing changes`() throws {
    let file = try disk.open("/a", .create)
    disk.powerOff(beforeChange: 2)
    try write([1], to: file)
    #expect(!disk.isOff)
    #expect(throws: FileSystemError.self) { try write([2], to: file) }
    #expect(disk.isOff)
    #expect(throws: FileSystemError.self) { _ = try file.size() }
    #expect(disk.contents("/a") == [1])
    disk.restart(losing: .nothing)
    #expect(!disk.isOff)
  }

  @Test func `locks exclude other processes and handles and end with their owner`() throws {
    let other = disk.anotherProcess()
    let mine = try disk.open("/lock", .create)
    let theirs = try other.open("/lock", .readWrite)
    #expect(try theirs.tryLock())
    #expect(try !mine.tryLock())
    other.kill()
    #expect(try mine.tryLock())
    #expect(throws: FileSystemError(operation: .lock, path: "/lock", code: 9)) { _ = try theirs.tryLock() }
    var second: (any OpenFile)? = try disk.open("/lock", .readWrite)
    #expect(try second?.tryLock() == false)
    try mine.unlock()
    #expect(try second?.tryLock() == true)
    second = nil
    #expect(try mine.tryLock())
  }

  @Test func `a full disk rejects writes beyond its capacity`() throws {
    let disk = SimulatedFileSystem(capacity: 10)
    let file = try disk.open("/a", .create)
    try file.allocate(8)
    #expect(throws: FileSystemError(operation: .allocate, path: "/a", code: 28)) { try file.allocate(11) }
    #expect(throws: FileSystemError(operation: .write, path: "/a", code: 28)) {
      try write([1, 1, 1, 1], to: file, at: 8)
    }
    #expect(disk.usedBytes == 10)
    try write([1], to: file)
    disk.setCapacity(nil)
    try write([1, 1, 1, 1], to: file, at: 8)
  }

  @Test func `the rename of a directory is lost without a sync of its parent`() throws {
    try disk.createDirectory("/x/y")
    try disk.rename("/x", to: "/w")
    disk.restart(losing: .unsynced)
    #expect(try disk.names(inDirectory: "/x") == ["y"])
    try disk.rename("/x", to: "/w")
    try disk.syncDirectory("/")
    disk.restart(losing: .unsynced)
    #expect(try disk.names(inDirectory: "/w") == ["y"] && disk.names(inDirectory: "/") == ["w"])
  }
}
