import Foundation
import Testing
import TrendyAgent
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Each test imports the same workout, visit or trip from two sources.
@Suite("Duplicates across sources", .timeLimit(.minutes(5)))
struct ExternalMatchTests {
  private func withRecord(_ body: (DeviceRecord) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-match-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(DeviceRecord(directory: folder, clock: ManualClock(now: Self.date(1_800_000_000))))
  }

  private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @discardableResult
  private func take(_ text: String, as word: String, into record: DeviceRecord) throws -> ImportReport {
    let options = ImportOptions(zone: .utc, now: Self.date(1_800_000_000))
    return try record.importRecords(
      ByteInput(Array(text.utf8)), as: #require(InterchangeFormat.named(word)),
      ImportRequest(source: "a file", options: options, fingerprint: "\(word) \(text.hashValue)"))
  }

  private static func workout(_ id: String, start: Double, seconds: Double) -> String {
    let start = RFC3339.string(from: date(1_772_000_000 + start))
    return """
      <TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>\(start)</Id><Lap StartTime="\(start)">
      <TotalTimeSeconds>\(seconds)</TotalTimeSeconds></Lap><Creator><Name>\(id)</Name></Creator></Activity></Activities>
      </TrainingCenterDatabase>
      """
  }

  @Test(
    "workouts are duplicates if starts differ by at most a minute and durations by 5 %",
    arguments: [
      (60.0, 1000.0, true), (61.0, 1000.0, false), (-60.0, 1000.0, true), (-61.0, 1000.0, false), (0.0, 950.0, true),
      (0.0, 949.0, false), (0.0, 1052.0, true), (0.0, 1053.0, false),
    ])
  func workouts(start: Double, seconds: Double, isOne: Bool) throws {
    try withRecord { record in
      try take(Self.workout("watch", start: 0, seconds: 1000), as: "tcx", into: record)
      let second = try take(Self.workout("phone", start: start, seconds: seconds), as: "tcx", into: record)
      #expect(second.new[.event] == (isOne ? nil : 1) && second.known == (isOne ? 1 : 0))
      #expect(try record.makeStore().fetchAllEvents().count == (isOne ? 1 : 2))
    }
  }

  private static func visit(_ place: String, latitude: Double, from: Double, to: Double) -> String {
    func text(_ minute: Double) -> String { RFC3339.string(from: date(1_772_000_000 + minute * 60)) }
    return """
      {"semanticSegments":[{"startTime":"\(text(from))","endTime":"\(text(to))",
      "visit":{"topCandidate":{"placeId":"\(place)","placeLocation":"geo:\(latitude),5.1"}}}]}
      """
  }

  @Test(
    "visits are duplicates if more than half of the longer one overlaps and positions are near",
    arguments: [
      (52.1, 0.0, 60.0, true), (52.1, 29.0, 60.0, true), (52.1, 30.0, 60.0, false), (52.1, -59.0, 60.0, true),
      (52.1, -60.0, 60.0, false), (52.1013, 0.0, 60.0, true), (52.1014, 0.0, 60.0, false), (52.1, 60.0, 120.0, false),
    ])
  func visits(latitude: Double, from: Double, to: Double, isOne: Bool) throws {
    try withRecord { record in
      try take(Self.visit("a", latitude: 52.1, from: 0, to: 60), as: "google-timeline", into: record)
      let other = Self.visit("b", latitude: latitude, from: from, to: to)
      let second = try take(other, as: "google-timeline", into: record)
      #expect(second.new[.event] == (isOne ? nil : 1) && second.known == (isOne ? 1 : 0))
    }
  }

  @Test func `an import finds its own duplicates, and undone events may come from another source`() throws {
    try withRecord { record in
      let both = Self.visit("a", latitude: 52.1, from: 0, to: 60).dropLast(2)
      let inner = Self.visit("b", latitude: 52.1, from: 1, to: 60).dropFirst("{\"semanticSegments\":[".count)
      let first = try take("\(both),\(inner)", as: "google-timeline", into: record)
      #expect(first.new[.event] == 1 && first.known == 1)
      let entry = try #require(try record.imports().last)
      #expect(try record.undoImport(entry).left.isEmpty)
      let again = try take(Self.visit("c", latitude: 52.1, from: 2, to: 60), as: "google-timeline", into: record)
      #expect(again.new[.event] == 1)
    }
  }

  // MARK: Trips

  /// Returns a half-hour drive in Timeline format. It starts the given number of seconds after its fixes.
  private static func way(after seconds: Double = 0, lasting length: Double = 1800) -> String {
    let start = 1_772_000_000 + seconds
    return """
      {"semanticSegments":[{"startTime":"\(RFC3339.string(from: date(start)))",
      "endTime":"\(RFC3339.string(from: date(start + length)))","activity":{"start":{"latLng":"52.0907°, 5.1214°"},
      "end":{"latLng":"52.3323°, 5.1214°"},"distanceMeters":27000,"topCandidate":{"type":"IN_PASSENGER_VEHICLE"}}}]}
      """
  }

  private static let drive: String = {
    let entries = (0..<180).map { index in
      "{\"latitudeE7\":\(520_907_000 + index * 13_500),\"longitudeE7\":51214000,\"accuracy\":8,"
        + "\"timestampMs\":\"\(1_772_000_000 + index * 10)000\"}"
    }
    return "{\"locations\":[\(entries.joined(separator: ","))]}"
  }()

  private func trips(_ record: DeviceRecord) throws -> [Event] {
    try record.makeStore().fetchAllEvents().filter { $0.sourceType == .trip }
  }

  @Test("a trip imported from Timeline is not detected again in later fixes", arguments: [-40.0, 0.0, 40.0])
  func timelineFirst(seconds: Double) throws {
    try withRecord { record in
      try take(Self.way(after: seconds), as: "google-timeline", into: record)
      let told = try trips(record)
      #expect(told.count == 1)
      let second = try take(Self.drive, as: "google-records", into: record)
      #expect(second.found == 0)
      #expect(try trips(record) == told)
      // Neither repeated detection nor the opposite order of imports changes the result.
      _ = try record.makeTrackIntake().readAgain()
      try take(Self.drive, as: "google-records", into: record)
      try take(Self.way(after: seconds + 5), as: "google-timeline", into: record)
      #expect(try trips(record) == told)
    }
  }

  @Test func `a short trip is not a duplicate of a long trip in the fixes`() throws {
    try withRecord { record in
      try take(Self.way(lasting: 600), as: "google-timeline", into: record)
      try take(Self.drive, as: "google-records", into: record)
      #expect(try trips(record).count == 2)
    }
  }

  @Test func `an imported trip that was undone is detected in its fixes`() throws {
    try withRecord { record in
      try take(Self.way(), as: "google-timeline", into: record)
      _ = try record.undoImport(try #require(try record.imports().last))
      try take(Self.drive, as: "google-records", into: record)
      #expect(try trips(record).count == 1)
    }
  }
}
