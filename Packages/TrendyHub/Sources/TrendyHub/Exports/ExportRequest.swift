import Foundation
import TrendyInterchange
import TrendyModels

/// Part of a record to export, and the file format.
struct ExportRequest: Sendable {
  enum Form: String, CaseIterable, Sendable {
    case csv, json, ics, gpx, ndjson

    var mediaType: String {
      switch self {
      case .csv: "text/csv"
      case .json: "application/json"
      case .ics: "text/calendar"
      case .gpx: "application/gpx+xml"
      case .ndjson: "application/x-ndjson"
      }
    }
  }

  let form: Form
  let days: PersonDays
  let first: CivilDate?
  let last: CivilDate?
  let typeId: String?

  init(_ call: HubCall) throws(Problem) {
    let known = Form.allCases.map(\.rawValue).joined(separator: ", ")
    guard let form = Form(rawValue: call.text("form") ?? "") else {
      throw .invalid("form: expected one of \(known), found \"\((call.text("form") ?? "").prefix(40))\"")
    }
    let chosen = ["from", "to", "event_type_id"].filter { call.text($0) != nil }
    if form == .ndjson, let name = chosen.first { throw .invalid("\(name): ndjson is the whole record") }
    if form == .gpx, chosen.contains("event_type_id") { throw .invalid("event_type_id: fixes are of no type") }
    self.form = form
    days = try PersonDays(call)
    first = call.text("from") == nil ? nil : try call.civilDate("from")
    last = call.text("to") == nil ? nil : try call.civilDate("to")
    typeId = call.text("event_type_id")
    if let first, let last, last < first { throw .invalid("to: expected \(first) or later, found \(last)") }
  }

  /// Range of event times in milliseconds since 1970.
  ///
  /// It is wider than the requested dates, because the timestamp of an all-day event may be on another date in the
  /// requested zone.
  var moments: Range<Int64> {
    let start = first.map { days.start(of: $0) - days.longestShift } ?? Int64.min / 4
    return start..<(last.map { days.start(of: $0.advanced(by: 1)) + days.longestShift } ?? Int64.max / 4)
  }

  /// Range of fix times; `nil` for all.
  var span: ClosedRange<Date>? {
    guard first != nil || last != nil else { return nil }
    let start = first.map { Date(milliseconds: days.start(of: $0)) } ?? .distantPast
    return start...(last.map { Date(milliseconds: days.start(of: $0.advanced(by: 1)) - 1) } ?? .distantFuture)
  }

  /// Returns whether an event is to be exported.
  func contains(_ entry: HubEntry) -> Bool {
    guard let event = HubEventMoment(entry), typeId == nil || event.eventTypeId == typeId else { return false }
    guard first != nil || last != nil else { return true }
    let date = days.date(of: event)
    return first.map { $0 <= date } ?? true && last.map { date <= $0 } ?? true
  }

  /// File name such as `trendy-2026-11-01-2026-11-20.csv`.
  func fileName(now: Date) -> String {
    let dates = [first, last].compactMap(\.self)
    let words = (dates.isEmpty ? [days.day(of: now)] : dates).map { "\($0)" }
    return "trendy-\(words.joined(separator: "-")).\(form.rawValue)"
  }
}
