import Foundation
import Testing
import TrendyPersistence

@Suite("PosixFileSystem", .timeLimit(.minutes(10)))
struct PosixFileSystemTests {
  let folder: TemporaryFolder
  let files = PosixFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ file: any OpenFile, _ count: Int, at offset: Int = 0) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let done = try file.read(into: buffer, at: offset)
    return Array(buffer.prefix(done))
  }

  private func write(_ bytes: [UInt8], to file: any OpenFile, at offset: Int = 0) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: offset) }
  }

  @Test func `folders are made with those above, again without complaint, and not over a file`() throws {
    let path = folder.path + "/a/b/c"
    try files.createDirectory(path)
    try files.createDirectory(path)
    #expect(try files.names(inDirectory: path).isEmpty)
    _ = try files.open(path + "/file", .create)
    #expect(throws: FileSystemError(operation: .createDirectory, path: path + "/file", code: ENOTDIR)) {
      try files.createDirectory(path + "/file")
    }
    #expect(throws: FileSystemError(operation: .createDirectory, path: path + "/file/x", code: ENOTDIR)) {
      try files.createDirectory(path + "/file/x")
    }
  }

  @Test func `what is written is read, beyond the end there is nothing`() throws {
    let path = folder.path + "/file"
    #expect(throws: FileSystemError(operation: .open, path: path, code: ENOENT)) { _ = try files.open(path, .read) }
    let file = try files.open(path, .create)
    try write([1, 2, 3], to: file, at: 5)
    try file.synchronize()
    #expect(try bytes(file, 100) == [0, 0, 0, 0, 0, 1, 2, 3])
    #expect(try bytes(file, 2, at: 6) == [2, 3])
    #expect(try bytes(file, 2, at: 8).isEmpty)
    try file.allocate(4096)
    #expect(try file.size() == 4096)
    try file.truncate(to: 6)
    #expect(try bytes(files.open(path, .read), 10) == [0, 0, 0, 0, 0, 1])
    let mapping = try file.map(size: 6)
    let mapped = withExtendedLifetime(mapping) { Array(mapping.bytes) }
    #expect(mapped == [0, 0, 0, 0, 0, 1])
    #expect(throws: FileSystemError(operation: .map, path: path, code: EINVAL)) { _ = try file.map(size: 7) }
    let reader = try files.open(path, .read)
    #expect(throws: FileSystemError(operation: .write, path: path, code: EBADF)) { try write([1], to: reader) }
  }

  @Test func `a long file begins beside the multiples of a large page where a touch of it is not to take up one`()
    throws
  {
    let largePage = 2 << 20
    let sparing = PosixFileSystem(mapsLargePages: false)
    let file = try sparing.open(folder.path + "/long", .create)
    try file.allocate(2 * largePage)
    try write([7], to: file, at: largePage)
    // Where the system gives addresses that follow each other, one of so many would fall upon a multiple.
    let mappings = try (0..<40).map { _ in try file.map(size: 2 * largePage) }
    for mapping in mappings {
      #expect(Int(bitPattern: mapping.bytes.baseAddress) % largePage != 0)
      #expect(mapping.bytes.count == 2 * largePage)
      #expect(mapping.bytes[largePage] == 7)
    }
    #expect(throws: FileSystemError(operation: .map, path: folder.path + "/long", code: EINVAL)) {
      _ = try file.map(size: 3 * largePage)
    }
  }

  #if os(Linux)
    @Test func `of a long file in small pages is in memory what was touched, whatever is foreseen`() throws {
      let length = 4 << 20
      let file = try PosixFileSystem(mapsLargePages: false).open(folder.path + "/long", .create)
      try write([UInt8](repeating: 7, count: length), to: file)
      let mapping = try file.map(size: length)
      mapping.bringIn(0..<length)
      #expect(mapping.bytes[length / 2] == 7)
      // The system maps 64 KiB around a touch.
      #expect(try fileMemory(of: folder.path + "/long").resident <= 256)
    }
  #endif

  @Test func `a renamed file takes the other's place, and who has the other open can tell`() throws {
    let old = try files.open(folder.path + "/old", .create)
    let new = try files.open(folder.path + "/new", .create)
    #expect(try old.isInPlace())
    try files.rename(folder.path + "/new", to: folder.path + "/old")
    try files.syncDirectory(folder.path)
    #expect(try files.names(inDirectory: folder.path) == ["old"])
    #expect(try !old.isInPlace())
    #expect(try !new.isInPlace())
    try files.remove(folder.path + "/old")
    #expect(try files.names(inDirectory: folder.path).isEmpty)
  }

  @Test func `a lock keeps out other handles, of this process too, until it is given back or its file closed`() throws {
    let path = folder.path + "/lock"
    var first: (any OpenFile)? = try files.open(path, .create)
    let second = try files.open(path, .create)
    #expect(try first?.tryLock() == true)
    #expect(try !second.tryLock())
    try first?.unlock()
    #expect(try second.tryLock())
    #expect(try first?.tryLock() == false)
    try second.unlock()
    #expect(try first?.tryLock() == true)
    first = nil
    #expect(try second.tryLock())
  }

  /// In a process of its own: a page that is mapped for reading ends the one that writes into it.
  @Test func `a handle that reads five times and then saves is seen by one that only reads`() async throws {
    let directory = folder.path + "/store"
    try EngineFixture.put([1], in: StorageEngine.open(directory: directory))
    await #expect(processExitsWith: .success) { [directory = directory as String] in
      let engine = try StorageEngine.open(directory: directory)
      let reader = try StorageEngine.open(directory: directory)
      for _ in 1...5 {
        try engine.refresh()
        try reader.refresh()
      }
      try EngineFixture.put([2], in: engine)
      try reader.refresh()
      guard try EngineFixture.numbers(in: reader) == [1, 2] else { exit(1) }
    }
    #expect(try EngineFixture.numbers(in: StorageEngine.open(directory: directory)) == [1, 2])
  }

  @Test func `what is put beside a counter lies in the file, and each who has it open sees the counter`() throws {
    let path = folder.path + "/file"
    let file = try files.open(path, .create)
    let counter = try #require(try file.counter())
    #expect(Array<UInt8>(1...32).withUnsafeBytes { counter.put($0) })
    let other = try files.open(path, .read)
    #expect(try bytes(other, 34) == Array(1...32) + [0, 0])
    let seen = try #require(try other.counter())
    let before = seen.value
    #expect(counter.advance() == before + 1 && seen.value == before + 1)
    #expect(try bytes(other, 32) == Array(1...32))
  }

  @Test func `the page of a counter has its room on the disk before anybody writes to it in memory`() throws {
    let path = folder.path + "/file"
    let counter = try #require(try files.open(path, .create).counter())
    var status = stat()
    try #require(stat(path, &status) == 0)
    // Where a full disk has none for it, the first write to it would end the process.
    #expect(status.st_size == 4096 && status.st_blocks * 512 >= 4096)
    #expect(counter.value == 0)
  }

  @Test func `after a save the lock names it, so that an opening looks no further`() throws {
    let store = folder.path + "/store"
    let engine = try StorageEngine.open(directory: store)
    for number in 1...3 { try EngineFixture.put([number], in: engine) }
    let mark = try bytes(files.open(store + "/lock", .read), 32)
    #expect(mark[8..<16] == [3, 0, 0, 0, 0, 0, 0, 0])
    let checksum = mark.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
    #expect(mark[24...].reversed().reduce(0) { $0 << 8 | UInt64($1) } == checksum)
  }

  @Test func `pauses grow to a millisecond`() {
    #expect(files.pause(attempt: 0) == .microseconds(20))
    #expect(files.pause(attempt: 2) == .microseconds(80))
    #expect(files.pause(attempt: 1000) == .microseconds(1000))
  }
}
