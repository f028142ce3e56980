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

  @Test func `without large pages a mapping does not begin at a multiple of a large page`()
    throws
  {
    let largePage = 2 << 20
    let sparing = PosixFileSystem(mapsLargePages: false)
    let file = try sparing.open(folder.path + "/long", .create)
    try file.allocate(2 * largePage)
    try write([7], to: file, at: largePage)
    // If the system assigned consecutive addresses, at least one of this many mappings would be aligned to large pages.
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

  #if os(Linux) && !TRENDY_PORTABLE
    @Test func `only touched pages of a mapping without large pages are resident, despite prefetching`() throws {
      let length = 4 << 20
      let file = try PosixFileSystem(mapsLargePages: false).open(folder.path + "/long", .create)
      try write([UInt8](repeating: 7, count: length), to: file)
      let mapping = try file.map(size: length)
      mapping.bringIn(0..<length)
      #expect(mapping.bytes[length / 2] == 7)
      // The system maps 64 KiB around the touched page.
      #expect(try fileMemory(of: folder.path + "/long").resident <= 256)
    }
  #endif

  /// Runs in a separate process, because writing to a read-only mapping terminates the process.
  @Test func `a reader sees the save of a handle that has read five times before`() async throws {
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

  @Test func `bytes written beside a counter are in the file, and all handles see the counter`() throws {
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

  @Test func `the page of a counter is allocated on disk before the first write to it in memory`() throws {
    let path = folder.path + "/file"
    let counter = try #require(try files.open(path, .create).counter())
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_size == 4096)
    #if !TRENDY_PORTABLE
      // If a full disk had no space for the page, the first write to the mapping would terminate the process.
      #expect(status.st_blocks * 512 >= 4096)
    #endif
    #expect(counter.value == 0)
  }

  @Test func `after a save the lock file has the durable end, so that opening reads no further`() throws {
    let store = folder.path + "/store"
    let engine = try StorageEngine.open(directory: store)
    for number in 1...3 { try EngineFixture.put([number], in: engine) }
    let mark = try bytes(files.open(store + "/lock", .read), 32)
    #expect(mark[8..<16] == [3, 0, 0, 0, 0, 0, 0, 0])
    let checksum = mark.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
    #expect(mark[24...].reversed().reduce(0) { $0 << 8 | UInt64($1) } == checksum)
  }

  @Test func `pauses increase up to a millisecond`() {
    #expect(files.pause(attempt: 0) == .microseconds(20))
    #expect(files.pause(attempt: 2) == .microseconds(80))
    #expect(files.pause(attempt: 1000) == .microseconds(1000))
  }
}
