#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels
public import TrendyProtocols

/// What a widget or a status bar shows of the day: how often each type was recorded, and for how many days in a row.
public struct TodaySnapshot: Hashable, Sendable {
  public struct Count: Hashable, Sendable {
    public var eventTypeId: String
    public var name: String
    public var iconName: String
    public var colorHex: String
    /// Events of today.
    public var count: Int
    /// Days in a row with one, to today or yesterday; skipped days neither break nor add.
    public var streak: Int
  }

  /// `2026-11-22`.
  public var day: String
  /// By name.
  public var counts: [Count]

  public var total: Int { counts.map(\.count).reduce(0, +) }

  /// Of the day that `now` is in; `local` says when days begin.
  public init(store: any DataStoreProtocol, now: Date, in local: LocalTime = LocalTime()) throws {
    let today = DayNumber(now, local)
    day = today.text
    var rows: [String: Count] = [:]
    for type in try store.fetchAllEventTypes() {
      rows[type.id] = Count(
        eventTypeId: type.id, name: type.name, iconName: type.iconName, colorHex: type.colorHex, count: 0, streak: 0)
    }
    let skips = try Self.skips(in: store, local)
    var days: [String: Set<Int>] = [:]
    var end = local.startOfDay(now, addingDays: 1)
    var span = 32
    // Further back as long as somebody's row reaches to where was looked.
    while true {
      let start = local.startOfDay(end, addingDays: -span)
      // What is of a whole day stands at midnight, before the day begins.
      let first = local.midnight(start)
      for event in try store.events(in: first..<end, ofType: nil, limit: nil) {
        let moment = local.moment(of: event)
        guard (start..<end).contains(moment) else { continue }
        let day = DayNumber(moment, local).value
        days[event.eventTypeId, default: []].insert(day)
        if day == today.value { rows[event.eventTypeId]?.count += 1 }
      }
      let firstDay = DayNumber(start, local).value
      var isOpen = false
      for id in rows.keys {
        let streak = Self.streak(days[id] ?? [], skipped: skips[id] ?? [], today: today.value, from: firstDay)
        rows[id]?.streak = streak.days
        if streak.isOpen { isOpen = true }
      }
      guard isOpen else { break }
      end = start
      span *= 2
    }
    counts = rows.values.sorted { ($0.name.lowercased(), $0.eventTypeId) < ($1.name.lowercased(), $1.eventTypeId) }
  }

  /// - Returns: the days in a row, and whether there may be more before the first day that was looked at.
  static func streak(
    _ days: Set<Int>, skipped: [ClosedRange<Int>], today: Int, from first: Int
  ) -> (days: Int, isOpen: Bool) {
    var count = 0
    var day = today
    while day >= first {
      if days.contains(day) {
        count += 1
      } else if day != today, !skipped.contains(where: { $0.contains(day) }) {
        // Today can still come.
        return (count, false)
      }
      day -= 1
    }
    return (count, count > 0 || skipped.contains { $0.contains(first) })
  }

  /// By type, in numbers of days.
  private static func skips(in store: any DataStoreProtocol, _ local: LocalTime) throws -> [String: [ClosedRange<Int>]]
  {
    var skips: [String: [ClosedRange<Int>]] = [:]
    for skip in try store.fetchRecords(kind: .skip).compactMap(Skip.init) {
      let (from, to) = (skip.days.lowerBound, skip.days.upperBound)
      // What ends at midnight takes nothing of the day that begins.
      skips[skip.eventTypeId, default: []].append(
        DayNumber(from, local).value...DayNumber(max(from, to - 0.001), local).value)
    }
    return skips
  }
}

/// A day of the person, counted.
private struct DayNumber {
  let value: Int
  let text: String

  init(_ date: Date, _ local: LocalTime) {
    let fields = local.components(of: local.startOfDay(date))
    // The same day in UTC, so that days are 86,400 seconds apart.
    let midnight = LocalTime(isUTC: true, zoneName: nil).date(year: fields.year, month: fields.month, day: fields.day)
    value = Int((midnight.timeIntervalSince1970 / 86_400).rounded(.down))
    text = String(RFC3339.string(from: midnight).prefix(10))
  }
}
