import Foundation
public import TrendyFoundation
public import TrendyModels

/// Generated user record, with the results for days, streaks and goals that every implementation must compute from it.
///
/// ``Expectation`` computes these results with Foundation and simple loops, independently of the product.
public struct RuleRecord: Sendable {
  /// Current time.
  public let now: Date
  public let types: [EventType]
  public let definitions: [PropertyDefinition]
  /// Skips and settings.
  public let records: [SyncedRecord]
  public let events: [Event]
  public let places: [Geofence]

  /// Time zones of the readers and of the events: with and without clock changes, and with half-hour offsets.
  public static let zones = ["Europe/Amsterdam", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
  /// Starts of a day in seconds after midnight.
  public static let dayStarts = [0, 14_400, 66_600]

  /// Reference days. ``now`` is up to about a week after one of them. The 45 days before three of the reference days
  /// include clock changes.
  private static let days = [
    CivilDate(year: 2026, month: 3, day: 12), CivilDate(year: 2026, month: 4, day: 9),
    CivilDate(year: 2026, month: 7, day: 1), CivilDate(year: 2026, month: 11, day: 8),
  ]

  /// Goals in the order of the types, with `nil` for a type without a goal.
  private static let goals: [Goal?] = [
    nil, Goal(1, per: .day), Goal(2, per: .week), Goal(5400, .duration, per: .week), Goal(.atMost, 2, per: .day),
    Goal(1200, .duration, per: .day), Goal(.atMost, 4, per: .week),
  ]

  /// Generates a record whose content is determined by the seed.
  public init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let today = Self.days[Int(seed) % Self.days.count].advanced(by: Int.random(in: 0..<7, using: &random))
    let now = Date(
      timeIntervalSince1970: Double(today.daysSince1970) * 86_400 + Double(Int.random(in: 0..<86_400, using: &random)))
    self.now = now
    let types = Self.goals.enumerated().map { number, goal in
      var type = EventType(id: "type-\(number)", name: "Type \(number)", colorHex: "#3A7D44", iconName: "run")
      type.goal = goal
      return type
    }
    // Properties may have equal display orders, and their ids sort differently from their keys. A wrong sort order
    // therefore changes the results.
    let definitions = types.flatMap { type in
      ["b", "a"].enumerated().map { number, key in
        PropertyDefinition(
          id: "\(type.id)-\(["x", "y"].shuffled(using: &random)[0])\(number)", eventTypeId: type.id, key: key,
          label: key, propertyType: .duration, displayOrder: Int.random(in: 0...1, using: &random))
      }
    }
    var records: [SyncedRecord] = []
    for type in types {
      for number in 0..<Int.random(in: 0...2, using: &random) {
        let first = today.advanced(by: -Int.random(in: -3..<40, using: &random))
        let last = first.advanced(by: Int.random(in: 0..<9, using: &random))
        records.append(
          SyncedRecord(
            id: "skip-\(type.id)-\(number)", kind: .skip,
            fields: ["event_type_id": .string(type.id), "from": .string("\(first)"), "to": .string("\(last)")]))
      }
    }
    var events: [Event] = []
    for (number, type) in types.enumerated() {
      let density = Double.random(in: 0.3...0.95, using: &random)
      for ago in -2..<45 where Double.random(in: 0..<1, using: &random) < density {
        events.append(
          Self.event("\(number)-\(ago + 2)", of: type, on: today.advanced(by: -ago), now: now, using: &random))
      }
    }
    if var running = events.first(where: { $0.eventTypeId == "type-3" }) {
      running.endDate = nil
      running.isAllDay = false
      running.properties = [:]
      running.timestamp = now.addingTimeInterval(-Double(Int.random(in: 60..<7200, using: &random)))
      events.removeAll { $0.id == running.id }
      events.append(running)
      records.append(
        SyncedRecord(
          id: "running", kind: .setting, fields: ["key": "running", "value": .string(running.id)]))
    }
    (self.types, self.definitions, self.records, self.events) = (types, definitions, records, events)
    places = []
  }

  init(
    now: Date, types: [EventType], definitions: [PropertyDefinition], records: [SyncedRecord], events: [Event],
    places: [Geofence]
  ) {
    (self.now, self.types, self.definitions, self.records) = (now, types, definitions, records)
    (self.events, self.places) = (events, places)
  }

  private static func event(
    _ id: String, of type: EventType, on day: CivilDate, now: Date, using random: inout SeededGenerator
  ) -> Event {
    let zone = (zones + ["Pacific/Auckland", "Pacific/Honolulu"]).randomElement(using: &random) ?? "UTC"
    let midnight = Double(day.daysSince1970) * 86_400
    var event = Event(
      id: "event-\(id)", eventTypeId: type.id,
      timestamp: Date(timeIntervalSince1970: midnight + Double(Int.random(in: 0..<86_400, using: &random))),
      sourceType: .manual, timeZone: Int.random(in: 0..<4, using: &random) == 0 ? nil : zone)
    if Int.random(in: 0..<8, using: &random) == 0 {
      event.isAllDay = true
      event.timeZone = zone
      // Midnight in the zone, because the clocks of these zones do not change at midnight.
      let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: Date(timeIntervalSince1970: midnight)) ?? 0
      event.timestamp = Date(timeIntervalSince1970: midnight - Double(offset))
    } else if Bool.random(using: &random) {
      event.endDate = event.timestamp.addingTimeInterval(Double(Int.random(in: 60..<5400, using: &random)))
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: event.properties["count"] = .number(Double(Int.random(in: 0...6, using: &random)) / 2)
    case 1: event.properties["a"] = .duration(Double(Int.random(in: 1...80, using: &random)) * 60)
    case 2:
      event.properties["a"] = .duration(600)
      event.properties["b"] = .duration(1800)
    default: break
    }
    return event
  }
}
