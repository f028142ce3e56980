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

  /// Answers `/events/search`. A call goes through ``eventsAtOnce`` events at most, so that none takes long.
  func search(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let limit = Int(try call.integer("limit", in: 1...200, default: 50))
    let before = try call.moment("before") ?? SyncRange.stamp.upperBound
    let type = call.text("event_type_id")
    let words = (call.text("text") ?? "").lowercased().split(separator: " ").map(String.init)
    return .read { reading in
      var found: [HubEntry] = []
      var names: [String: String] = [:]
      for entry in try reading.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max) {
        names[entry.id] = entry.fields["name"]?.value.stringValue
      }
      let kind = SyncedKind.event.name
      var events = try reading.living(kind: kind, during: Int64.min..<before, limit: Self.eventsAtOnce)
      var next: Int64?
      if events.count == Self.eventsAtOnce, let last = events.last?.listMoment {
        // Those of one moment stay together, as the next call begins before it.
        events.removeAll { $0.listMoment == last }
        events += try reading.living(kind: kind, during: last..<last + 1, limit: .max)
        next = last
      }
      for event in events {
        if found.count >= limit, found.last?.listMoment != event.listMoment {
          next = found.last?.listMoment
          break
        }
        guard type == nil || event.fields["event_type_id"]?.value.stringValue == type else { continue }
        if event.matches(words, typeNames: names) { found.append(event) }
      }
      return .json([
        "events": .array(found.map { .object($0.document(person: sender.person)) }),
        "next": next.map { .string(RFC3339.string(from: Date(milliseconds: $0))) } ?? .null,
      ])
    }
  }

  private static let eventsAtOnce = 5000
}

extension HubReading {
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

extension HubEntry {
  /// Whether each word, in lower case, stands somewhere in what a person reads of the event.
  fileprivate func matches(_ words: [String], typeNames: [String: String]) -> Bool {
    guard !words.isEmpty else { return true }
    var text = fields["event_type_id"]?.value.stringValue.flatMap { typeNames[$0] } ?? ""
    for (name, field) in fields where name.hasPrefix("properties.") || Self.readable.contains(name) {
      // A route is no text that anybody reads.
      if name == "properties.route" { continue }
      let value = field.value.objectValue?["value"] ?? field.value
      if let part = value.stringValue { text += "\n" + part }
    }
    text = text.lowercased()
    return words.allSatisfy { text.contains($0) }
  }

  private static let readable: Set<String> = ["notes", "original_title", "location_name"]
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
