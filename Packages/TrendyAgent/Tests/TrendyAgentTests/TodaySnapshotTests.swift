import Foundation
import Testing
import TrendyAgent
import TrendyInsights
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("TodaySnapshot", .timeLimit(.minutes(10)))
struct TodaySnapshotTests {
  private let store = MockDataStore()
  private let now = DeterministicDate.make(year: 2024, month: 5, day: 20, hour: 15, minute: 0, second: 0)

  private func log(_ type: String, daysAgo: [Int]) throws {
    for day in daysAgo {
      let id = "\(type)-\(day)-\(try store.fetchAllEvents().count)"
      try store.upsertEvent(id: id) {
        $0.eventTypeId = type
        $0.timestamp = now.addingTimeInterval(Double(-86_400 * day))
      }
    }
    try store.save()
  }

  private func count(_ type: String) throws -> TodaySnapshot.Count? {
    try TodaySnapshot(store: store, now: now, in: LocalTime(isUTC: true)).counts.first { $0.eventTypeId == type }
  }

  init() throws {
    for (id, name) in [("c", "coffee"), ("r", "run")] {
      try store.upsertEventType(id: id) { $0.name = name }
    }
    try store.save()
  }

  @Test func `the snapshot has today's counts and streaks that today may still extend`() throws {
    try log("c", daysAgo: [0, 0, 1, 2, 4])
    try log("r", daysAgo: [1, 2, 3])
    #expect(try count("c")?.count == 2 && count("c")?.streak == 3)
    #expect(try count("r")?.count == 0 && count("r")?.streak == 3)
    let today = try TodaySnapshot(store: store, now: now, in: LocalTime(isUTC: true))
    #expect(today.day.description == "2024-05-20" && today.total == 2 && today.counts.map(\.name) == ["coffee", "run"])
  }

  @Test func `with a day start at four nights belong to the day before, and all-day events to their date`() throws {
    var local = LocalTime(isUTC: true)
    local.dayStart = 14_400
    func add(_ id: String, _ moment: Date, isAllDay: Bool = false) throws {
      try store.upsertEvent(id: id) {
        $0.eventTypeId = "c"
        $0.timestamp = moment
        $0.isAllDay = isAllDay
      }
    }
    let midnight = local.midnight(now)
    try add("of the 19th, in its night", midnight.addingTimeInterval(3600))
    try add("of the 20th, all day", midnight, isAllDay: true)
    try add("of the 21st, all day", midnight.addingTimeInterval(86_400), isAllDay: true)
    try add("of the 20th, in its night", midnight.addingTimeInterval(86_400 + 3600))
    try store.save()
    let evening = try TodaySnapshot(store: store, now: now, in: local)
    #expect(
      evening.day.description == "2024-05-20" && evening.counts.first?.count == 2 && evening.counts.first?.streak == 2)
    let night = try TodaySnapshot(store: store, now: midnight.addingTimeInterval(7200), in: local)
    #expect(night.day.description == "2024-05-19" && night.counts.first?.count == 1)
  }

  @Test func `a streak that ended the day before yesterday is 0`() throws {
    try log("c", daysAgo: [2, 3, 4])
    #expect(try count("c")?.streak == 0)
  }

  @Test func `a streak has no maximum length`() throws {
    try log("c", daysAgo: Array(0...200))
    #expect(try count("c")?.streak == 201)
  }

  @Test func `histories are read once, and only for streaks longer than a week`() throws {
    let local = LocalTime(isUTC: true)
    var asked: [Set<String>] = []
    func streaks() throws -> [Int] {
      try TodaySnapshot(
        store: store, now: now, in: local,
        counted: { types, today in
          asked.append(types)
          return try Dictionary(grouping: store.fetchAllEvents(), by: \.eventTypeId)
            .filter { types.contains($0.key) }.mapValues { TypeHistory($0, today: today, local: local) }
        }
      ).counts.map(\.streak)
    }
    try log("c", daysAgo: [0, 1, 3])
    #expect(try streaks() == [2, 0] && asked.isEmpty)
    try log("c", daysAgo: Array(2...200))
    try log("r", daysAgo: Array(1...31) + Array(33...60))
    #expect(try streaks() == [201, 31] && asked == [["c", "r"]])
  }

  @Test func `skipped days neither break nor extend a streak`() throws {
    try log("c", daysAgo: [1, 2, 50, 51])
    let today = LocalTime(isUTC: true).day(of: now)
    try store.upsertRecord(
      Skip(id: "s", eventTypeId: "c", days: today.advanced(by: -49)...today.advanced(by: -3)).record)
    try store.save()
    #expect(try count("c")?.streak == 4)
  }

  @Test func `progress follows the goals, and streaks are computed only when requested`() throws {
    try store.upsertEventType(id: "c") { $0.goal = Goal(3, per: .day) }
    try store.upsertEventType(id: "r") { $0.goal = Goal(3, per: .week) }
    // 20 May is a Monday, so events on earlier days belong to the previous week.
    try log("c", daysAgo: [0, 0, 1, 2])
    try log("r", daysAgo: [0, 1, 2])
    #expect(try count("c")?.progress?.amount == 2 && count("c")?.progress?.share == 2.0 / 3)
    #expect(try count("r")?.progress?.amount == 1 && count("r")?.progress?.left == 2)
    let few = try TodaySnapshot(store: store, now: now, in: LocalTime(isUTC: true), streaks: .ofDailyGoals)
    #expect(few.counts.map(\.streak) == [3, 0])
    #expect(few.counts.map(\.progress?.amount) == [2, 1])
    #expect(few.total == 3)
  }

  @Test func `running events and current visits are included, also from yesterday`() throws {
    let evening = now.addingTimeInterval(-70_000)
    try store.upsertEvent(id: "visit") {
      $0.eventTypeId = "c"
      $0.timestamp = evening
      $0.sourceType = .geofence
      $0.locationName = "Home"
    }
    try store.upsertEvent(id: "over") {
      $0.eventTypeId = "c"
      $0.timestamp = evening
      $0.endDate = evening.addingTimeInterval(60)
      $0.sourceType = .geofence
    }
    try store.upsertEvent(id: "forgotten") {
      $0.eventTypeId = "c"
      $0.timestamp = evening.addingTimeInterval(-86_400)
      $0.sourceType = .geofence
    }
    let running = RunningEvent(Event(id: "run", eventTypeId: "r", timestamp: evening), markId: "mark")
    try store.upsertEvent(running.event)
    try store.upsertRecord(running.mark)
    try store.save()
    let today = try TodaySnapshot(store: store, now: now, in: LocalTime(isUTC: true))
    #expect(today.visits.map(\.place) == ["Home"] && today.visits.first?.since == evening)
    #expect(today.running == [TodaySnapshot.RunningTimer(eventId: "run", eventTypeId: "r", since: evening)])
    #expect(today.trip == nil)
  }

  @Test func `events that were read before give the same snapshot`() throws {
    try log("c", daysAgo: [0, 0, 1])
    try store.upsertEventType(id: "r") { $0.goal = Goal(2, per: .day) }
    try log("r", daysAgo: [0])
    let local = LocalTime(isUTC: true)
    let day = local.day(of: now)
    let events = try store.events(of: day...day, ofType: nil, in: local)
    let given = try TodaySnapshot(store: store, now: now, in: local, streaks: .ofDailyGoals, events: events)
    #expect(try given == TodaySnapshot(store: store, now: now, in: local, streaks: .ofDailyGoals))
    #expect(given.counts.map(\.count) == [2, 1] && given.counts.last?.progress?.amount == 1)
    let none = try TodaySnapshot(store: store, now: now, in: local, streaks: .ofDailyGoals, events: [])
    #expect(none.counts.map(\.count) == [0, 1], "a type with a streak is read by itself")
  }
}
