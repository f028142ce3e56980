import Foundation
import Testing
import TrendyPersistence
import TrendyProtocols

/// Tests with real files and processes. Two processes write to one store and are killed at arbitrary times. The store
/// must contain every save recorded in the processes' ledgers.
@Suite("Processes", .timeLimit(.minutes(10)))
struct ProcessTests {
  /// Saves groups of three rows until killed, and records each completed save.
  static func saveUntilKilled(_ directory: String, writer: Int, round: Int, microseconds: UInt32) throws {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    let engine = try StorageEngine.open(
      directory: directory, options: .init(firstChunkBytes: 16 << 10, largestChunkBytes: 32 << 10))
    let ledger = open("\(directory)/../ledger-\(writer)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    precondition(ledger >= 0)
    var number = (writer * 100 + round) * 100_000
    while true {
      try EngineFixture.put(number..<number + 3, in: engine)
      var line = Int64(number)
      precondition(Foundation.write(ledger, &line, 8) == 8)
      number += 3
    }
  }

  static func ledger(_ path: String) -> [Int] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map { Int(bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
    }
  }

  @Test func `two writers that are killed repeatedly lose no confirmed save`() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    var noted = 0
    // Run enough rounds to collect many saves. On a busy machine a child may be killed before its first save.
    for round in 0..<60 where round < 6 || noted <= 100 {
      let first = UInt32(5_000 + round % 6 * 7_300)
      async let one = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int, first = first as UInt32] in
        try ProcessTests.saveUntilKilled(directory, writer: 1, round: round, microseconds: first)
      }
      async let two = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int, first = first as UInt32] in
        try ProcessTests.saveUntilKilled(directory, writer: 2, round: round, microseconds: 47_000 - first)
      }
      _ = await (one, two)
      let engine = try StorageEngine.open(directory: directory)
      let found = Set(try EngineFixture.numbers(in: engine))
      for writer in 1...2 {
        let ledger = Self.ledger("\(folder.path)/ledger-\(writer)")
        for number in ledger {
          for each in number..<number + 3 { #expect(found.contains(each), "\(each) was saved, and is gone") }
        }
        // At most one unrecorded save per round: the one in progress when the process was killed.
        let all = found.filter { $0 / 10_000_000 == writer }
        #expect(all.count.isMultiple(of: 3))
        #expect(all.count / 3 - ledger.count <= round + 1)
      }
      noted = found.count
    }
    #expect(noted > 100)
  }

  static func maintainUntilKilled(_ directory: String, microseconds: UInt32) throws {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    let options = StorageEngine.Options(firstChunkBytes: 16 << 10, largestChunkBytes: 32 << 10, sealBytes: 8 << 10)
    let engine = try StorageEngine.open(directory: directory, options: options)
    while true {
      try engine.refresh()
      try engine.maintain(sealingAll: try engine.count(kind: 1).isMultiple(of: 2))
    }
  }

  @Test func `writers and maintenance that are killed repeatedly lose nothing, and a reader continues`() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    let reader = try StorageEngine.open(directory: directory)
    var seen = 0
    func hasSealed() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: directory).contains { $0.hasPrefix("segment-") }
    }
    for round in 0..<60 where try round < 6 || seen <= 60 || !hasSealed() {
      let first = UInt32(20_000 + round % 6 * 5_300)
      async let one = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int, first = first as UInt32] in
        try ProcessTests.saveUntilKilled(directory, writer: 1, round: round, microseconds: first)
      }
      async let two = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int] in
        try ProcessTests.saveUntilKilled(directory, writer: 2, round: round, microseconds: 55_000)
      }
      async let merger = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, first = first as UInt32] in
        try ProcessTests.maintainUntilKilled(directory, microseconds: 65_000 - first)
      }
      _ = await (one, two, merger)
      try reader.refresh()
      let engine = try StorageEngine.open(directory: directory)
      for engine in [reader, engine] {
        let found = Set(try EngineFixture.numbers(in: engine))
        #expect(found.count >= seen && found.count.isMultiple(of: 3))
        for writer in 1...2 {
          for number in Self.ledger("\(folder.path)/ledger-\(writer)") {
            for each in number..<number + 3 { #expect(found.contains(each), "\(each) was saved, and is gone") }
          }
        }
        seen = found.count
      }
    }
    #expect(try seen > 60 && hasSealed())
  }

  @Test func `a reader sees each save of another process completely and in order`() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    let engine = try StorageEngine.open(directory: directory)
    async let writer = #expect(processExitsWith: .success) { [directory = directory as String] in
      let options = StorageEngine.Options(firstChunkBytes: 8 << 10, largestChunkBytes: 16 << 10)
      let engine = try StorageEngine.open(directory: directory, options: options)
      for save in 0..<300 { try EngineFixture.put(save * 5..<save * 5 + 5, in: engine) }
    }
    var seen = 0
    while seen < 1500 {
      try engine.refresh()
      let count = try engine.count(kind: 1)
      #expect(count >= seen && count.isMultiple(of: 5))
      seen = count
      await Task.yield()
    }
    #expect(try EngineFixture.numbers(in: engine) == Array(0..<1500))
    _ = await writer
  }

  @Test func `threads of one process share syncs and lose nothing`() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    let engine = try StorageEngine.open(directory: directory)
    let other = try StorageEngine.open(directory: directory)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for number in 0..<60 {
            try EngineFixture.put([writer * 1000 + number], in: writer.isMultiple(of: 4) ? other : engine)
          }
        }
      }
      try await group.waitForAll()
    }
    try engine.refresh()
    try other.refresh()
    let expected = (0..<8).flatMap { writer in (0..<60).map { writer * 1000 + $0 } }
    #expect(try EngineFixture.numbers(in: engine) == expected)
    #expect(try EngineFixture.numbers(in: other) == expected)
    #expect(try EngineFixture.numbers(in: StorageEngine.open(directory: directory)) == expected)
  }

  @Test func `moving an open store is detected`() throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    let engine = try StorageEngine.open(directory: directory)
    try EngineFixture.put([1], in: engine)
    try FileManager.default.moveItem(atPath: directory, toPath: folder.path + "/elsewhere")
    #expect(throws: StorageError.missing(path: directory + "/log-1")) { try EngineFixture.put([2], in: engine) }
    #expect(try EngineFixture.numbers(in: StorageEngine.open(directory: folder.path + "/elsewhere")) == [1])
  }

  @Test func `a path that cannot contain a store is rejected with a clear error`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/file"
    try Data([1]).write(to: URL(filePath: file))
    for path in [file, file + "/store"] {
      let error = try #require(throws: StorageError.self) { _ = try StorageEngine.open(directory: path) }
      #expect(error == .notAFolder(path: path))
    }
    let factory = try DefaultDataStoreFactory(
      directory: URL(filePath: folder.path + "/new/", directoryHint: .isDirectory))
    #expect(factory.directory == folder.path + "/new")
    #expect(!factory.recovery.wasCut)
    let store = factory.makeDataStore()
    try store.upsertEvent(id: "a") { _ in }
    try store.save()
    let second = try DefaultDataStoreFactory(directory: URL(filePath: folder.path + "/new"))
    #expect(try second.makeDataStore().findEvent(id: "a") != nil)
  }

  @Test func `output to closed standard streams is never written to a store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    await #expect(processExitsWith: .success) { [directory = directory as String] in
      for stream: Int32 in 0...2 { close(stream) }
      let engine = try StorageEngine.open(directory: directory)
      try EngineFixture.put(0..<3, in: engine)
      for stream: Int32 in 0...2 { _ = Foundation.write(stream, "words for a person", 18) }
      try EngineFixture.put(3..<6, in: engine)
    }
    #expect(try EngineFixture.numbers(in: StorageEngine.open(directory: directory)) == Array(0..<6))
  }
}
