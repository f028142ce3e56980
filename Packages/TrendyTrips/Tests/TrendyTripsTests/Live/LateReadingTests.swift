import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Track store that counts the readings that are read from it.
private final class CountingStore: TrackStore {
  let base = SimulatedTrackStore()
  let read = Mutex(0)

  func append(_ readings: [TrackReading], device: String) throws -> TrackAppend {
    try base.append(readings, device: device)
  }
  func devices() throws -> [TrackDevice] { try base.devices() }
  func forEach(device: String, after: Date?, through: Date?, _ body: (TrackReading) throws -> Void) throws {
    try base.forEach(device: device, after: after, through: through) { reading in
      read.withLock { $0 += 1 }
      try body(reading)
    }
  }
  func withReader<Result>(_ body: () throws -> Result) throws -> Result { try base.withReader(body) }
  func unread(device: String) throws -> TrackUnread? { try base.unread(device: device) }
  func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, through: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote] {
    try base.notes(kind, device: device, after: after, through: through, isDescending: isDescending, limit: limit)
  }
  func note(_ kind: TrackNote.Kind, id: String) throws -> (device: String, note: TrackNote)? {
    try base.note(kind, id: id)
  }
  func commit(_ changes: TrackChanges, device: String) throws { try base.commit(changes, device: device) }
}

@Suite("Late readings", .timeLimit(.minutes(10)))
struct LateReadingTests {
  /// Returns the readings of one phone day, repeated for `count` days.
  private static func days(_ count: Int) throws -> [TrackReading] {
    let day = try DetectionRunnerTests.readings(DetectionRunnerTests.days[0]).sorted { $0.timestamp < $1.timestamp }
    return (0..<count).flatMap { number in day.map { $0.later(by: Double(number) * 86_400) } }
  }

  /// A single trip that spans the missing readings is detected first, and is split when these readings arrive. The
  /// event of the single trip must not be used for both of the resulting trips.
  @Test(
    "a day whose end arrives first has the same trips as one in order",
    arguments: [(SimulatedDay.World.town, 44), (.buses, 61), (.railway, 11)] as [(SimulatedDay.World, UInt64)])
  func endFirst(world: SimulatedDay.World, seed: UInt64) throws {
    let fixes = SimulatedDay(seed: seed, world: world, recorder: .tracker).fixes.map { TrackReading.fix($0) }
    let now = DetectionRunnerTests.end(fixes) + 86_400
    let (device, quiet) = (LiveDevice(now: now), LiveDevice(now: now))
    try quiet.tell(fixes)
    for piece in [7, 0, 1, 2, 3, 4, 5, 6] {
      try device.tell(Array(fixes[(fixes.count * piece / 8)..<(fixes.count * (piece + 1) / 8)]))
    }
    #expect(device.journal.trips.map(\.timestamp) == quiet.journal.trips.map(\.timestamp))
    #expect(device.journal.trips.map(\.endDate) == quiet.journal.trips.map(\.endDate))
  }

  @Test func `a late fix causes only the affected readings to be read again`() throws {
    let readings = try Self.days(30)
    let store = CountingStore()
    let journal = TestJournal(geofences: DetectionRunnerTests.places(readings))
    let reader = DetectionRunner(
      store: store, journal: journal, clock: ManualClock(now: DetectionRunnerTests.end(readings) + 86_400))
    _ = try store.append(readings, device: "phone")
    try reader.read(device: "phone")
    let writes = journal.writes
    for number in [3, 12, 25] {
      store.read.withLock { $0 = 0 }
      // The phone is stationary at the end of each day.
      let last = readings[readings.count / 30 * (number + 1) - 1]
      _ = try store.append([last.later(by: 60)], device: "phone")
      try reader.read(device: "phone")
      let read = store.read.withLock { $0 }
      #expect(read < readings.count / 4, "day \(number): \(read) of \(readings.count)")
    }
    #expect(journal.writes == writes)
  }

  @Test("late readings give the same events as readings in time", arguments: [1, 2, 3, 4] as [UInt64])
  func same(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let readings = try Self.days(12)
    let end = DetectionRunnerTests.end(readings) + 86_400
    let places = DetectionRunnerTests.places(readings)
    // Batches of up to 400 consecutive readings, which may contain parts of trips, arrive after all other readings.
    var late: [[TrackReading]] = []
    var early = readings
    for _ in 0..<6 {
      let start = Int.random(in: 0..<early.count - 500, using: &random)
      let length = [1, 5, 60, 400][Int.random(in: 0..<4, using: &random)]
      late.append(Array(early[start..<start + length]))
      early.removeSubrange(start..<start + length)
    }
    let wanted = LiveDevice(geofences: places, now: end)
    try wanted.tell(readings)
    var device = LiveDevice(geofences: places, now: end)
    try device.tell(early)
    for batch in late.shuffled(using: &random) {
      try device.tell(batch)
      if Int.random(in: 0..<3, using: &random) == 0 { device.restart() }
      try device.reader.readAll()
    }
    #expect(
      DetectionRunnerTests.content(device.journal.events) == DetectionRunnerTests.content(wanted.journal.events))
    #expect(try device.reader.readAgain().isEmpty)
  }

  @Test func `a checkpoint contains only places with state`() throws {
    let readings = try DetectionRunnerTests.readings(DetectionRunnerTests.days[0])
    let own = DetectionRunnerTests.places(readings)
    let others = (0..<1000).map { number in
      Geofence(
        id: "other-\(number)", name: "Other \(number)", latitude: 40 + Double(number % 100) / 10,
        longitude: -20 + Double(number) / 50, radius: 100, eventTypeEntryId: "visit-type")
    }
    let few = LiveDevice(geofences: own, now: DetectionRunnerTests.end(readings) + 86_400)
    var many = LiveDevice(geofences: own + others, now: DetectionRunnerTests.end(readings) + 86_400)
    let half = readings.sorted { $0.timestamp < $1.timestamp }
    for part in [half[..<(half.count / 2)], half[(half.count / 2)...]] {
      try few.tell(Array(part))
      try many.tell(Array(part))
      many.restart()
    }
    #expect(DetectionRunnerTests.content(many.journal.events) == DetectionRunnerTests.content(few.journal.events))
    func bytes(_ device: LiveDevice) throws -> Int {
      try device.store.notes(.checkpoint, device: "phone", after: nil, isDescending: true, limit: 1).first?.content
        .count ?? 0
    }
    #expect(try bytes(many) == bytes(few))
  }

  @Test("the lower bound of a distance never exceeds the distance", arguments: [1, 2, 3] as [UInt64])
  func bound(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    func place() -> Coordinate { Coordinate(latitude: number(-90...90), longitude: number(-180...180)) }
    func place(near other: Coordinate) -> Coordinate {
      let reach: Double = [0.001, 0.01, 1, 90][Int.random(in: 0..<4, using: &random)]
      let longitude = other.longitude + number(-2 * reach...2 * reach)
      return Coordinate(
        latitude: min(90, max(-90, other.latitude + number(-reach...reach))),
        longitude: longitude.remainder(dividingBy: 360))
    }
    for _ in 0..<20_000 {
      let from = place()
      let to = place(near: from)
      let meters = Geodesic.distanceMeters(from: from, to: to)
      #expect(!Geodesic.isCertainlyBeyond(meters, from: from, to: to), "\(from) \(to)")
    }
    // The bound is tight enough to be useful: it exceeds 500 m for points about 1.1 km apart.
    let home = Coordinate(latitude: 52, longitude: 4)
    #expect(Geodesic.isCertainlyBeyond(500, from: home, to: Coordinate(latitude: 52, longitude: 4.0155)))
    #expect(Geodesic.isCertainlyBeyond(500, from: home, to: Coordinate(latitude: 52.01, longitude: 4)))
  }
}

extension TrackReading {
  fileprivate func later(by seconds: TimeInterval) -> TrackReading {
    switch self {
    case .fix(var fix):
      fix.timestamp += seconds
      return .fix(fix)
    case .motion(var motion):
      motion.timestamp += seconds
      return .motion(motion)
    case .call(let call): return .call(TripCommand(kind: call.kind, timestamp: call.timestamp + seconds))
    }
  }
}
