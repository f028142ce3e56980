import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence

/// Flips each bit of a store in turn. The store must open with the right rows, report a cut, or be rejected.
@Suite("Damage", .timeLimit(.minutes(10)))
struct DamageTests {
  /// Three saves in the first chunk, which is sealed, and three in the second.
  private static let store: (disk: SimulatedFileSystem, ends: [Int]) = {
    let disk = SimulatedFileSystem()
    var ends: [Int] = []
    do {
      let engine = try EngineFixture.open(disk)
      var next = 1
      while disk.contents("/store/log-2") == nil || next < 24 {
        try EngineFixture.put(next..<next + 6, in: engine)
        next += 6
        ends.append(next - 1)
      }
    } catch {
      preconditionFailure("\(error)")
    }
    return (disk, ends)
  }()

  /// Returns the numbers in a modified copy of the store, and whether opening it reported a cut.
  private func outcome(_ change: (SimulatedFileSystem) throws -> Void) throws -> Result<
    ([Int], wasCut: Bool), StorageError
  > {
    let disk = Self.store.disk.copy()
    try change(disk)
    do throws(StorageError) {
      let engine = try EngineFixture.open(disk)
      let numbers = try EngineFixture.numbers(in: engine)
      return .success((numbers, engine.recovery.wasCut))
    } catch {
      return .failure(error)
    }
  }

  private func flip(_ path: String, byte: Int, bit: Int) throws -> Result<([Int], wasCut: Bool), StorageError> {
    try outcome { disk in
      var bytes = try #require(disk.contents(path))
      bytes[byte] ^= 1 << bit
      disk.setContents(path, bytes)
    }
  }

  @Test func `the store under test has groups in two chunks`() throws {
    #expect(Self.store.disk.files == ["/store/lock", "/store/log-1", "/store/log-2", "/store/manifest"])
    let numbers = try outcome { _ in }.get()
    #expect(numbers.0 == Array(1...(Self.store.ends.last ?? 0)))
    #expect(!numbers.wasCut)
  }

  @Test func `a flipped bit anywhere in the manifest is rejected`() throws {
    let size = try #require(Self.store.disk.contents("/store/manifest")).count
    for byte in 0..<size {
      for bit in 0..<8 {
        guard case .failure = try flip("/store/manifest", byte: byte, bit: bit) else {
          Issue.record("bit \(bit) of byte \(byte) was not noticed")
          continue
        }
      }
    }
  }

  /// Only the durable end confirms the last save, because no group follows it.
  @Test(arguments: [true, false])
  func `a flipped bit is rejected, or without a durable end the last save is cut and reported`(
    hasMark: Bool
  ) throws {
    let all = Array(1...(Self.store.ends.last ?? 0))
    let beforeLast = Array(1...Self.store.ends[Self.store.ends.count - 2])
    for path in ["/store/log-1", "/store/log-2"] {
      let contents = try #require(Self.store.disk.contents(path))
      let used = try #require(contents.lastIndex { $0 != 0 }) + 1
      var wereCut = 0
      for byte in 0..<contents.count where byte < used + 64 || byte % 97 == 0 {
        for bit in 0..<8 where hasMark || bit == byte % 8 {
          let result = try outcome { disk in
            var bytes = contents
            bytes[byte] ^= 1 << bit
            disk.setContents(path, bytes)
            if !hasMark { disk.setContents("/store/lock", []) }
          }
          switch result {
          case .failure(.damaged(let file, let offset)):
            // Groups are zero-padded to a multiple of 8.
            #expect(file == path && offset <= byte && byte < used + 8, "bit \(bit) of byte \(byte) in \(path)")
          case .failure(let error):
            Issue.record("bit \(bit) of byte \(byte) in \(path): \(error)")
          case .success(let (numbers, wasCut)):
            if wasCut && numbers == beforeLast { wereCut += 1 }
            let isUnused = byte >= used && numbers == all
            let isLastSave = path == "/store/log-2" && wasCut && numbers == beforeLast
            #expect(isUnused || (isLastSave && !hasMark), "bit \(bit) of byte \(byte) in \(path) gave \(numbers.count)")
          }
        }
      }
      #expect((wereCut > 0) == (path == "/store/log-2" && !hasMark))
    }
  }

  @Test
  func `a damaged confirmed save at the end of the log is not cut by the next one, and repair reports it`()
    throws
  {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    try EngineFixture.put([2], in: engine)
    let reader = try EngineFixture.open(disk.anotherProcess())
    try EngineFixture.put([3], in: engine)
    var bytes = try #require(disk.contents("/store/log-1"))
    let end = 64 + 2 * 96
    bytes[end + 90] ^= 1
    disk.setContents("/store/log-1", bytes)
    let damage = StorageError.damaged(path: "/store/log-1", offset: end)
    #expect(throws: damage) { try EngineFixture.put([4], in: reader) }
    #expect(throws: damage) { _ = try EngineFixture.open(disk.anotherProcess()) }
    #expect(disk.contents("/store/log-1") == bytes)
    let report = try StorageEngine.repair(
      directory: "/store", fileSystem: disk.anotherProcess(), options: EngineFixture.options)
    #expect(report.savesKept == 2 && report.savesLost == 1)
    #expect(report.lostSaves.first?.rows == [LostRow(kind: 1, key: EngineFixture.key(3), sort: 3)])
    try EngineFixture.put([4], in: EngineFixture.open(disk.anotherProcess()))
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == [1, 2, 4])
    #expect(
      try StorageEngine.verify(directory: "/store", fileSystem: disk, options: EngineFixture.options).findings.isEmpty)
  }

  @Test func `a truncated file is rejected`() throws {
    for path in ["/store/log-1", "/store/log-2", "/store/manifest"] {
      let contents = try #require(Self.store.disk.contents(path))
      for size in 0..<contents.count where size < 300 || size % 13 == 0 || size == contents.count - 1 {
        let result = try outcome { $0.setContents(path, Array(contents.prefix(size))) }
        guard case .failure(.damaged(path, _)) = result else {
          Issue.record("\(path) cut at \(size): \(result)")
          continue
        }
      }
    }
  }

  @Test func `a missing file is rejected`() throws {
    for name in ["log-1", "log-2", "manifest"] {
      let path = "/store/\(name)"
      let result = try outcome { try $0.remove(path) }
      guard case .failure(.damaged(path, 0)) = result else {
        Issue.record("without \(path): \(result)")
        continue
      }
    }
  }

  @Test func `swapped files are rejected`() throws {
    let first = try #require(Self.store.disk.contents("/store/log-1"))
    let second = try #require(Self.store.disk.contents("/store/log-2"))
    let result = try outcome { disk in
      disk.setContents("/store/log-1", second)
      disk.setContents("/store/log-2", first)
    }
    guard case .failure(.damaged("/store/log-1", _)) = result else {
      Issue.record("\(result)")
      return
    }
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `random bytes in the log never return wrong rows`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let path = generator.next() % 2 == 0 ? "/store/log-1" : "/store/log-2"
    let contents = try #require(Self.store.disk.contents(path))
    let start = Int(generator.next() % UInt64(contents.count))
    let count = Int(generator.next() % 600)
    let result = try outcome { disk in
      var bytes = contents
      for index in start..<min(start + count, bytes.count) {
        bytes[index] = UInt8(truncatingIfNeeded: generator.next())
      }
      disk.setContents(path, bytes)
    }
    if case .success(let (numbers, wasCut)) = result {
      let all = Array(1...(Self.store.ends.last ?? 0))
      let whole = [0] + Self.store.ends
      #expect(whole.contains(numbers.count) && numbers == Array(all.prefix(numbers.count)))
      #expect(numbers.count == all.count || wasCut)
    }
  }
}
