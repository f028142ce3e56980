import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// `RecordRulesTests` in TrendyHub checks the hub with the same records.
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

  @Test func `the rules give the results of the table of cases`() throws {
    for one in try RuleCase.all() {
      let context = Comment(rawValue: one.name)
      let (record, store) = (one.record, try store(of: one.record))
      var local = try #require(LocalTime(zoneName: one.zone))
      local.dayStart = one.dayStart
      let user = StoreUserRecord(store)
      let settings = try TypeSettings(user)
      let actions = try user.actions(of: user.eventTypes())
      for (type, action) in one.expected("actions") { #expect(actions[type]?.rawValue == action.stringValue, context) }
      for (type, keys) in one.expected("order") {
        let own = try user.propertyDefinitions().filter { $0.eventTypeId == type }.inOrder
        #expect(own.map { .string($0.key) } == keys.arrayValue, context)
      }
      for event in record.events {
        if let day = one.expected("days")[event.id] { #expect(day == .string("\(local.day(of: event))"), context) }
        if let amount = one.expected("amounts")[event.id] {
          #expect(settings.amount(of: event, now: record.now) == amount.doubleValue, "\(one.name) \(event.id)")
        }
        if let parts = one.expected("day_amounts")[event.id]?.objectValue {
          let found = settings.amounts(of: event, now: record.now, local: local).map { ("\($0.day)", $0.amount) }
          #expect(
            Dictionary(uniqueKeysWithValues: found) == parts.compactMapValues(\.doubleValue), "\(one.name) \(event.id)")
        }
        if let ends = one.expected("trip_ends")[event.id]?.arrayValue {
          let trip = try #require(TripEvent(event))
          let found = [trip.startPlace, trip.endPlace].map { record.places.nearest(to: $0).first?.id }
          #expect(found == ends.map(\.stringValue), "\(one.name) \(event.id)")
        }
      }
      for (type, days) in one.expected("skipped") {
        let skipped = days.arrayValue?.compactMap { $0.stringValue.flatMap { CivilDate($0) } } ?? []
        let shown = skipped.flatMap { [$0.advanced(by: -1), $0, $0.advanced(by: 1)] }
        #expect(shown.allSatisfy { settings.skips(of: type).contains($0) == skipped.contains($0) }, context)
      }
      let progress = try GoalAmounts.progress(in: user, settings, now: record.now, local: local)
      for (type, own) in one.expected("progress") {
        let found = try #require(progress[type])
        #expect(
          found.amount == own.objectValue?["amount"]?.doubleValue
            && Int64(found.target) == own.objectValue?["target"]?.intValue
            && found.isExcused == own.objectValue?["is_excused"]?.boolValue, "\(one.name): \(found)")
      }
      let rows = try rows(user, now: record.now, local)
      for (type, own) in one.expected("streaks") {
        let streak = try #require(rows[type]).streak
        #expect(
          own.objectValue == [
            "period": .string(streak.period.rawValue), "current": .int(Int64(streak.current)),
            "longest": .int(Int64(streak.longest)),
          ], "\(one.name): \(streak)")
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
    let weekly = try GoalAmounts.weeklyStreaks(in: user, TypeSettings(user), now: now, local: local)
    let snapshot = try TodaySnapshot(store: store, now: now, in: local)
    for (type, row) in try rows(user, now: now, local) {
      let (history, streak) = (row.history, row.streak)
      let counted = try LocalInsightSource(store: store, local: local).history(ofType: type, through: today)
      #expect(history == counted, context)
      let counts = expected.counts[type]?.filter { $0.key <= today } ?? [:]
      #expect(
        counts == Dictionary(uniqueKeysWithValues: history.activeDays.map { ($0, Int(history.days[$0])) }), context)
      if let own = expected.streaks[type] {
        #expect(
          streak.period == own.period && streak.current == own.current && streak.longest == own.longest,
          "\(context) \(type): \(streak), expected \(own)")
        if own.period == .week { #expect(weekly[type] == own.current, context) }
      }
      let shown = try #require(snapshot.counts.first { $0.eventTypeId == type })
      #expect(shown.count == counts[today] ?? 0, context)
      if let own = expected.streaks[type], own.period == .day { #expect(shown.streak == own.current, context) }
      for found in [row.progress, shown.progress] {
        let own = expected.progress[type]
        #expect((found == nil) == (own == nil), context)
        guard let found, let own else { continue }
        #expect(
          abs(found.amount - own.amount) < 0.001 && found.target == own.target && found.isExcused == own.isExcused,
          "\(context) \(type): \(found), expected \(own)")
      }
    }
  }

  private func rows(_ user: StoreUserRecord, now: Date, _ local: LocalTime) throws -> [String: Report.Row] {
    var query = ReportQuery(now: now, local: local)
    query.details = [.weeklyStreaks, .goals]
    return Dictionary(uniqueKeysWithValues: try Report(query, from: user).allRows.map { ($0.type.id, $0) })
  }

  private func store(of record: RuleRecord) throws -> LocalStore {
    let store = LocalStore(engine: try StorageEngine.open(directory: "/store", fileSystem: SimulatedFileSystem()))
    for type in record.types { _ = try store.upsertEventType(id: type.id) { $0 = type } }
    for own in record.definitions {
      _ = try store.upsertPropertyDefinition(id: own.id, eventTypeId: own.eventTypeId) { $0 = own }
    }
    for other in record.records { try store.upsertRecord(other) }
    for place in record.places { _ = try store.upsertGeofence(id: place.id) { $0 = place } }
    for event in record.events { try store.upsertEvent(event) }
    try store.save()
    return store
  }
}
