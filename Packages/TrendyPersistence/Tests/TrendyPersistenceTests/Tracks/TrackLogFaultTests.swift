import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("TrackLog on a failing disk", .timeLimit(.minutes(10)))
struct TrackLogFaultTests {
  /// Batches at the end, in gaps and with duplicates, so that blocks are joined, split and replaced.
  private static let batches: [[TrackReading]] = (0..<12).map { batch in
    let seconds =
      switch batch % 4 {
      case 0: Array(batch * 100..<batch * 100 + 1)
      case 1: Array(batch * 100..<batch * 100 + 40)
      case 2: stride(from: 5, to: batch * 100, by: 97).map { $0 + batch }
      default: Array((batch - 2) * 100 + 10..<(batch - 2) * 100 + 60)
      }
    return seconds.map { TrackFixture.fix($0) }
  }

  private static func readings(after count: Int) -> [TrackReading] {
    Set(batches[..<count].joined()).sorted { $0.timestamp < $1.timestamp }
  }

  private static func note(_ batch: Int) -> TrackNote {
    TrackNote(
      kind: .checkpoint, id: "last", time: TrackFixture.moment(Double(batch)),
      content: [UInt8](repeating: 7, count: batch))
  }

  /// Appends each batch and marks it as read. Returns the number of completed calls.
  private static func run(on disk: SimulatedFileSystem) -> Int {
    var done = 0
    do {
      let log = try TrackFixture.open(disk)
      for (number, batch) in batches.enumerated() {
        try _ = log.append(batch, device: "phone")
        done += 1
        var changes = TrackChanges()
        changes.put = [note(number + 1)]
        changes.readThrough = try log.unread(device: "phone")?.generation
        try log.commit(changes, device: "phone")
        done += 1
        if number % 6 == 5 { try log.maintain(sealingAll: true) }
      }
    } catch {
      #expect(error is StorageError)
    }
    return done
  }

  /// Checks that the log contains whole batches, the annotation for the last batch read, and a matching read position.
  private static func check(_ disk: SimulatedFileSystem, done: Int, _ what: String) throws {
    let log = try TrackFixture.open(disk)
    let found = try TrackFixture.readings(in: log)
    let batchesDone = (done + 1) / 2
    let held = (batchesDone...min(batchesDone + 1, batches.count)).first { readings(after: $0) == found }
    let count = try #require(held, "\(what): \(found.count) readings are no whole number of batches")
    let note = try log.notes(.checkpoint, device: "phone", after: nil, isDescending: true, limit: 9)
    let noted = note.first?.content.count ?? 0
    #expect(note.count <= 1 && noted >= done / 2 && noted <= count, "\(what)")
    #expect((try log.unread(device: "phone") == nil) == (noted == count), "\(what)")
    #expect(try log.append([TrackFixture.fix(99_999)], device: "phone").added == 1, "\(what)")
  }

  private static let changes: Int = {
    let disk = SimulatedFileSystem()
    _ = run(on: disk)
    return disk.changes
  }()

  @Test(
    "a crash preserves every completed call, and any other is all or nothing",
    arguments: [SimulatedFileSystem.Loss.unsynced, .random(seed: 1)])
  func crash(loss: SimulatedFileSystem.Loss) throws {
    #expect(Self.changes > 100)
    for change in 1...Self.changes {
      let disk = SimulatedFileSystem()
      disk.powerOff(beforeChange: change)
      let done = Self.run(on: disk)
      disk.restart(losing: loss)
      try Self.check(disk, done: done, "crash before change \(change)")
    }
  }

  @Test func `a failed call loses no acknowledged data`() throws {
    var call = 1
    while true {
      let disk = SimulatedFileSystem()
      disk.fail(.init(call: call, code: 28, isForever: call % 2 == 0))
      let done = Self.run(on: disk)
      if !disk.metFault { break }
      disk.fail(nil)
      try Self.check(disk.anotherProcess(), done: done, "call \(call) failed")
      call += 1
    }
    #expect(call > 100)
  }

  @Test func `a log can be written after a failed sync with the same handle`() throws {
    let disk = SimulatedFileSystem()
    let log = try TrackFixture.open(disk)
    try _ = log.append([TrackFixture.fix(1)], device: "phone")
    disk.fail(.init(operation: .synchronize, call: 1, code: 5))
    #expect(throws: StorageError.self) { try log.append([TrackFixture.fix(2)], device: "phone") }
    try _ = log.append([TrackFixture.fix(3)], device: "phone")
    let found = try TrackFixture.readings(in: log)
    #expect(found.contains(TrackFixture.fix(1)) && found.contains(TrackFixture.fix(3)))
  }

  @Test func `a flipped bit results in the right readings, a reported loss of the last save, or an error`() throws {
    let disk = SimulatedFileSystem()
    let log = try TrackFixture.open(disk)
    var states: [[TrackReading]] = [[]]
    for batch in Self.batches[..<4] {
      try _ = log.append(batch, device: "phone")
      states.append(try TrackFixture.readings(in: log))
    }
    try log.maintain(sealingAll: true)
    for second in [5000, 6000] {
      try _ = log.append([TrackFixture.fix(second)], device: "phone")
      states.append(try TrackFixture.readings(in: log))
    }
    let all = try #require(states.last)
    var refused = 0
    for path in disk.files where path.contains("segment-") || path.contains("log-") || path.contains("manifest") {
      let whole = try #require(disk.contents(path))
      let used = (whole.lastIndex { $0 != 0 } ?? 0) + 1
      for byte in stride(from: 0, to: used, by: 7) {
        let copy = disk.copy()
        var bytes = whole
        bytes[byte] ^= 1 << (byte % 8)
        copy.setContents(path, bytes)
        do {
          let found = try TrackFixture.readings(in: TrackFixture.open(copy))
          #expect(found == all || states.dropFirst(4).contains(found), "byte \(byte) of \(path)")
        } catch {
          #expect(error is StorageError, "byte \(byte) of \(path): \(error)")
          refused += 1
        }
      }
    }
    #expect(refused > 60)
  }

  @Test(arguments: 1...80 as ClosedRange<UInt64>)
  func `a row of readings with a valid checksum and invalid content is rejected without a crash`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let disk = SimulatedFileSystem()
    try _ = TrackFixture.open(disk).append((0..<60).map { TrackFixture.fix($0 * 7) }, device: "phone")
    // Write the row directly to the engine with valid checksums, as a faulty program would.
    let engine = try StorageEngine.open(
      directory: TrackFixture.directory, fileSystem: disk, options: TrackFixture.options)
    let record = try #require(try engine.scan(kind: 2).first)
    var payload = record.payload
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      payload[Int.random(in: 0..<payload.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    if seed % 5 == 0 { payload.removeLast(Int.random(in: 1..<payload.count, using: &random)) }
    try engine.write { transaction throws(StorageError) in
      try transaction.put(
        kind: 2, key: record.key, sort: record.sort, group: record.group, payload: payload)
    }
    let log = try TrackFixture.open(disk.anotherProcess())
    do {
      let found = try TrackFixture.readings(in: log)
      #expect(found.allSatisfy { if case .fix(let fix) = $0 { fix.coordinate.isValid } else { true } })
      // Valid readings can be rewritten together with a new reading.
      try _ = log.append([TrackFixture.fix(3)], device: "phone")
    } catch {
      #expect(error as? StorageError == .unreadableRow(kind: 2, key: record.key))
    }
  }
}
