import Foundation
import TrendyModels

/// Handlers that count and search events, for clients that do not store the whole record.
struct EventHandlers: Sendable {
  let dayCounts: DayCountCache
  private let texts = TrigramFilter()

  init(dayCounts: DayCountCache) { self.dayCounts = dayCounts }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "events/days", name: "countEventsByDay", summary: "Returns the number of events of each type by day.",
        query: [
          .init("from", .day, "first date, such as 2026-11-01"),
          .init("to", .day, "last date, at most 800 days later"),
        ] + .days,
        answers: [
          .json(
            200, "the days with events",
            .object([
              .required("days", .list(.object([.required("date", .string), .required("counts", .map(.counter))]))),
              .required("first_date", .nullable(.string)),
              .required("levels", .map(.list(.number(0...Double.greatestFiniteMagnitude)))),
              .required("weekdays", .map(.integer(0...6))),
            ]))
        ], .record(countByDay)),
      HubRoute(
        .get, "events/search", name: "searchEvents",
        summary: "Searches events by text and type, newest first; each response covers a part of them.",
        query: [
          .init("text", .string, "words in notes, titles, places, properties and types"),
          .init("event_type_id", .string, "only events of this type"),
          .init("geofence_id", .string, "only events at this place"),
          .init("before", .date, "member next of the previous response"),
          .init("limit", .integer(1...200), "maximum number of events; default 50"),
        ],
        answers: [
          .json(
            200, "the events found, and where to continue",
            .object([
              .required("events", .list(.entity(.event))), .required("trips", .list(.named("TripSummary"))),
              .required("next", .nullable(.date)),
            ]))
        ], .record(search)),
    ]
  }

  private func countByDay(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let local = try LocalTime(call)
    let from = try call.civilDate("from")
    let to = try call.civilDate("to")
    guard from <= to, from.distance(to: to) <= 800 else {
      throw Problem.invalid("to: expected a date from \(from) to \(from.advanced(by: 800)), found \(to)")
    }
    return .read { [dayCounts] reading in
      let (months, first) = try dayCounts.counts(of: sender.user, reading, local: local, on: from...to)
      var table = DayCountTable(from...to)
      for month in months { month.forEach { table.add($2, of: $1, on: $0) } }
      return .json(written: table.text(firstDate: first))
    }
  }

  /// Searches events. Examines at most ``EventSearch/eventsAtOnce`` events to bound the duration of a request.
  private func search(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let search = EventSearch(
      words: (call.text("text") ?? "").lowercased().split(separator: " ").map(String.init),
      typeId: call.text("event_type_id"), placeId: call.text("geofence_id"))
    let limit = Int(try call.integer("limit", in: 1...200, default: 50))
    let before = try call.moment("before") ?? SyncRange.stamp.upperBound
    return .read { [texts] reading in
      let (found, next) = try texts.search(of: sender.user, reading) {
        try search.run(reading, before: before, limit: limit, texts: &$0)
      }
      return .json([
        "events": .array(found.map { .object($0.document(user: sender.user)) }),
        "trips": try reading.summaries(of: found),
        "next": next.map { .string(RFC3339.string(from: Date(milliseconds: $0))) } ?? .null,
      ])
    }
  }
}

extension HubReadTransaction {
  /// Returns the events from one source, latest first.
  func events(from source: EventSourceType, during moments: Range<Int64>, limit: Int) throws -> [HubEntry] {
    // Find the earliest timestamp within the limit first, so only later events need to be decoded.
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

  /// Returns the live entity with the earliest timestamp.
  func firstLiving(kind: String) throws -> HubEntry? {
    // Bisect by timestamp: lists are sorted latest first, and reading to the end of one would take too long.
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
  /// Range between the parameters `from` and `to`, in milliseconds since 1970.
  func moments() throws(Problem) -> Range<Int64> {
    let from = try moment("from") ?? Int64.min / 4
    let to = try moment("to") ?? Int64.max / 4
    guard from <= to else { throw .invalid("to: expected a time that is not before from") }
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
      throw .invalid("\(name): expected a date such as 2026-11-22, found \"\(text.prefix(40))\"")
    }
    return date
  }
}
