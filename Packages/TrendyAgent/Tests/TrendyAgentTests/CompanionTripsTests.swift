import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyTesting

@testable import TrendyAgent

@Suite("CompanionTrips", .timeLimit(.minutes(10)))
struct CompanionTripsTests {
  private static func date(_ minutes: Double) -> Date { DeterministicDate.jan1_2024 + minutes * 60 }

  private static func notice(_ kind: String, _ id: String, from start: Double, to end: Double? = nil, at: Double? = nil)
    -> CompanionNotice
  {
    var data: [String: JSONValue] = ["id": .string(id), "start": .string(RFC3339.string(from: date(start)))]
    if let end { data["end"] = .string(RFC3339.string(from: date(end))) }
    return CompanionNotice(sequence: 1, kind: kind, at: date(at ?? end ?? start), data: data)
  }

  private static func started(_ id: String, _ start: Double, end: Double? = nil) -> CompanionNotice {
    notice(CompanionNotice.Kind.tripStarted, id, from: start, to: end)
  }

  private static func ended(_ id: String, _ start: Double, _ end: Double) -> CompanionNotice {
    notice(CompanionNotice.Kind.tripEnded, id, from: start, to: end)
  }

  private static func active(_ isActive: Bool, at minutes: Double) -> CompanionNotice {
    CompanionNotice(
      sequence: 1, kind: CompanionNotice.Kind.tripActive, at: date(minutes), data: ["active": .bool(isActive)])
  }

  /// Returns the indices of the notices that are passed on to the companion.
  private func told(_ notices: [(String, CompanionNotice)]) -> [Int] {
    var trips = CompanionTrips()
    return notices.indices.filter { trips.take(notices[$0].1, over: notices[$0].0) }
  }

  @Test func `all notices of one tracker are new, including overlapping trips`() {
    let notices = [
      Self.started("a", 0), Self.started("b", 1), Self.active(true, at: 1), Self.ended("a", 0, 20),
      Self.ended("b", 1, 30), Self.active(false, at: 30), Self.started("b", 1), Self.ended("b", 1, 60),
    ]
    #expect(told(notices.map { ("agent", $0) }) == Array(notices.indices))
  }

  @Test func `a trip seen by agent and hub is announced by the first, whatever its times are`() {
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("hub", Self.started("h", 2)), ("hub", Self.ended("h", 2, 31)),
        ("agent", Self.ended("a", 0, 30)),
      ]) == [0, 3])
    #expect(
      told([
        ("hub", Self.started("h", 2)), ("agent", Self.started("a", 0)), ("agent", Self.ended("a", 0, 30)),
        ("hub", Self.ended("h", 2, 31)),
      ]) == [0, 3])
    // The hub receives the fixes of the whole trip after its end.
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("agent", Self.ended("a", 0, 30)), ("hub", Self.started("h", 1, end: 29)),
        ("hub", Self.ended("h", 1, 29)),
      ]) == [0, 1])
  }

  @Test func `consecutive trips are separate, whichever source saw them`() {
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("agent", Self.ended("a", 0, 30)),
        // The hub's trip starts before the end of the agent's trip.
        ("hub", Self.started("h", 28)), ("hub", Self.ended("h", 28, 60)),
      ]) == [0, 1, 2, 3])
    #expect(
      told([
        ("agent", Self.started("a", 60)), ("agent", Self.ended("a", 60, 90)), ("hub", Self.started("h", 0, end: 30)),
        ("hub", Self.ended("h", 0, 30)),
      ]) == [0, 1, 2, 3])
  }

  @Test func `a trip cancelled by one source and kept by the other is announced at its end`() {
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("hub", Self.started("h", 1)),
        ("agent", Self.notice(CompanionNotice.Kind.tripCancelled, "a", from: 0, at: 10)),
        ("hub", Self.ended("h", 1, 30)),
      ]) == [0, 2, 3])
    // The cancellation of an unannounced trip is not passed on.
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("hub", Self.started("h", 1)),
        ("hub", Self.notice(CompanionNotice.Kind.tripCancelled, "h", from: 1, at: 10)),
        ("agent", Self.ended("a", 0, 30)),
      ]) == [0, 3])
  }

  @Test func `a trip is in progress from the first report on until the last source ends it`() {
    #expect(
      told([
        ("agent", Self.active(true, at: 0)), ("hub", Self.active(true, at: 1)), ("agent", Self.active(false, at: 30)),
        ("hub", Self.active(false, at: 31)),
      ]) == [0, 3])
  }

  @Test func `late notices of a trip that the other source has finished are not new`() {
    #expect(
      told([
        ("hub", Self.started("h", 0)), ("hub", Self.active(true, at: 0)), ("hub", Self.ended("h", 0, 30)),
        ("hub", Self.active(false, at: 30)), ("agent", Self.started("a", 1)), ("agent", Self.active(true, at: 1)),
        ("hub", Self.started("i", 40)), ("hub", Self.active(true, at: 40)), ("agent", Self.ended("a", 1, 29)),
        ("agent", Self.active(false, at: 29)), ("hub", Self.ended("i", 40, 60)), ("hub", Self.active(false, at: 60)),
      ]) == [0, 1, 2, 3, 6, 7, 10, 11])
    // Everything has ended before another trip starts.
    #expect(
      told([
        ("hub", Self.started("h", 0)), ("hub", Self.active(true, at: 0)), ("hub", Self.ended("h", 0, 30)),
        ("hub", Self.active(false, at: 30)), ("agent", Self.started("a", 1)), ("agent", Self.active(true, at: 1)),
        ("agent", Self.ended("a", 1, 29)), ("agent", Self.active(false, at: 29)),
      ]) == [0, 1, 2, 3])
  }

  @Test func `a source that stops reporting during a trip counts for at most a day`() {
    let day = 1440.0
    #expect(
      told([
        ("agent", Self.started("a", 0)), ("agent", Self.active(true, at: 0)), ("hub", Self.started("h", day - 1)),
        ("hub", Self.active(true, at: day - 1)), ("hub", Self.started("i", day)), ("hub", Self.active(false, at: day)),
      ]) == [0, 1, 4, 5])
  }

  @Test func `a store ignores repeated notices of the hub and keeps its sequence number`() throws {
    let files = SimulatedFileSystem()
    let store = try CompanionStore(directory: "companion", fileSystem: files)
    func link(_ id: String, _ tracker: String) -> APICompanion {
      APICompanion(
        id: id, trackerId: tracker, trackerName: "phone", companionId: "me", companionName: "watch")
    }
    let links = [link("agent", "phone-id"), link("hub", APICompanion.hub(of: "phone-id"))]
    _ = try store.update(with: links, deviceId: "me")
    func take(_ notice: CompanionNotice, _ sequence: Int64, over link: String) throws -> Int {
      var notice = notice
      notice.sequence = sequence
      return try store.take([notice], over: link).count
    }
    #expect(try take(Self.started("a", 0), 1, over: "agent") == 1)
    #expect(try take(Self.active(true, at: 0), 2, over: "agent") == 1)
    #expect(try take(Self.started("h", 1), 1_700_000_000_000, over: "hub") == 0)
    let again = try CompanionStore(directory: "companion", fileSystem: files)
    #expect(try again.links().first { $0.id == "hub" }?.lastSequence == 1_700_000_000_000)
    #expect(try take(Self.active(true, at: 1), 1_700_000_000_001, over: "hub") == 0)
    #expect(try again.received(limit: .max).map(\.notice.kind) == ["trip_started", "trip_active"])
    #expect(try again.trackers().map(\.device) == ["phone"], "one device, however many tell of it")
    #expect(try again.trackers().map(\.isActive) == [true])
    #expect(try take(Self.ended("a", 0, 30), 3, over: "agent") == 1)
    #expect(try take(Self.active(false, at: 30), 4, over: "agent") == 0)
    #expect(try take(Self.active(false, at: 31), 1_700_000_000_002, over: "hub") == 1)
    #expect(try again.trackers().map(\.isActive) == [false])
    // A trip on another device is a different trip.
    _ = try store.update(with: links + [link("other", "tablet-id")], deviceId: "me")
    #expect(try take(Self.started("o", 1), 1, over: "other") == 1)
  }
}
