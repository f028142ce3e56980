import Foundation
import TrendyModels

// Reads of events by time: what pages show, without the reader having to hold the whole record.

extension HubServer {
  /// Answers `/events/days`.
  func countByDay(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let days = try PersonDays(call)
    let from = try call.civilDate("from")
    let to = try call.civilDate("to")
    guard from <= to, from.distance(to: to) <= 800 else {
      throw Problem.invalid("to: expected a date from \(from) to \(from.advanced(by: 800)), found \(to)")
    }
    return .read { [dayCounts] reading in
      // An all-day event may lie elsewhere by its moment than by its date.
      let moments = days.start(of: from) - days.longestShift..<days.start(of: to.advanced(by: 1)) + days.longestShift
      let (months, first) = try dayCounts.counts(of: sender.person, reading, days: days, during: moments)
      var table = DayCountTable(from...to)
      for month in months { month.here.forEach { table.add($2, of: $1, on: $0) } }
      return .json(written: table.text(firstDate: first))
    }
  }
}

extension HubReading {
  /// Events that one source brought, the latest first.
  func events(from source: EventSourceType, during moments: Range<Int64>, limit: Int) throws -> [HubEntry] {
    // Of so many that not all are wanted, no more is read than needed.
    var found: [Int64] = []
    try eachEvent(during: moments) { event, _ in if event.sourceType == source { found.append(event.moment) } }
    found.sort(by: >)
    guard let first = found.prefix(limit).last else { return [] }
    var entries: [HubEntry] = []
    try eachEvent(during: first..<moments.upperBound) { event, entry in
      if event.sourceType == source { entries.append(try entry()) }
    }
    entries.sort { ($0.listMoment, $0.id) > ($1.listMoment, $1.id) }
    return Array(entries.prefix(limit))
  }

  /// The one with the earliest moment.
  func firstLiving(kind: String) throws -> HubEntry? {
    // By halving: a list has its latest first, and is not gone through for its end.
    var (low, high) = (Int64.min / 4, Int64.max / 4)
    guard var first = try living(kind: kind, during: low..<high, limit: 1).first else { return nil }
    high = first.listMoment
    while low < high {
      let middle = low + (high - low) / 2
      if let earlier = try living(kind: kind, during: Int64.min / 4..<middle, limit: 1).first {
        first = earlier
        high = earlier.listMoment
      } else {
        low = middle + 1
      }
    }
    return first
  }
}

extension HubCall {
  /// The range that `from` and `to` name, in milliseconds since 1970.
  func moments() throws(Problem) -> Range<Int64> {
    let from = try moment("from") ?? Int64.min / 4
    let to = try moment("to") ?? Int64.max / 4
    guard from <= to else { throw .invalid("to: expected a moment that is not before from") }
    return from..<to
  }

  func moment(_ name: String) throws(Problem) -> Int64? {
    guard let text = text(name) else { return nil }
    guard let date = RFC3339.date(from: text) else {
      throw .invalid("\(name): expected an RFC 3339 date, found \"\(text.prefix(40))\"")
    }
    return date.milliseconds
  }

  func civilDate(_ name: String) throws(Problem) -> CivilDate {
    let text = text(name) ?? ""
    guard let date = CivilDate(text) else {
      throw .invalid("\(name): expected a date like 2026-11-22, found \"\(text.prefix(40))\"")
    }
    return date
  }
}
