import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("TodayTally", .timeLimit(.minutes(10)))
struct TodayTallyTests {
  private let local = LocalTime(isUTC: true)
  // Wednesday 20 November 2024, 15:00.
  private let now = Date(timeIntervalSince1970: 1_732_114_800)
  private let types = [
    EventType(id: "c", name: "coffee", colorHex: "#000000", iconName: "c", goal: Goal(2, per: .day)),
    EventType(id: "r", name: "Run", colorHex: "#000000", iconName: "r", goal: Goal(1800, .duration, per: .week)),
  ]

  private func event(_ id: String, _ type: String, daysAgo: Int, minutes: Double = 0) -> Event {
    let start = now.addingTimeInterval(Double(daysAgo) * -86_400 - 3600)
    return Event(
      id: id, eventTypeId: type, timestamp: start, endDate: minutes > 0 ? start.addingTimeInterval(minutes * 60) : nil)
  }

  private func tally(_ events: [Event], skips: [String: DaySet] = [:]) -> TodayTally {
    var tally = TodayTally(TypeSettings(types: types, skips: skips), now: now, local: local)
    tally.add(events)
    return tally
  }

  @Test func `incremental changes give the same result as a new tally`() {
    var events: [Event] = []
    var tally = tally([])
    for place in 0..<200 {
      let event = event("\(place)", place % 3 == 0 ? "r" : "c", daysAgo: (place * 7) % 23, minutes: Double(place % 40))
      events.append(event)
      tally.replace(nil, with: event)
      #expect(tally.snapshot == self.tally(events).snapshot)
    }
    // Events are moved to another type and day, or removed.
    for place in stride(from: 0, to: 200, by: 3) {
      let after = place % 2 == 0 ? event("\(place)", "c", daysAgo: place % 5) : nil
      tally.replace(events[place], with: after)
      events[place] = after ?? event("other", "unknown", daysAgo: 0)
      #expect(tally.snapshot.counts.map(\.count) == self.tally(events).snapshot.counts.map(\.count))
      #expect(tally.snapshot.counts.map(\.streak) == self.tally(events).snapshot.counts.map(\.streak))
    }
  }

  @Test func `types are sorted by name without regard to case, with count, streak and progress`() {
    let snapshot = tally([
      event("1", "c", daysAgo: 0), event("2", "c", daysAgo: 1), event("3", "c", daysAgo: 3),
      event("4", "r", daysAgo: 2, minutes: 20), event("5", "r", daysAgo: 3, minutes: 20),
      event("6", "c", daysAgo: -1),
    ]).snapshot
    #expect(snapshot.day == CivilDate(year: 2024, month: 11, day: 20))
    #expect(snapshot.counts.map(\.name) == ["coffee", "Run"])
    #expect(snapshot.counts.map(\.count) == [1, 0] && snapshot.total == 1)
    #expect(snapshot.counts.map(\.streak) == [2, 0])
    // Weeks begin on Monday, so the run on Sunday does not count.
    #expect(snapshot.counts.map { $0.progress?.amount } == [1, 1200])
    #expect(snapshot.counts[0].progress?.share == 0.5)
  }

  @Test func `a streak that reaches the first loaded day may continue before it`() {
    let day = CivilDate(year: 2024, month: 11, day: 20)
    let known = tally(
      [0, 1, 2, 4].map { event("\($0)", "c", daysAgo: $0) }, skips: ["c": [day.advanced(by: -3)]]
    )
    #expect(known.snapshot.counts[0].streak == 4)
    #expect(known.isStreakOpen(of: "c", from: day.advanced(by: -4)))
    #expect(!known.isStreakOpen(of: "c", from: day.advanced(by: -5)))
    #expect(!known.isStreakOpen(of: "unknown", from: day))
  }

  @Test func `a snapshot survives encoding and decoding`() throws {
    var tally = tally([event("1", "c", daysAgo: 0)])
    tally.show(
      running: [TodaySnapshot.RunningTimer(eventId: "1", eventTypeId: "c", since: now)],
      visits: [TodaySnapshot.OpenVisit(eventId: "2", geofenceId: "g", place: "Home", since: now)],
      trip: TodaySnapshot.Trip(eventId: "3", since: now, distance: 1200, isPaused: true))
    let data = try JSONEncoder().encode(tally.snapshot)
    #expect(try JSONDecoder().decode(TodaySnapshot.self, from: data) == tally.snapshot)
  }
}
