import StorageTesting
import Testing
import TrendyPersistence

@Suite("Verification", .timeLimit(.minutes(10)))
struct VerificationTests {
  private static func verify(_ disk: SimulatedFileSystem) throws(StorageError) -> StoreVerification {
    try StorageEngine.verify(directory: "/store", fileSystem: disk, options: EngineFixture.options)
  }

  /// Rows in two segments, some replaced or deleted later, and rows in two chunks of the log.
  private static let store: SimulatedFileSystem = {
    let disk = SimulatedFileSystem()
    do {
      let engine = try EngineFixture.open(disk)
      try EngineFixture.put(0..<60, in: engine)
      try engine.maintain(sealingAll: true)
      try engine.write { transaction throws(StorageError) in
        for number in [3, 50] { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
        try transaction.put(kind: 2, key: EngineFixture.key(1), sort: -4, group: 9, payload: [1, 2, 3])
      }
      try EngineFixture.put(5..<9, in: engine)
      try engine.maintain(sealingAll: true)
      for save in 20..<40 { try EngineFixture.put(save * 3..<save * 3 + 3, in: engine) }
    } catch {
      preconditionFailure("\(error)")
    }
    return disk.copy()
  }()

  @Test func `an intact store has no issue and is not changed`() throws {
    let disk = Self.store.copy()
    let before = disk.files.map { disk.contents($0) }
    let verification = try Self.verify(disk)
    #expect(verification.findings.isEmpty)
    #expect(verification.records == 58 + 60 + 1)
    #expect(verification.files == 4 && verification.cutBytes == 0 && verification.setAside.isEmpty)
    #expect(disk.files.map { disk.contents($0) } == before)
    #expect(throws: StorageError.missing(path: "/elsewhere")) {
      _ = try StorageEngine.verify(directory: "/elsewhere", fileSystem: disk)
    }
    let empty = SimulatedFileSystem()
    try empty.createDirectory("/store")
    #expect(throws: StorageError.missing(path: "/store/manifest")) { _ = try Self.verify(empty) }
  }

  @Test func `every significant flipped bit is found in its file`() throws {
    for path in Self.store.files where path != "/store/lock" && path != "/store/maintenance" {
      let contents = try #require(Self.store.contents(path))
      let used = path.contains("log-") ? try #require(contents.lastIndex { $0 != 0 }) + 1 : contents.count
      var missed = 0
      for byte in 0..<used where path.contains("manifest") || byte < 100 || byte % 37 == 0 || byte > used - 60 {
        let disk = Self.store.copy()
        var bytes = contents
        bytes[byte] ^= 1 << (byte % 8)
        disk.setContents(path, bytes)
        let findings = try Self.verify(disk).findings
        if findings.isEmpty { missed += 1 }
        for finding in findings {
          #expect(finding.path == path && finding.kind == .damage, "byte \(byte): \(finding)")
          #expect(finding.offset.map { $0 <= byte || path.contains("segment") } == true, "byte \(byte): \(finding)")
        }
      }
      // A change to one of a segment's two footers may not be detected, because one intact footer is enough.
      #expect(missed == 0 || (path.contains("segment-") && missed < 20), "\(missed) of \(path)")
    }
  }

  @Test func `a truncated or missing file is found`() throws {
    for path in Self.store.files where path != "/store/lock" && path != "/store/maintenance" {
      let contents = try #require(Self.store.contents(path))
      for size in stride(from: 0, to: contents.count, by: max(contents.count / 40, 1)) {
        let disk = Self.store.copy()
        disk.setContents(path, Array(contents.prefix(size)))
        let finding = try Self.verify(disk).findings.first
        #expect(finding?.path == path, "\(path) cut at \(size)")
      }
      let disk = Self.store.copy()
      try disk.remove(path)
      let finding = try #require(try Self.verify(disk).findings.first)
      #expect(finding.path == path && finding.what.contains("missing"), "\(path): \(finding)")
    }
  }

  @Test func `each hole in the log is reported with its number of saves`() throws {
    let disk = Self.store.copy()
    let path = try #require(disk.files.first { $0.hasPrefix("/store/log-") })
    var bytes = try #require(disk.contents(path))
    var starts: [Int] = []
    var position = 64
    while bytes[position] != 0 {
      starts.append(position)
      position += Int(bytes[position]) + Int(bytes[position + 1]) << 8
    }
    try #require(starts.count > 6)
    bytes[starts[1] + 60] ^= 1
    bytes[starts[2] + 60] ^= 1
    bytes[starts[5] + 60] ^= 1
    disk.setContents(path, bytes)
    let findings = try Self.verify(disk).findings
    #expect(findings.map(\.offset) == [starts[1], starts[5]])
    #expect(findings.first?.what.contains("2 saves") == true, "\(findings)")
  }

  @Test func `a missing confirmed save at the end of the log is reported, an unfinished one is not`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let one = try #require(disk.contents("/store/log-1"))
    try EngineFixture.put([2], in: engine)
    let two = try #require(disk.contents("/store/log-1"))
    disk.setContents("/store/log-1", one)
    let finding = try #require(try Self.verify(disk.copy()).findings.first)
    #expect(finding.path == "/store/log-1" && finding.offset == 64 + 96 && finding.what.contains("a later save"))
    // Without the durable end in the lock file, the missing save counts as never confirmed.
    disk.setContents("/store/lock", [])
    #expect(try Self.verify(disk.copy()).findings.isEmpty)
    var torn = two
    torn[64 + 96 + 70] ^= 1
    disk.setContents("/store/log-1", torn)
    let verification = try Self.verify(disk.copy())
    #expect(verification.findings.isEmpty && verification.cutBytes > 0)
  }

  /// Changes a byte in a segment and updates the page's checksum, as a faulty program would.
  private static func forge(
    _ disk: SimulatedFileSystem, _ path: String, at offset: Int, _ change: (inout UInt8) -> Void
  ) {
    guard var bytes = disk.contents(path) else { return }
    func word(_ offset: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) } }
    let footer = bytes.count - Int(word(bytes.count - 24))
    let (number, storeID, checksums) = (word(footer + 16), word(footer + 24), Int(word(footer + 152)))
    change(&bytes[offset])
    let page = offset >> 12
    let end = min((page + 1) << 12, checksums)
    let checksum = bytes[(page << 12)..<end].withUnsafeBytes {
      Checksum.xxh64($0, seed: storeID ^ number << 32 ^ UInt64(page))
    }
    for index in 0..<8 { bytes[checksums + page * 8 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    disk.setContents(path, bytes)
  }

  @Test func `an index that does not match its rows is found, and a repair rebuilds it`() throws {
    let path = try #require(Self.store.files.first { $0.hasPrefix("/store/segment-") })
    let bytes = try #require(Self.store.contents(path))
    func word(_ offset: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) } }
    let footer = bytes.count - Int(word(bytes.count - 24))
    let (names, nameCount, groups) = (Int(word(footer + 56)), Int(word(footer + 64)), Int(word(footer + 72)))
    let (lists, listCount, days) = (Int(word(footer + 88)), Int(word(footer + 96)), Int(word(footer + 104)))
    let name = try #require((0..<nameCount).map { names + $0 * 64 }.first { bytes[$0 + 60] > 0 })
    let expected = try EngineFixture.numbers(in: EngineFixture.open(Self.store.copy()))
    for (name, offset) in [
      ("name", name), ("mark", name + 48), ("group", groups + 48 + 8), ("list", lists + (listCount - 1) * 4),
      ("day", days), ("first of a day", days + 4),
    ] {
      let disk = Self.store.copy()
      Self.forge(disk, path, at: offset) { $0 ^= 1 }
      let findings = try Self.verify(disk).findings
      #expect(!findings.isEmpty && findings.allSatisfy { $0.kind == .index && $0.path == path }, "\(name): \(findings)")
      let report = try StorageEngine.repair(directory: "/store", fileSystem: disk, options: EngineFixture.options)
      #expect(report.wasDamaged && report.rowsLost == 0)
      #expect(try Self.verify(disk).findings.isEmpty, "\(name)")
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == expected)
    }
  }

  @Test(arguments: 1...12, [[0], [0, 1], [0, 2], [0, 3], [0, 1, 2, 3]])
  func `a log sealed during a verification is not reported as damage`(opening: Int, after: [Int]) throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for save in 0..<20 { try EngineFixture.put(save * 3..<save * 3 + 3, in: engine) }
    let intruded = IntrudedFileSystem(
      disk.anotherProcess(), beforeOpenings: Set(after.map { opening + $0 }), of: "/store/log-"
    ) {
      do {
        try engine.maintain(sealingAll: true)
        try EngineFixture.put(0..<3, in: engine)
      } catch StorageError.busy {
        // The verification holds the lock.
      } catch {
        Issue.record(error)
      }
    }
    let verification = try StorageEngine.verify(
      directory: "/store", fileSystem: intruded, options: EngineFixture.options)
    #expect(verification.findings == [])
  }

  @Test func `a verification concurrent with saves, sealing and merges finds no issue`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for save in 0..<60 {
      try EngineFixture.put(save * 3..<save * 3 + 3, in: engine)
      if save % 7 == 0 { try engine.maintain(sealingAll: true) }
      #expect(try Self.verify(disk.anotherProcess()).findings == [], "after save \(save)")
    }
  }
}
