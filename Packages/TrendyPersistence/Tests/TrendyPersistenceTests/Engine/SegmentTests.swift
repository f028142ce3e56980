import StorageTesting
import Testing
import TrendyPersistence

@Suite("Segments", .timeLimit(.minutes(10)))
struct SegmentTests {
  private static func segments(_ disk: SimulatedFileSystem) -> [String] {
    disk.files.filter { $0.hasPrefix("/store/segment-") }
  }

  private static func maintainAll(_ engine: StorageEngine) throws(StorageError) {
    var seals = true
    while try engine.maintain(sealingAll: seals) { seals = false }
  }

  @Test func `sealing moves every row out of the log, and the store opens without it`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for number in 0..<300 { try EngineFixture.put([number], in: engine) }
    #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count > 2)
    try Self.maintainAll(engine)
    #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count == 1)
    #expect(Self.segments(disk).count == 1)
    let reopened = try EngineFixture.open(disk.anotherProcess())
    #expect(reopened.recovery.saves == 0)
    for engine in [engine, reopened] {
      #expect(try EngineFixture.numbers(in: engine) == Array(0..<300))
      #expect(try engine.scan(kind: 1, group: 2, from: 50, to: 60).map(\.sort) == [50, 53, 56, 59])
      #expect(try engine.scan(kind: 1, descending: true, limit: 2).map(\.sort) == [299, 298])
      #expect(try engine.counts(kind: 1, group: 1, boundaries: [0, 10, 10, 20, 1000]) == [3, 0, 4, 93])
      #expect(try engine.get(kind: 1, key: EngineFixture.key(42))?.payload == EngineFixture.payload(42))
      #expect(try engine.get(kind: 2, key: EngineFixture.key(42)) == nil)
    }
  }

  @Test func `released memory is read again from the disk, also after the file is deleted`()
    throws
  {
    let folder = try TemporaryFolder()
    let engine = try StorageEngine.open(directory: folder.path, fileSystem: PosixFileSystem())
    for number in 0..<2000 { try EngineFixture.put([number], in: engine) }
    try Self.maintainAll(engine)
    let held = try engine.scan(kind: 1)
    engine.releaseMemory()
    #expect(held.map { $0.payload } == (0..<2000).map { EngineFixture.payload($0) })
    #expect(try EngineFixture.numbers(in: engine) == Array(0..<2000))
    engine.releaseMemory()
    for number in 2000..<4000 { try EngineFixture.put([number], in: engine) }
    try Self.maintainAll(engine)
    engine.releaseMemory()
    #expect(held.map { $0.payload } == (0..<2000).map { EngineFixture.payload($0) })
    #expect(try engine.get(kind: 1, key: EngineFixture.key(42))?.payload == EngineFixture.payload(42))
  }

  /// Interpolation search finds hashed group keys in a few steps. Other group keys must be found too.
  @Test("a group is found in any distribution", arguments: [0x9E37_79B9_7F4A_7C15, 1, 1 << 40] as [UInt64])
  func groups(step: UInt64) throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    // Kinds with alternating groups, and groups near the maximum.
    let groups: [UInt64] = (1...1500).map { UInt64($0) &* step } + [.max - 2, .max - 3]
    try engine.write { transaction throws(StorageError) in
      for (number, group) in groups.enumerated() {
        for kind in [UInt8(1), 2, 3] where kind != 2 || number % 5 == 0 {
          try transaction.put(
            kind: kind, key: EngineFixture.key(number), sort: Int64(number), group: group, payload: [kind])
        }
      }
    }
    // Read the rows first from memory, then from a segment.
    for _ in 0..<2 {
      for (number, group) in groups.enumerated() {
        #expect(try engine.scan(kind: 1, group: group).map(\.sort) == [Int64(number)])
        #expect(try engine.scan(kind: 2, group: group).count == (number % 5 == 0 ? 1 : 0))
        #expect(try engine.scan(kind: 3, group: group &+ 1).allSatisfy { groups[Int($0.sort)] == group &+ 1 })
      }
      #expect(try engine.scan(kind: 4, group: groups[0]).isEmpty)
      try Self.maintainAll(engine)
    }
    #expect(Self.segments(disk).count == 1)
  }

  /// A group gets a list in memory with its second row.
  @Test func `rows of a group are added to and removed from a log`() throws {
    let engine = try EngineFixture.open(SimulatedFileSystem())
    func sorts() throws -> [Int64] { try engine.scan(kind: 1, group: 1).map(\.sort) }
    #expect(try sorts().isEmpty)
    try EngineFixture.put([1], in: engine)
    #expect(try sorts() == [1])
    try EngineFixture.put([7, 4], in: engine)
    #expect(try sorts() == [1, 4, 7])
    for (number, left) in [(4, [1, 7]), (1, [7]), (7, [])] as [(Int, [Int64])] {
      try engine.write { transaction throws(StorageError) in transaction.delete(kind: 1, key: EngineFixture.key(number))
      }
      #expect(try sorts() == left)
    }
    try EngineFixture.put([10], in: engine)
    try engine.write { transaction throws(StorageError) in
      try transaction.put(kind: 1, key: EngineFixture.key(10), sort: 10, group: 2, payload: EngineFixture.payload(10))
    }
    #expect(try sorts().isEmpty && engine.scan(kind: 1, group: 2).map(\.sort) == [10])
  }

  @Test func `keys are spread evenly over the hash index`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<3000, in: engine)
    try Self.maintainAll(engine)
    let bytes = try #require(disk.contents(Self.segments(disk)[0]))
    func word(_ offset: Int) -> Int { (0..<8).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) } }
    let footer = bytes.count - word(bytes.count - 24)
    let (table, count) = (word(footer + 56), word(footer + 64))
    // Rows per bucket of twelve slots, 9.6 on average. Rows that do not fit are stored in the next bucket.
    let rows = (0..<count).map { Int(bytes[table + $0 * 64 + 60]) }
    #expect(count == 313 && rows.reduce(0, +) == 3000)
    #expect(rows.filter { $0 == 12 }.count < 120 && rows.filter { $0 < 4 }.count < 12)
  }

  @Test func `a short log is not sealed, and a save seals a long one`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<3, in: engine)
    #expect(try !engine.maintain())
    #expect(Self.segments(disk).isEmpty)
    var options = EngineFixture.options
    options.sealBytes = 4096
    let eager = try StorageEngine.open(directory: "/store", fileSystem: disk.anotherProcess(), options: options)
    var number = 3
    while Self.segments(disk).isEmpty, number < 10_000 {
      try EngineFixture.put(number..<number + 10, in: eager)
      number += 10
    }
    // A save seals the log itself at 64 times the length at which maintenance would.
    #expect(number > 1000 && number < 4000)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(0..<number))
  }

  @Test func `saves without maintenance keep the number of segments limited`() throws {
    let disk = SimulatedFileSystem()
    var options = EngineFixture.options
    options.sealBytes = 4096
    let engine = try StorageEngine.open(directory: "/store", fileSystem: disk, options: options)
    var most = 0
    for number in 0..<56 {
      // A single save makes the log long enough to be sealed.
      try engine.write { transaction throws(StorageError) in
        try transaction.put(
          kind: 1, key: EngineFixture.key(number), sort: Int64(number), payload: [UInt8](repeating: 7, count: 40_000))
      }
      most = max(most, Self.segments(disk).count)
    }
    #expect(most > 40 && most <= 48)
    #expect(try engine.scan(kind: 1).map(\.sort) == (0..<56).map { Int64($0) })
    #expect(try EngineFixture.open(disk.anotherProcess()).count(kind: 1) == 56)
  }

  @Test func `rows of a segment are replaced, deleted and put again`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<50, in: engine)
    try Self.maintainAll(engine)
    try engine.write { transaction throws(StorageError) in
      for number in 10..<20 { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
      try transaction.put(kind: 1, key: EngineFixture.key(5), sort: 500, group: 9, payload: [1])
    }
    try Self.maintainAll(engine)
    try EngineFixture.put(12...12, in: engine)
    let expected = (Array(0..<5) + Array(6..<10) + [12] + Array(20..<50)).map { Int64($0) } + [500]
    for _ in 0..<3 {
      for engine in [engine, try EngineFixture.open(disk.anotherProcess())] {
        #expect(try engine.scan(kind: 1).map(\.sort) == expected)
        #expect(try engine.count(kind: 1) == expected.count)
        #expect(try engine.get(kind: 1, key: EngineFixture.key(11)) == nil)
        #expect(try engine.get(kind: 1, key: EngineFixture.key(5))?.sort == 500)
      }
      try Self.maintainAll(engine)
    }
  }

  /// Returns a version 7 UUID with this timestamp. Keys with the same timestamp differ in the lower half.
  private static func risingKey(_ moment: Int, _ number: Int = 0) -> RowKey {
    RowKey(high: UInt64(moment) << 16 | 0x7000, low: 1 << 63 | UInt64(number))
  }

  @Test func `rows replaced by the log are found among increasing ids and returned once`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    func put(_ keys: [RowKey], kind: UInt8 = 1, sort: Int64) throws {
      try engine.write { transaction throws(StorageError) in
        for key in keys { try transaction.put(kind: kind, key: key, sort: sort, group: 5, payload: [1]) }
      }
    }
    // Create two segments. The second has older timestamps and repeats the latest timestamp of the first. Both also
    // contain hashes.
    let first = (100..<130).map { Self.risingKey($0) } + [Self.risingKey(129, 1)]
    try put(first + [RowKey(hashing: "a")], sort: 1)
    try engine.maintain(sealingAll: true)
    let second = (60..<90).map { Self.risingKey($0) } + [Self.risingKey(129, 2)]
    try put(second + [RowKey(hashing: "b")], sort: 2)
    try put((0..<9).map { Self.risingKey(500 + $0) }, kind: 2, sort: 2)
    try engine.maintain(sealingAll: true)
    // Replace the first, middle and last keys of each segment, and add keys before, between and after them.
    let replaced =
      [Self.risingKey(100), Self.risingKey(115), Self.risingKey(129), Self.risingKey(129, 1), Self.risingKey(129, 2)]
      + [Self.risingKey(60), Self.risingKey(89), RowKey(hashing: "a"), RowKey(hashing: "b")]
    let new = [Self.risingKey(10), Self.risingKey(95), Self.risingKey(130), Self.risingKey(600)]
    let all = Set(first + second + new + [RowKey(hashing: "a"), RowKey(hashing: "b")])
    try put(replaced + new, sort: 3)
    for handle in [engine, try EngineFixture.open(disk.anotherProcess())] {
      // Read the other kind first, because each kind has its own state.
      #expect(try handle.count(kind: 2) == 9)
      let rows = try handle.scan(kind: 1)
      #expect(rows.count == all.count && Set(rows.map(\.key)) == all)
      #expect(Set(rows.filter { $0.sort == 3 }.map(\.key)) == Set(replaced + new))
      #expect(try handle.count(kind: 1) == all.count && handle.count(kind: 1, group: 5) == all.count)
    }
    try engine.write { transaction in
      for key in replaced { transaction.delete(kind: 1, key: key) }
    }
    #expect(try Set(engine.scan(kind: 1).map(\.key)) == all.subtracting(replaced))
    try engine.maintain(sealingAll: true)
    #expect(try Set(EngineFixture.open(disk.anotherProcess()).scan(kind: 1).map(\.key)) == all.subtracting(replaced))
  }

  @Test func `lists and rows do not change while files are merged and deleted`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<100, in: engine)
    try Self.maintainAll(engine)
    let list = try engine.scan(kind: 1)
    for round in 1...6 {
      try EngineFixture.put(round * 100..<round * 100 + 100, in: engine)
      try engine.write { transaction throws(StorageError) in transaction.delete(kind: 1, key: EngineFixture.key(round))
      }
      try Self.maintainAll(engine)
    }
    #expect(list.map(\.payload) == (0..<100).map(EngineFixture.payload))
    #expect(try engine.count(kind: 1) == 694)
    #expect(Self.segments(disk).count < 4)
  }

  @Test func `a handle that missed many generations can read and write`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    let reader = try EngineFixture.open(disk.anotherProcess())
    let writer = try EngineFixture.open(disk.anotherProcess())
    for round in 0..<8 {
      try EngineFixture.put(round * 100..<round * 100 + 100, in: engine)
      try Self.maintainAll(engine)
    }
    #expect(try EngineFixture.numbers(in: reader).isEmpty)
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == Array(0..<800))
    try EngineFixture.put([800], in: writer)
    try engine.refresh()
    try reader.refresh()
    for engine in [engine, reader, writer] { #expect(try EngineFixture.numbers(in: engine) == Array(0...800)) }
  }

  @Test func `only one process at a time maintains a store`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<9, in: engine)
    let other = disk.anotherProcess()
    let lock = try other.open("/store/maintenance", .create)
    #expect(try lock.tryLock())
    #expect(try !engine.maintain(sealingAll: true))
    #expect(Self.segments(disk).isEmpty)
    try lock.unlock()
    #expect(try engine.maintain(sealingAll: true))
  }

  /// Rows 0..<60 in one segment, changes in a second, and a few rows in the log.
  private static let store: SimulatedFileSystem = {
    let disk = SimulatedFileSystem()
    do {
      let engine = try EngineFixture.open(disk)
      try EngineFixture.put(0..<60, in: engine)
      try maintainAll(engine)
      try EngineFixture.put([60, 61], in: engine)
      try engine.write { transaction throws(StorageError) in
        transaction.delete(kind: 1, key: EngineFixture.key(7))
      }
      try maintainAll(engine)
      try EngineFixture.put([62], in: engine)
    } catch {
      preconditionFailure("\(error)")
    }
    return disk
  }()
  private static let numbers = Array(0..<7) + Array(8...62)

  /// Reads the store in every way and returns its numbers, or an empty array if the results disagree.
  private func read(_ disk: SimulatedFileSystem) throws(StorageError) -> [Int] {
    let engine = try EngineFixture.open(disk)
    let numbers = try EngineFixture.numbers(in: engine)
    for number in 0..<64 {
      let found = try engine.get(kind: 1, key: EngineFixture.key(number)) != nil
      guard found == numbers.contains(number) else { return [] }
    }
    for group in 0..<3 as Range<UInt64> where group != 0 {
      let some = numbers.filter { $0 % 3 == Int(group) }
      guard try engine.scan(kind: 1, group: group).map({ Int($0.sort) }) == some,
        try engine.count(kind: 1, group: group) == some.count
      else { return [] }
    }
    return numbers
  }

  @Test func `a flipped bit in a segment or manifest results in the right rows or an error with its file`() throws {
    #expect(try read(Self.store.copy()) == Self.numbers)
    let segments = Self.segments(Self.store)
    #expect(segments.count == 2)
    for path in segments + ["/store/manifest"] {
      let contents = try #require(Self.store.contents(path))
      let disk = Self.store.copy()
      var refused = 0
      for byte in contents.indices {
        var bytes = contents
        bytes[byte] ^= 1 << UInt8(byte % 8)
        disk.setContents(path, bytes)
        do {
          #expect(try read(disk) == Self.numbers, "byte \(byte) of \(path)")
        } catch .damaged(let file, _) {
          #expect(file == path)
          refused += 1
        } catch {
          Issue.record("byte \(byte) of \(path): \(error)")
        }
      }
      #expect(refused > contents.count / 2)
    }
  }

  @Test func `a damaged page loses only its own rows`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try engine.write { transaction throws(StorageError) in
      for number in 0..<4000 {
        try transaction.put(
          kind: 1, key: EngineFixture.key(number), sort: Int64(number), payload: [UInt8](repeating: 7, count: 1000))
      }
    }
    try Self.maintainAll(engine)
    let path = Self.segments(disk)[0]
    var bytes = try #require(disk.contents(path))
    bytes[1 << 20] ^= 1
    disk.setContents(path, bytes)
    let reader = try EngineFixture.open(disk.anotherProcess())
    var lost: [Int] = []
    for place in 0..<4000 {
      let number = place * 1597 % 4000
      do {
        let found = try reader.get(kind: 1, key: EngineFixture.key(number))
        #expect(found?.sort == Int64(number))
      } catch {
        #expect(error == .damaged(path: path, offset: 1 << 20))
        lost.append(number)
      }
    }
    // Rows have 1040 bytes, so these are the rows in the damaged 4096 bytes.
    #expect(lost.sorted() == Array(1008...1012))
  }

  @Test func `a segment that is truncated, extended, missing or swapped is rejected`() throws {
    let segments = Self.segments(Self.store)
    for path in segments {
      let contents = try #require(Self.store.contents(path))
      for size in contents.indices where size < 100 || size % 7 == 0 || size > contents.count - 300 {
        let disk = Self.store.copy()
        disk.setContents(path, Array(contents.prefix(size)))
        #expect(throws: StorageError.damaged(path: path, offset: size)) { _ = try EngineFixture.open(disk) }
      }
      let disk = Self.store.copy()
      disk.setContents(path, contents + [0])
      #expect(throws: StorageError.damaged(path: path, offset: contents.count)) { _ = try EngineFixture.open(disk) }
      try disk.remove(path)
      #expect(throws: StorageError.damaged(path: path, offset: 0)) { _ = try EngineFixture.open(disk) }
    }
    let disk = Self.store.copy()
    disk.setContents(segments[0], try #require(disk.contents(segments[1])))
    #expect(throws: StorageError.self) { _ = try EngineFixture.open(disk) }
  }
}
