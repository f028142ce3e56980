import StorageTesting
import Synchronization
import Testing
import TrendyPersistence

@Suite("Saves that are visible once durable", .timeLimit(.minutes(10)))
struct PublishedSaveTests {
  private func put(_ numbers: some Sequence<Int>, in transaction: WriteTransaction) throws(StorageError) {
    for number in numbers {
      try transaction.put(
        kind: 1, key: EngineFixture.key(number), sort: Int64(number), group: UInt64(number % 3),
        payload: EngineFixture.payload(number))
    }
  }

  @Test func `a save is not visible on its handle until it is synced and published`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let transaction = try engine.beginWrite()
    try put([2, 3], in: transaction)
    var seen: [[Int]] = []
    try transaction.commit { show throws(StorageError) in
      try engine.refresh()
      seen.append(try EngineFixture.numbers(in: engine))
      seen.append(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())))
      try show()
      seen.append(try EngineFixture.numbers(in: engine))
    }
    #expect(seen == [[1], [1, 2, 3], [1, 2, 3]])
  }

  @Test func `a published save survives any loss`() throws {
    // Spread the saves over several chunks, with ordinary saves in between.
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    for number in 1...120 {
      if number % 3 == 0 {
        try EngineFixture.put([number], in: engine)
        continue
      }
      let transaction = try engine.beginWrite()
      try put([number], in: transaction)
      try transaction.commit { show throws(StorageError) in try show() }
      #expect(try EngineFixture.numbers(in: engine) == Array(1...number))
    }
    disk.restart(losing: .unsynced)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(1...120))
  }

  @Test("a save is all or nothing after a power cut at any change", arguments: 1...40)
  func powerLoss(change: Int) throws {
    let disk = SimulatedFileSystem()
    disk.powerOff(beforeChange: change)
    let saved = EngineFixture.saves(on: disk) { engine, done in
      for number in 1...12 {
        let transaction = try engine.beginWrite()
        try put([2 * number - 1, 2 * number], in: transaction)
        try transaction.commit { show throws(StorageError) in try show() }
        done += 1
      }
    }
    disk.restart(losing: .random(seed: UInt64(change)))
    let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
    #expect(numbers.count % 2 == 0)
    #expect(numbers.count >= saved * 2)
    #expect(numbers == Array(1..<(numbers.count + 1)))
  }

  @Test func `a failed write leaves the store unchanged, and a failed sync makes the handle unusable`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1], in: engine)
    let full = try engine.beginWrite()
    try put([2], in: full)
    disk.fail(.init(operation: .write, call: 1, code: 28))
    #expect(throws: StorageError.self) { try full.commit { show throws(StorageError) in try show() } }
    full.rollback()
    disk.fail(nil)
    #expect(try EngineFixture.numbers(in: engine) == [1])
    try EngineFixture.put([3], in: engine)

    let lost = try engine.beginWrite()
    try put([4], in: lost)
    disk.fail(.init(operation: .synchronize, call: 1, code: 5))
    #expect(throws: StorageError.self) { try lost.commit { show throws(StorageError) in try show() } }
    disk.fail(nil)
    #expect(!engine.isUsable)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())).starts(with: [1, 3]))
  }

  @Test func `a save that becomes a segment is visible when published`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(
      disk,
      options: .init(lockTimeout: .milliseconds(50), firstChunkBytes: 4096, largestChunkBytes: 8192, sealBytes: 4096))
    try EngineFixture.put([1], in: engine)
    let transaction = try engine.beginWrite()
    try put(2...2000, in: transaction)
    var before: [Int] = []
    try transaction.commit { show throws(StorageError) in
      before = try EngineFixture.numbers(in: engine)
      try show()
    }
    #expect(before == [1])
    #expect(try EngineFixture.numbers(in: engine) == Array(1...2000))
  }

  @Test func `rolling back to a savepoint undoes only later changes`() throws {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put([1, 2], in: engine)
    let transaction = try engine.beginWrite()
    let empty = transaction.savepoint()
    try put([3], in: transaction)
    transaction.rollback(to: empty)
    #expect(transaction.isEmpty)
    try put([4], in: transaction)
    transaction.delete(kind: 1, key: EngineFixture.key(1))
    let middle = transaction.savepoint()
    transaction.delete(kind: 1, key: EngineFixture.key(4))
    transaction.delete(kind: 1, key: EngineFixture.key(77))
    try put([1, 5], in: transaction)
    transaction.rollback(to: middle)
    try put([6], in: transaction)
    #expect(try transaction.scan(kind: 1).map(\.sort) == [2, 4, 6])
    #expect(try transaction.count(kind: 1) == 3)
    try transaction.commit()
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == [2, 4, 6])
  }
}
