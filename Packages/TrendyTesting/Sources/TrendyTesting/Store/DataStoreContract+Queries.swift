import TrendyFoundation
import TrendyModels
import TrendyProtocols

extension DataStoreContract {
  /// Requirements for queries and their sort order.
  static let queryClauses: [Clause] = [
    Clause("events are sorted by time, newest first, then by id in descending order") { makeUnit in
      let unit = try makeUnit()
      // Saved and unsaved events are sorted together.
      try add(unit, [("b", 10), ("a", 20), ("e", -5)])
      try unit.save()
      try add(unit, [("c", 20), ("d", 10)])
      try require("the events", unit.fetchAllEvents().map(\.id), ["c", "a", "d", "b", "e"])
      try require(
        "the events in a range of all time", unit.events(in: nil, ofType: nil, limit: nil).map(\.id),
        ["c", "a", "d", "b", "e"])
      try unit.save()
      try require("the events in another unit", makeUnit().fetchAllEvents().map(\.id), ["c", "a", "d", "b", "e"])
      try unit.upsertEvent(id: "e") { $0.timestamp = start.addingTimeInterval(30) }
      try require("the events after one moved", unit.fetchAllEvents().map(\.id), ["e", "c", "a", "d", "b"])
    },
    Clause("events are found by id prefix and by recording time") { makeUnit in
      let unit = try makeUnit()
      // The first two ids are UUIDv7s from 2023 and 2024. The other events count as recorded when they started.
      let (early, late) = ("018b2bb2-7a40-7000-8000-000000000001", "018d2bb2-7a40-7000-8000-000000000001")
      try add(unit, [(late, -1e8), (early, 1e8)])
      try unit.save()
      try add(unit, [("abc", -2e8), ("ABd", 2e8)])
      for state in ["unsaved", "saved"] {
        func found(_ text: String, _ limit: Int = .max) throws -> [String] {
          try unit.events(idBeginning: text, limit: limit).map(\.id).sorted()
        }
        try require("those that begin with 018, \(state)", found("018"), [early, late])
        try require("those that begin with 018B2BB2-7, \(state)", found("018B2BB2-7"), [early])
        try require("those that begin with ab, \(state)", found("ab"), ["ABd", "abc"])
        try require("those that begin with an id and more, \(state)", found(early + "0"), [])
        try require("how many of all, \(state)", found("", 3).count, 3)
        let all = Set(EventSourceType.allCases)
        try require(
          "the last recorded, \(state)", unit.lastRecordedEvents(9, from: all).map(\.id), ["ABd", late, early, "abc"])
        try require("the last one, \(state)", unit.lastRecordedEvents(1, from: all).map(\.id), ["ABd"])
        try require("the last trip, \(state)", unit.lastRecordedEvents(1, from: [.trip]).map(\.id), [])
        try unit.save()
      }
    },
    Clause("types and places are sorted by name, definitions by type and display order, all then by id") { makeUnit in
      let unit = try makeUnit()
      for (id, name) in [("3", "a"), ("1", "b"), ("2", "a")] {
        try unit.upsertEventType(id: id) { $0.name = name }
        try unit.upsertGeofence(id: id) { $0.name = name }
      }
      for (id, type, order) in [("e", "2", 0), ("d", "1", 7), ("c", "1", -1), ("b", "1", 7)] {
        try unit.upsertPropertyDefinition(id: id, eventTypeId: type) { $0.displayOrder = order }
      }
      for state in ["unsaved", "saved"] {
        try require("the types, \(state)", unit.fetchAllEventTypes().map(\.id), ["2", "3", "1"])
        try require("the places, \(state)", unit.fetchAllGeofences().map(\.id), ["2", "3", "1"])
        try require("the definitions, \(state)", unit.fetchAllPropertyDefinitions().map(\.id), ["c", "b", "d", "e"])
        try unit.save()
      }
    },
    Clause("events can be filtered by source") { makeUnit in
      let unit = try makeUnit()
      for (id, seconds, source) in [
        ("a", 0.0, EventSourceType.trip), ("b", 10, .manual), ("c", 20, .imported), ("d", 30, .trip),
      ] {
        try unit.upsertEvent(id: id) {
          $0.timestamp = Date(timeIntervalSince1970: seconds)
          $0.sourceType = source
        }
      }
      let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 30)
      for state in ["unsaved", "saved"] {
        try require("trips, \(state)", unit.events(in: nil, from: [.trip]).map(\.id), ["d", "a"])
        try require(
          "of two sources, \(state)", unit.events(in: range, from: [.trip, .imported]).map(\.id), ["c", "a"])
        try require("of none, \(state)", unit.events(in: nil, from: []).map(\.id), [])
        try unit.save()
      }
    },
    Clause("a time range includes its start and excludes its end") { makeUnit in
      let unit = try makeUnit()
      try add(unit, [("a", 10), ("b", 20), ("c", 30)])
      func ids(_ from: Double, _ to: Double) throws -> [String] {
        let range = start.addingTimeInterval(from)..<start.addingTimeInterval(to)
        return try unit.events(in: range, ofType: nil, limit: nil).map(\.id)
      }
      for state in ["unsaved", "saved"] {
        try require("10 to 30, \(state)", ids(10, 30), ["b", "a"])
        try require("10.001 to 30.001, \(state)", ids(10.001, 30.001), ["c", "b"])
        try require("20 to 20, \(state)", ids(20, 20), [])
        try require("31 to 40, \(state)", ids(31, 40), [])
        try unit.save()
      }
    },
    Clause("a list can be filtered by type and limited in length") { makeUnit in
      let unit = try makeUnit()
      try add(unit, [("a", 10), ("b", 20)], type: "type-1")
      try add(unit, [("c", 15), ("d", 25)], type: "type-2")
      try unit.save()
      try add(unit, [("e", 17)], type: "type-2")
      try require("one type", unit.events(in: nil, ofType: "type-2", limit: nil).map(\.id), ["d", "e", "c"])
      try require("two of one type", unit.events(in: nil, ofType: "type-2", limit: 2).map(\.id), ["d", "e"])
      try require("three of all", unit.events(in: nil, ofType: nil, limit: 3).map(\.id), ["d", "b", "e"])
      try require("more than there are", unit.events(in: nil, ofType: "type-1", limit: 9).map(\.id), ["b", "a"])
      try require("none", unit.events(in: nil, ofType: nil, limit: 0), [])
      try require("an unknown type", unit.events(in: nil, ofType: "type-9", limit: nil), [])
      let range = start.addingTimeInterval(15)..<start.addingTimeInterval(25)
      try require("one type in a range", unit.events(in: range, ofType: "type-2", limit: nil).map(\.id), ["e", "c"])
      try unit.upsertEvent(id: "e") { $0.eventTypeId = "type-1" }
      try unit.deleteEvent(id: "d")
      try require(
        "after changing the type of one and deleting another",
        unit.events(in: nil, ofType: "type-2", limit: nil).map(\.id), ["c"])
    },
    Clause("an event belongs to the local day where it was recorded, an all-day event to its date") { makeUnit in
      let unit = try makeUnit()
      var local = LocalTime(isUTC: true)
      local.dayStart = 4 * 3600
      // Days begin at 04:00, so 15 June lasts from 04:00 to 04:00 UTC.
      let midnight = DeterministicDate.make(year: 2024, month: 6, day: 15, hour: 0)
      func add(_ id: String, hours: Double, zone: String? = nil, isAllDay: Bool = false) throws {
        try unit.upsertEvent(id: id) {
          $0.eventTypeId = id == "late" ? "type-2" : "type-1"
          $0.timestamp = midnight.addingTimeInterval(hours * 3600)
          $0.timeZone = zone
          $0.isAllDay = isAllDay
        }
      }
      try add("night before", hours: 3.999)
      try add("first", hours: 4, zone: "UTC")
      try add("late", hours: 27.999)
      try add("after", hours: 28)
      // In Tokyo, nine hours ahead of UTC, these events start at 05:00 and 03:00.
      try add("Tokyo", hours: -4, zone: "Asia/Tokyo")
      try add("Tokyo before", hours: -6, zone: "Asia/Tokyo")
      try add("date", hours: 0, isAllDay: true)
      try add("date in Tokyo", hours: -9, zone: "Asia/Tokyo", isAllDay: true)
      try add("date after", hours: 24, isAllDay: true)
      guard let day = CivilDate("2024-06-15") else { throw Violation(description: "invalid date") }
      for state in ["unsaved", "saved"] {
        try require(
          "of the day, \(state)", unit.events(of: day...day, ofType: nil, in: local).map(\.id),
          ["late", "first", "date", "Tokyo", "date in Tokyo"])
        try require("of a type, \(state)", unit.events(of: day...day, ofType: "type-2", in: local).map(\.id), ["late"])
        try require(
          "of two days, \(state)", unit.events(of: day...day.advanced(by: 1), ofType: nil, in: local).count, 7)
        try unit.save()
      }
    },
    Clause("days are counted from the zone's midnight, and days without events are omitted") { makeUnit in
      let unit = try makeUnit()
      // Midnight in the zone three hours ahead of UTC.
      guard let zone = TimeZone(secondsFromGMT: 3 * 3600) else { throw Violation(description: "no time zone at +3 h") }
      let midnight = DeterministicDate.make(year: 2024, month: 1, day: 1, hour: 21)
      let day = 86_400.0
      let offsets = [-0.001, 0, 1, day - 0.001, day, 3 * day]
      for (number, offset) in offsets.enumerated() {
        try unit.upsertEvent(id: "evt-\(number)") {
          $0.eventTypeId = number == 1 ? "type-2" : "type-1"
          $0.timestamp = midnight.addingTimeInterval(offset)
        }
      }
      func date(_ days: Double) -> Date { midnight.addingTimeInterval(days * day) }
      for state in ["unsaved", "saved"] {
        try require(
          "all days, \(state)", unit.eventCountsByDay(in: nil, ofType: nil, timeZone: zone),
          [date(-1): 1, date(0): 3, date(1): 1, date(3): 1])
        try require(
          "one type, \(state)", unit.eventCountsByDay(in: nil, ofType: "type-2", timeZone: zone), [date(0): 1])
        try require(
          "a range that cuts a day, \(state)",
          unit.eventCountsByDay(in: midnight.addingTimeInterval(1)..<date(1), ofType: nil, timeZone: zone),
          [date(0): 2])
        try unit.save()
      }
    },
    Clause("a day with a daylight-saving change has its real length") { makeUnit in
      let unit = try makeUnit()
      guard let zone = TimeZone(identifier: "Europe/Amsterdam") else {
        throw Violation(description: "this machine lacks the time zone Europe/Amsterdam")
      }
      // 31 March 2024 has 23 hours in Amsterdam, from 23:00 to 22:00 UTC.
      let first = DeterministicDate.make(year: 2024, month: 3, day: 30, hour: 23)
      let next = DeterministicDate.make(year: 2024, month: 3, day: 31, hour: 22)
      for (id, date) in [("a", first), ("b", next.addingTimeInterval(-1)), ("c", next)] {
        try unit.upsertEvent(id: id) {
          $0.eventTypeId = "type-1"
          $0.timestamp = date
        }
      }
      try require(
        "the days", unit.eventCountsByDay(in: nil, ofType: nil, timeZone: zone), [first: 2, next: 1])
    },
  ]

  private static let start = DeterministicDate.jun15_2024

  private static func add(
    _ unit: any DataStoreProtocol, _ events: [(id: String, second: Double)], type: String = "type-1"
  )
    throws
  {
    for (id, second) in events {
      try unit.upsertEvent(id: id) {
        $0.eventTypeId = type
        $0.timestamp = start.addingTimeInterval(second)
      }
    }
  }
}
