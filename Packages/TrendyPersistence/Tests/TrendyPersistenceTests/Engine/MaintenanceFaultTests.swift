import StorageTesting
import Testing
import TrendyPersistence

@Suite("Maintenance on a failing disk", .timeLimit(.minutes(10)))
struct MaintenanceFaultTests {
  private struct Step {
    var put: [Int]
    var deleted: [Int]
  }

  /// Each step puts some rows and deletes some rows from earlier steps.
  private static let steps: [Step] = (0..<10).map { step in
    Step(
      put: Array(step * 20..<step * 20 + [1, 12, 19][step % 3]),
      deleted: step == 0 ? [] : [(step - 1) * 20, (step / 2) * 20 + 1])
  }

  private static func numbers(after count: Int) -> [Int] {
    var numbers: Set<Int> = []
    for step in steps[..<count] {
      numbers.formUnion(step.put)
      numbers.subtract(step.deleted)
    }
    return numbers.sorted()
  }

  private static func save(_ step: Step, in engine: StorageEngine) throws(StorageError) {
    try engine.write { transaction throws(StorageError) in
      for number in step.put {
        try transaction.put(
          kind: 1, key: EngineFixture.key(number), sort: Int64(number), group: UInt64(number % 3),
          payload: EngineFixture.payload(number))
      }
      for number in step.deleted { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
    }
  }

  private static func run(on disk: SimulatedFileSystem) -> Int {
    EngineFixture.saves(on: disk) { engine, done in
      for step in steps {
        try save(step, in: engine)
        done += 1
        if done % 2 == 0 { while try engine.maintain(sealingAll: done % 4 == 0) {} }
        if done % 4 == 0 { try engine.maintain(sealingAll: true) }
      }
    }
  }

  private static let changes: Int = {
    let disk = SimulatedFileSystem()
    _ = run(on: disk)
    #expect(disk.files.contains { $0.hasPrefix("/store/segment-") })
    return disk.changes
  }()

  @Test(
    "a crash before any change preserves every completed save, and any other is all or nothing",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing] + (1...2).map { .random(seed: $0) })
  func crash(loss: SimulatedFileSystem.Loss) throws {
    #expect(Self.changes > 100)
    for change in 1...Self.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: loss)
      let engine = try EngineFixture.open(disk)
      let numbers = try EngineFixture.numbers(in: engine)
      let fitting = (done...min(done + 1, Self.steps.count)).filter { Self.numbers(after: $0) == numbers }
      #expect(fitting.count == 1, "crash before change \(change): \(done) saves returned, found \(numbers)")
      try EngineFixture.put([9999], in: engine)
      while try engine.maintain(sealingAll: true) {}
      disk.restart(losing: .unsynced)
      let again = try EngineFixture.open(disk)
      #expect(try EngineFixture.numbers(in: again) == numbers + [9999], "crash before change \(change)")
      #expect(try again.count(kind: 1) == numbers.count + 1)
    }
  }

  @Test(
    "a failed call leaves the store intact, and the maintenance is done later", arguments: [28, 5] as [Int32],
    [false, true])
  func failEachCall(code: Int32, isForever: Bool) throws {
    var call = 1
    while true {
      let disk = SimulatedFileSystem()
      let engine = try EngineFixture.open(disk)
      for step in Self.steps[..<4] { try Self.save(step, in: engine) }
      try engine.maintain(sealingAll: true)
      for step in Self.steps[4..<8] { try Self.save(step, in: engine) }
      disk.fail(.init(call: call, code: code, isForever: isForever))
      var failed = false
      do throws(StorageError) {
        var seals = true
        while try engine.maintain(sealingAll: seals) { seals = false }
      } catch {
        failed = true
      }
      let isMet = disk.metFault
      disk.fail(nil)
      let expected = Self.numbers(after: 8)
      // Check this handle unless a sync failed, a second handle, and a handle opened after a power cut.
      if engine.isUsable { #expect(try EngineFixture.numbers(in: engine) == expected, "call \(call)") }
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == expected, "call \(call)")
      if engine.isUsable {
        try EngineFixture.put([9999], in: engine)
        while try engine.maintain(sealingAll: true) {}
        #expect(try EngineFixture.numbers(in: engine) == expected + [9999])
      } else {
        try EngineFixture.put([9999], in: EngineFixture.open(disk.anotherProcess()))
      }
      disk.restart(losing: .unsynced)
      let after = try EngineFixture.open(disk)
      #expect(try EngineFixture.numbers(in: after) == expected + [9999], "call \(call), then the power")
      while try after.maintain(sealingAll: true) {}
      #expect(disk.files.filter { $0.hasPrefix("/store/log-") }.count == 1)
      if !isMet {
        #expect(!failed)
        break
      }
      call += 1
    }
    #expect(call > 30)
  }

  @Test func `a disk that fills up keeps the old generation, and saves succeed when there is space`() throws {
    var room = 0
    var refused = 0
    while true {
      let disk = SimulatedFileSystem()
      let engine = try EngineFixture.open(disk)
      for step in Self.steps[..<4] { try Self.save(step, in: engine) }
      try engine.maintain(sealingAll: true)
      for step in Self.steps[4..<8] { try Self.save(step, in: engine) }
      disk.setCapacity(disk.usedBytes + room)
      do throws(StorageError) {
        var seals = true
        while try engine.maintain(sealingAll: seals) { seals = false }
      } catch {
        guard case .diskFull = error else {
          Issue.record("\(error)")
          return
        }
        refused += 1
        #expect(try EngineFixture.numbers(in: engine) == Self.numbers(after: 8))
        #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == Self.numbers(after: 8))
        disk.setCapacity(nil)
        try EngineFixture.put([9999], in: engine)
        while try engine.maintain(sealingAll: true) {}
        #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.numbers(after: 8) + [9999])
        room += 512
        continue
      }
      break
    }
    #expect(refused > 10)
  }
}
