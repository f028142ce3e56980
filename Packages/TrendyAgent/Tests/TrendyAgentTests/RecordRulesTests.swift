import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

/// The hub runs the same records; see `RecordRulesTests` in TrendyHub.
@Suite("RecordRules: device store", .timeLimit(.minutes(20)))
struct RecordRulesTests {
  @Test("the rules agree with an independent calculation", arguments: 0..<20)
  func agrees(part: UInt64) throws {
    for seed in part * 10..<part * 10 + 10 {
      let record = RuleRecord(seed: seed)
      let store = try store(of: record)
      for zone in RuleRecord.zones {
        for dayStart in RuleRecord.dayStarts {
          var local = try #require(LocalTime(zoneName: zone))
          local.dayStart = dayStart
          try check(store, local, now: record.now, record.expectation(zone: zone, dayStart: dayStart))
        }
      }
    }
  }

  private func check(
    _ store: LocalStore, _ local: LocalTime, now: Date, _ expected: RuleRecord.Expectation
  ) throws {
    let context: Comment = "\(local.zoneName ?? "") \(local.dayStart) \(now)"
    let today = local.day(of: now)
    #expect(today == expected.today, context)
    let user = StoreUserRecord(store)
    let settings = try TypeSettings(user)
    let progress = try GoalAmounts.progress(in: user, settings, now: now, local: local)
    let weekly = try GoalAmounts.weeklyStreaks(in: user, settings, now: now, local: local)
    let snapshot = try TodaySnapshot(store: store, now: now, in: local)
    for type in settings.types.keys {
      let history = try LocalInsightSource(store: store, local: local).history(ofType: type, through: today)
      let counts = expected.counts[type]?.filter { $0.key <= today } ?? [:]
      #expect(
        counts == Dictionary(uniqueKeysWithValues: history.activeDays.map { ($0, Int(history.days[$0])) }), context)
      let streak = try settings.streak(of: type, history, firstWeekday: 1) {
        var amounts = GoalAmounts(settings, now: now, local: local)
        let first = history.days.count > 0 ? history.days.first : today
        try amounts.read(user, types: [type], days: first...today.advanced(by: 7))
        return amounts.byType[type] ?? [:]
      }
      if let own = expected.streaks[type] {
        #expect(
          streak.period == own.period && streak.current == own.current && streak.longest == own.longest,
          "\(context) \(type): \(streak), expected \(own)")
        if own.period == .week { #expect(weekly[type] == own.current, context) }
      }
      let shown = try #require(snapshot.counts.first { $0.eventTypeId == type })
      #expect(shown.count == counts[today] ?? 0, context)
      if let own = expected.streaks[type], own.period == .day { #expect(shown.streak == own.current, context) }
      for found in [progress[type], shown.progress] {
        let own = expected.progress[type]
        #expect((found == nil) == (own == nil), context)
        guard let found, let own else { continue }
        #expect(
          abs(found.amount - own.amount) < 0.001 && found.target == own.target && found.isExcused == own.isExcused,
          "\(context) \(type): \(found), expected \(own)")
      }
    }
  }

  private func store(of record: RuleRecord) throws -> LocalStore {
    let store = LocalStore(engine: try StorageEngine.open(directory: "/store", fileSystem: SimulatedFileSystem()))
    for type in record.types { _ = try store.upsertEventType(id: type.id) { $0 = type } }
    for own in record.definitions {
      _ = try store.upsertPropertyDefinition(id: own.id, eventTypeId: own.eventTypeId) { $0 = own }
    }
    for other in record.records { try store.upsertRecord(other) }
    for event in record.events { try store.upsertEvent(event) }
    try store.save()
    return store
  }
}
