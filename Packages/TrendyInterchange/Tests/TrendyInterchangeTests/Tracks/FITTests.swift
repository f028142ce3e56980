import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Builds FIT files message by message, according to the published protocol.
struct FITFixture {
  typealias Field = (number: UInt8, size: Int, type: UInt8)

  var data: [UInt8] = []
  var isBigEndian = false

  func bytes(_ value: UInt64, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    return isBigEndian ? little.reversed() : little
  }

  mutating func define(_ local: UInt8, _ number: UInt64, _ fields: [Field], developer: [[UInt8]] = []) {
    data += [0x40 | local | (developer.isEmpty ? 0 : 0x20), 0, isBigEndian ? 1 : 0]
    data += bytes(number, 2) + [UInt8(fields.count)]
    for field in fields { data += [field.number, UInt8(field.size), field.type] }
    if !developer.isEmpty { data += [UInt8(developer.count)] + developer.flatMap(\.self) }
  }

  mutating func add(_ local: UInt8, _ values: [(UInt64, Int)], tail: [UInt8] = []) {
    data += [local]
    for (value, size) in values { data += bytes(value, size) }
    data += tail
  }

  /// Returns the file with its header and checksum.
  func file(headerSize: Int = 14, hasChecksum: Bool = true, size: Int? = nil) -> [UInt8] {
    let count = UInt32(size ?? data.count)
    var file: [UInt8] = [UInt8(headerSize), 0x20, 0x5C, 0x08]
    file += (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    file += Array(".FIT".utf8) + (headerSize == 14 ? [0, 0] : []) + data
    return hasChecksum ? file + Self.checksum(file) : file
  }

  /// Returns the checksum, computed by nibbles as in Garmin's documentation.
  static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let table: [UInt16] = [
      0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01,
      0x8801, 0x4400,
    ]
    var crc: UInt16 = 0
    for byte in bytes {
      for half in [byte & 0xF, byte >> 4] { crc = (crc >> 4) & 0x0FFF ^ table[Int(crc & 0xF)] ^ table[Int(half)] }
    }
    return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
  }

  static let start: UInt64 = 1_141_000_000
  static let record: [Field] = [
    (253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (78, 4, 0x86), (73, 4, 0x86), (5, 4, 0x86),
  ]
  static let session: [Field] = [
    (253, 4, 0x86), (2, 4, 0x86), (5, 1, 0x00), (7, 4, 0x86), (8, 4, 0x86), (9, 4, 0x86), (11, 2, 0x84),
  ]

  static func semicircles(_ degrees: Double) -> UInt64 {
    UInt64(truncatingIfNeeded: Int64((degrees / 180 * 2_147_483_648).rounded()))
  }

  mutating func addFile(kind: UInt64 = 4, serial: UInt64 = 99) {
    define(0, 0, [(0, 1, 0x00), (1, 2, 0x84), (3, 4, 0x8C), (4, 4, 0x86)])
    add(0, [(kind, 1), (1, 2), (serial, 4), (Self.start, 4)])
  }

  mutating func addRecord(_ second: UInt64, latitude: Double?, local: UInt8 = 1, tail: [UInt8] = []) {
    add(
      local,
      [
        (Self.start + second, 4), (latitude.map(Self.semicircles) ?? 0x7FFF_FFFF, 4), (Self.semicircles(-5.1), 4),
        ((3 + 500) * 5, 4), (2500, 4), (second * 250, 4),
      ], tail: tail)
  }

  /// Adds a session: half an hour of running, 25 minutes of it in motion.
  mutating func addSession(sport: UInt64 = 1, at second: UInt64 = 0) {
    define(2, 18, Self.session)
    add(
      2,
      [
        (Self.start + second + 1800, 4), (Self.start + second, 4), (sport, 1), (1_800_000, 4), (1_500_000, 4),
        (521_234, 4), (333, 2),
      ])
  }

  static func run(isBigEndian: Bool = false) -> FITFixture {
    var fixture = FITFixture(isBigEndian: isBigEndian)
    fixture.addFile()
    fixture.define(1, 20, record)
    for second in 0..<4 { fixture.addRecord(UInt64(second) * 600, latitude: 52.1 + Double(second) / 100) }
    fixture.addSession()
    return fixture
  }
}

@Suite("FIT", .timeLimit(.minutes(10)))
struct FITTests {
  static func read(_ bytes: [UInt8]) throws -> [InterchangeRecord] {
    let format = try #require(try InterchangeFormat.detect(ByteInput(bytes)))
    #expect(format.word == "fit")
    return try FormatTableTests.records(bytes, as: format)
  }

  static func start(_ seconds: Double = 0) -> Date {
    Date(timeIntervalSince1970: Double(FITFixture.start) + 631_065_600 + seconds)
  }

  @Test("an activity is a workout with its track in either byte order", arguments: [false, true])
  func activity(isBigEndian: Bool) throws {
    let records = try Self.read(FITFixture.run(isBigEndian: isBigEndian).file())
    let event = try #require(GoogleTests.events(records).first)
    #expect(records.count == 1)
    #expect(event.typeName == "Workout" && event.timestamp == Self.start() && event.endDate == Self.start(1800))
    #expect(event.properties["activity"]?.stringValue == "Running")
    #expect(event.properties["duration"]?.doubleValue == 1500)
    #expect(event.properties["distance"]?.doubleValue == 5212.3)
    #expect(event.properties["energy"]?.doubleValue == 333)
    #expect(event.track.map(\.timestamp) == [0, 600, 1200, 1800].map { Self.start($0) })
    #expect(zip(event.track, [52.1, 52.11, 52.12, 52.13]).allSatisfy { abs($0.coordinate.latitude - $1) < 1e-6 })
    #expect(abs((event.coordinate?.longitude ?? 0) + 5.1) < 1e-6)
    #expect(event.track.map(\.altitude) == [3, 3, 3, 3] && event.track.map(\.speed) == [2.5, 2.5, 2.5, 2.5])
  }

  @Test func `compressed timestamps continue from the last full one and across their overflow`() throws {
    var fixture = FITFixture()
    fixture.addFile()
    fixture.define(1, 20, FITFixture.record)
    fixture.addRecord(0, latitude: 52)
    fixture.define(3, 20, [(0, 4, 0x85), (1, 4, 0x85)])
    var expected = [0.0]
    for step in [3, 30, 31, 1] as [UInt64] {
      expected.append(expected[expected.count - 1] + Double(step))
      let low = UInt8((FITFixture.start + UInt64(expected[expected.count - 1])) & 0x1F)
      fixture.add(0x80 | 3 << 5 | low, [(FITFixture.semicircles(52), 4), (FITFixture.semicircles(5), 4)])
    }
    let event = try #require(GoogleTests.events(try Self.read(fixture.file())).first)
    #expect(event.track.map(\.timestamp) == expected.map { Self.start($0) })
  }

  @Test func `developer fields, arrays and invalid values are skipped`() throws {
    var fixture = FITFixture()
    fixture.addFile()
    fixture.define(1, 20, FITFixture.record, developer: [[0, 3, 0], [1, 2, 0]])
    fixture.addRecord(0, latitude: 52, tail: [1, 2, 3, 4, 5])
    fixture.addRecord(10, latitude: nil, tail: [1, 2, 3, 4, 5])
    fixture.define(4, 20, [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (6, 6, 0x84), (2, 1, 0x84), (200, 3, 0x07)])
    fixture.add(
      4,
      [
        (FITFixture.start + 20, 4), (FITFixture.semicircles(53), 4), (FITFixture.semicircles(5), 4), (1500, 2),
        (0xFFFF, 2), (0xFFFF, 2), (9, 1), (0x4141, 3),
      ])
    let event = try #require(GoogleTests.events(try Self.read(fixture.file())).first)
    #expect(event.track.map(\.timestamp) == [Self.start(), Self.start(20)])
    #expect(event.track.map(\.speed) == [2.5, 1.5] && event.track.map(\.altitude) == [3, nil])
  }

  @Test func `consecutive files and sports are separate workouts with separate tracks`() throws {
    var both = FITFixture()
    both.addFile()
    both.define(1, 20, FITFixture.record)
    for second in [0, 100, 2000, 2100] as [UInt64] { both.addRecord(second, latitude: 52) }
    both.addSession(sport: 5)
    both.addSession(sport: 3, at: 1850)
    both.addSession(sport: 2, at: 2000)
    var later = FITFixture()
    later.addFile(serial: 7)
    later.addSession(sport: 11)
    let records = try Self.read(both.file() + later.file(headerSize: 12))
    let events = GoogleTests.events(records)
    #expect(events.map { $0.properties["activity"]?.stringValue } == ["Swimming", "Cycling", "Walking"])
    #expect(events.map(\.track.count) == [2, 2, 0])
    #expect(Set(events.map(\.key)).count == 3)
    #expect(GoogleTests.skipped(records) == ["transition between sports": 1])
  }

  @Test func `an unfinished recording gives its complete records and their times`() throws {
    var fixture = FITFixture()
    fixture.addFile()
    fixture.define(1, 20, FITFixture.record)
    for second in 0..<4 { fixture.addRecord(UInt64(second) * 600, latitude: 52) }
    // Until the device closes the file, the size in the header is 0.
    let records = try Self.read(fixture.file(hasChecksum: false, size: 0).dropLast(3))
    let event = try #require(GoogleTests.events(records).first)
    #expect(event.track.count == 3 && event.endDate == Self.start(1200))
    #expect(event.properties["distance"]?.doubleValue == 3000 * 0.1 * 10)
    #expect(GoogleTests.bad(records).count == 1 && GoogleTests.bad(records)[0].hasPrefix("byte "))
  }

  @Test func `a wrong checksum is reported and a missing one is accepted`() throws {
    var bytes = FITFixture.run().file()
    bytes[bytes.count - 1] ^= 1
    let records = try Self.read(bytes)
    #expect(GoogleTests.events(records).count == 1)
    #expect(GoogleTests.bad(records).contains { $0.contains("checksum") })
    let without = try Self.read(FITFixture.run().file(hasChecksum: false))
    #expect(GoogleTests.bad(without).isEmpty && GoogleTests.events(without).count == 1)
  }

  @Test func `the device clock determines the time zone`() throws {
    var fixture = FITFixture.run()
    fixture.define(5, 34, [(253, 4, 0x86), (5, 4, 0x86)])
    fixture.add(5, [(FITFixture.start + 1800, 4), (FITFixture.start + 1803 - 5 * 3600, 4)])
    #expect(GoogleTests.events(try Self.read(fixture.file())).first?.timeZone == "Etc/GMT+5")
  }

  @Test(
    "a file that is not an activity is reported by kind",
    arguments: [(2, "settings"), (6, "a planned course"), (32, "monitoring")])
  func others(kind: UInt64, name: String) throws {
    var fixture = FITFixture()
    fixture.addFile(kind: kind)
    #expect(GoogleTests.skipped(try Self.read(fixture.file())) == ["FIT file of \(name)": 1])
  }

  @Test func `an empty file and a message without a definition are errors with their position`() throws {
    #expect(throws: InterchangeError.self) { try Self.read(Array([UInt8](FITFixture().file(size: 0)).prefix(14))) }
    var fixture = FITFixture()
    fixture.add(7, [(0, 4)])
    let error = #expect(throws: InterchangeError.self) { try Self.read(fixture.file()) }
    #expect("\(try #require(error))".hasPrefix("byte 14:"), "\(String(describing: error))")
  }

  @Test func `a damaged file is an error or gives fewer records`() throws {
    var fixture = FITFixture.run()
    fixture.define(1, 20, FITFixture.record, developer: [[0, 3, 0]])
    fixture.addRecord(4000, latitude: 52, tail: [1, 2, 3])
    let bytes = fixture.file()
    let format = try #require(InterchangeFormat.named("fit"))
    func read(_ bytes: [UInt8]) {
      _ = try? InterchangeFormat.detect(ByteInput(bytes))
      // A damaged file may be rejected with an error.
      guard let records = try? FormatTableTests.records(bytes, as: format) else { return }
      for event in GoogleTests.events(records) {
        #expect(event.track.allSatisfy(\.coordinate.isValid) && event.endDate ?? event.timestamp >= event.timestamp)
      }
    }
    for end in bytes.indices { read(Array(bytes[..<end])) }
    for index in bytes.indices {
      for mask: UInt8 in [1, 0x20, 0x40, 0x80] {
        var bytes = bytes
        bytes[index] ^= mask
        read(bytes)
      }
      for value: UInt8 in [0, 0xFF, bytes[index] &- 1] {
        var bytes = bytes
        bytes[index] = value
        read(bytes)
      }
    }
    var random = SeededGenerator(seed: 20)
    for _ in 0..<100 {
      let first = random.below(bytes.count)
      let second = random.below(bytes.count)
      read(Array(bytes[..<first]) + Array(bytes[second...]))
    }
  }
}
