import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("TrackLog", .timeLimit(.minutes(10)))
struct TrackLogTests {
  private let disk = SimulatedFileSystem()

  @Test func `readings are read back in order of time, rounded to the stored units`() throws {
    let log = try TrackFixture.open(disk)
    let exact = Location(
      coordinate: Coordinate(latitude: -33.123_456_78, longitude: 179.999_999_96), horizontalAccuracy: 4.567,
      timestamp: TrackFixture.moment(0.1234), altitude: -12.345, speed: 1.2345, course: 359.999)
    let told: [TrackReading] = [
      TrackFixture.fix(9), TrackFixture.motion(9), .fix(exact), TrackFixture.call(.finalize, 9),
      TrackFixture.call(.start, 9), TrackFixture.call(.cancel, 10), TrackFixture.call(.end, 9),
    ]
    let result = try log.append(told, device: "phone")
    #expect(result.added == 7 && result.known == 0 && result.invalid == 0)
    let found = try TrackFixture.readings(in: log)
    let kept = Location(
      coordinate: Coordinate(latitude: -33.123_456_8, longitude: 180), horizontalAccuracy: 4.57,
      timestamp: TrackFixture.moment(0.123), altitude: -12.35, speed: 1.23, course: 360)
    #expect(
      found == [
        .fix(kept), TrackFixture.motion(9), TrackFixture.fix(9), TrackFixture.call(.start, 9),
        TrackFixture.call(.end, 9), TrackFixture.call(.finalize, 9), TrackFixture.call(.cancel, 10),
      ])
    #expect(try TrackFixture.readings(of: "tablet", in: log).isEmpty)
    // The rounded readings are duplicates of the stored readings.
    #expect(try log.append(found, device: "phone").added == 0)
  }

  @Test func `readings with an invalid position or time are counted and skipped`() throws {
    let log = try TrackFixture.open(disk)
    func fix(_ latitude: Double, _ time: Date = TrackFixture.moment(1)) -> TrackReading {
      .fix(Location(coordinate: Coordinate(latitude: latitude, longitude: 0), horizontalAccuracy: 1, timestamp: time))
    }
    let told = [
      fix(.nan), fix(91), fix(-90), fix(0, .distantFuture + 1e12), fix(0, Date(timeIntervalSince1970: .nan)),
    ]
    let result = try log.append(told, device: "phone")
    #expect(result.added == 1 && result.invalid == 4)
    let measures = Location(
      coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: .infinity,
      timestamp: TrackFixture.moment(2), altitude: 1e300, speed: -.infinity, course: .nan)
    try _ = log.append([.fix(measures)], device: "phone")
    guard case .fix(let kept) = try TrackFixture.readings(in: log).last else {
      Issue.record("the fix is gone")
      return
    }
    #expect(kept.horizontalAccuracy == -1 && kept.altitude == nil && kept.speed == nil && kept.course == nil)
  }

  @Test(
    "any order, batch size and repetition results in the same readings",
    arguments: 1...6 as ClosedRange<UInt64>)
  func anyOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let span = [300, 2000, 100_000][Int(seed % 3)]
    let told = (0..<400).map { _ -> TrackReading in
      let second = Int.random(in: 0..<span, using: &random)
      return Int.random(in: 0..<6, using: &random) == 0 ? TrackFixture.motion(second) : TrackFixture.fix(second)
    }
    let wanted = Set(told).sorted { left, right in
      func rank(_ reading: TrackReading) -> Int { if case .motion = reading { 0 } else { 1 } }
      return (left.timestamp, rank(left)) < (right.timestamp, rank(right))
    }
    let log = try TrackFixture.open(disk)
    var added = 0
    var rest = told.shuffled(using: &random)[...]
    if seed % 4 == 0 { rest = told.sorted { $0.timestamp > $1.timestamp }[...] }
    while !rest.isEmpty {
      let batch = rest.prefix(Int.random(in: 1...(seed % 2 == 0 ? 3 : 100), using: &random))
      rest = rest.dropFirst(batch.count)
      added += try log.append(Array(batch), device: "phone").added
      if Int.random(in: 0..<40, using: &random) == 0 { try log.maintain(sealingAll: true) }
    }
    #expect(added == wanted.count)
    let held = try TrackFixture.readings(in: log)
    #expect(held == wanted)
    #expect(try log.append(told, device: "phone").added == 0)
    let again = try TrackFixture.open(disk.anotherProcess())
    #expect(try TrackFixture.readings(in: again) == wanted)
    for _ in 0..<10 {
      let from = Double(Int.random(in: -5..<span, using: &random))
      let to = from + Double(Int.random(in: 0..<span / 2, using: &random))
      let range = try TrackFixture.readings(
        in: again, after: TrackFixture.moment(from), through: TrackFixture.moment(to))
      #expect(
        range
          == wanted.filter { $0.timestamp > TrackFixture.moment(from) && $0.timestamp <= TrackFixture.moment(to) })
    }
  }

  @Test func `of two fixes with one timestamp the more accurate one is kept`() throws {
    func fix(_ accuracy: Double, speed: Double? = nil, latitude: Double = 52) -> TrackReading {
      .fix(
        Location(
          coordinate: Coordinate(latitude: latitude, longitude: 4), horizontalAccuracy: accuracy,
          timestamp: TrackFixture.moment(5), speed: speed))
    }
    let fixes = [fix(-1), fix(30), fix(8), fix(8, speed: 2), fix(8, speed: 2, latitude: 52.1)]
    for order in [fixes, fixes.reversed()] {
      let log = try TrackFixture.open(SimulatedFileSystem())
      var added = 0
      for fix in order { added += try log.append([fix], device: "phone").added }
      #expect(added == 1)
      #expect(try TrackFixture.readings(in: log) == [fix(8, speed: 2, latitude: 52.1)])
    }
  }

  @Test func `devices are separate and listed with their first and last time`() throws {
    let log = try TrackFixture.open(disk)
    for second in stride(from: 0, to: 1000, by: 10) {
      try _ = log.append([TrackFixture.fix(second)], device: second % 20 == 0 ? "phone" : "tablet")
    }
    #expect(
      try log.devices() == [
        TrackDevice(name: "phone", firstTime: TrackFixture.moment(0), lastTime: TrackFixture.moment(980)),
        TrackDevice(name: "tablet", firstTime: TrackFixture.moment(10), lastTime: TrackFixture.moment(990)),
      ])
    #expect(try TrackFixture.readings(of: "tablet", in: log).count == 50)
    #expect(throws: StorageError.invalidIdentifier("")) { try log.append([TrackFixture.fix(1)], device: "") }
  }

  @Test func `reading a time range does not touch damaged data elsewhere`() throws {
    let log = try TrackFixture.open(disk)
    try _ = log.append((0..<20_000).map { TrackFixture.fix($0) }, device: "phone")
    try log.maintain(sealingAll: true)
    let segment = try #require(disk.files.first { $0.contains("segment-") })
    var bytes = try #require(disk.contents(segment))
    bytes[40_000] ^= 1  // in the first readings
    disk.setContents(segment, bytes)
    let again = try TrackFixture.open(disk.anotherProcess())
    let late = try TrackFixture.readings(
      in: again, after: TrackFixture.moment(15_000), through: TrackFixture.moment(16_000))
    #expect(late.count == 1000)
    #expect(throws: StorageError.self) { try TrackFixture.readings(in: again) }
  }

  @Test func `appended readings are unread until marked as read, later ones remain unread`() throws {
    let log = try TrackFixture.open(disk)
    #expect(try log.unread(device: "phone") == nil)
    try _ = log.append([TrackFixture.fix(100)], device: "phone")
    try _ = log.append([TrackFixture.fix(200)], device: "phone")
    let unread = try #require(try log.unread(device: "phone"))
    #expect(unread.since == TrackFixture.moment(100) && unread.through == TrackFixture.moment(200))
    var read = TrackChanges()
    read.readThrough = unread.generation
    try _ = log.append([TrackFixture.fix(50)], device: "phone")
    try log.commit(read, device: "phone")
    #expect(try log.unread(device: "phone")?.since == TrackFixture.moment(50))
    #expect(try log.unread(device: "phone")?.through == TrackFixture.moment(200))
    read.readThrough = try log.unread(device: "phone")?.generation
    try log.commit(read, device: "phone")
    #expect(try log.unread(device: "phone") == nil)
    try _ = log.append([TrackFixture.fix(70)], device: "phone")
    let late = try #require(try log.unread(device: "phone"))
    #expect(late.since == TrackFixture.moment(70) && late.through == TrackFixture.moment(70))
    read.readThrough = late.generation
    try log.commit(read, device: "phone")
    try _ = log.append([TrackFixture.fix(50)], device: "phone")
    #expect(try log.unread(device: "phone") == nil)
    var again = TrackChanges()
    again.unreadSince = TrackFixture.moment(60)
    try log.commit(again, device: "phone")
    #expect(try log.unread(device: "phone")?.since == TrackFixture.moment(60))
    #expect(try log.unread(device: "phone")?.through == nil)
    try _ = log.append([TrackFixture.fix(300)], device: "phone")
    #expect(try log.unread(device: "phone")?.through == nil)
  }

  @Test func `only one reader at a time is allowed over all processes`() throws {
    let log = try TrackFixture.open(disk)
    let other = try TrackFixture.open(disk.anotherProcess())
    try log.withReader {
      #expect(throws: StorageError.busy(path: "/tracks/reader")) { try other.withReader {} }
      let appended = try other.append([TrackFixture.fix(1)], device: "phone")
      #expect(appended.added == 1)
    }
    try other.withReader {}
  }

  @Test func `annotations are found by device and time and by id`() throws {
    let log = try TrackFixture.open(disk)
    func note(_ kind: TrackNote.Kind, _ number: Int) -> TrackNote {
      TrackNote(
        kind: kind, id: "\(kind.rawValue) \(number)", time: TrackFixture.moment(Double(number)),
        content: Array(repeating: UInt8(number), count: number))
    }
    var changes = TrackChanges()
    changes.put = (0..<9).map { note(.checkpoint, $0) } + (0..<3).map { note(.finding, $0) }
    try log.commit(changes, device: "phone")
    var removal = TrackChanges()
    removal.removedCheckpoints = ["checkpoint 8", "nothing"]
    removal.removedFindings = ["finding 0"]
    try log.commit(removal, device: "phone")
    let again = try TrackFixture.open(disk.anotherProcess())
    #expect(
      try again.notes(.checkpoint, device: "phone", after: TrackFixture.moment(5), isDescending: true, limit: 9)
        == [7, 6].map { note(.checkpoint, $0) })
    #expect(
      try again.notes(.finding, device: "phone", after: nil, isDescending: false, limit: 1) == [note(.finding, 1)])
    #expect(try again.notes(.finding, device: "tablet", after: nil, isDescending: false, limit: 1).isEmpty)
    let found = try #require(try again.note(.finding, id: "finding 2"))
    #expect(found.device == "phone" && found.note == note(.finding, 2))
    #expect(try again.note(.finding, id: "finding 0") == nil)
  }

  @Test(
    "real fixes need about a dozen bytes each",
    arguments: [("emission-iphone-2016-02-22", 13.0), ("gotrack-00033", 12.0)])
  func compact(name: String, limit: Double) throws {
    let told = try TrackFixture.sample(name)
    let log = try TrackFixture.open(disk)
    // Repeat the day for a month. On the first day, append each fix separately.
    for reading in told { try _ = log.append([reading], device: "phone") }
    var fixes = 0
    for day in 0..<30 {
      let readings = told.map { reading -> TrackReading in
        switch reading {
        case .fix(var fix):
          fixes += 1
          fix.timestamp += Double(day) * 86_400
          return .fix(fix)
        case .motion(var motion):
          motion.timestamp += Double(day) * 86_400
          return .motion(motion)
        case .call: return reading
        }
      }
      try _ = log.append(readings, device: "phone")
    }
    try log.maintain(sealingAll: true)
    let stored = disk.files.filter { $0.contains("segment-") }.compactMap { disk.contents($0)?.count }.reduce(0, +)
    let each = Double(stored) / Double(fixes)
    #expect(each < limit, "\(each) bytes a fix")
  }

  @Test func `appending single fixes does not rewrite a whole block each time`() throws {
    let log = try TrackFixture.open(disk)
    for second in 0..<1024 { try _ = log.append([TrackFixture.fix(second)], device: "phone") }
    let used = disk.files.filter { $0.contains("log-") }.compactMap { disk.contents($0)?.count }.reduce(0, +)
    // A block of 256 fixes has about 3 kB. Rewriting the block for each fix would take 1.5 MB.
    #expect(used < 500_000, "\(used) bytes of log")
  }
}
