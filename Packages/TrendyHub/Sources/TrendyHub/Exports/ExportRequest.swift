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
  let local: LocalTime
  let first: CivilDate?
  let last: CivilDate?
  let typeId: String?

  init(_ call: HubCall) throws(Problem) {
    let known = Form.allCases.map(\.rawValue).joined(separator: ", ")
    guard let form = Form(rawValue: call.text("form") ?? "") else {
      throw .invalid("form: expected one of \(known), found \"\((call.text("form") ?? "").prefix(40))\"")
    }
    let chosen = ["from", "to", "event_type_id"].filter { call.text($0) != nil }
    if form == .ndjson, let name = chosen.first {
      throw .invalid("\(name): not allowed with ndjson, which exports the whole record")
    }
    if form == .gpx, chosen.contains("event_type_id") {
      throw .invalid("event_type_id: not allowed with gpx, because fixes have no type")
    }
    self.form = form
    local = try LocalTime(call)
    first = call.text("from") == nil ? nil : try call.civilDate("from")
    last = call.text("to") == nil ? nil : try call.civilDate("to")
    typeId = call.text("event_type_id")
    if let first, let last, last < first { throw .invalid("to: expected \(first) or later, found \(last)") }
  }

  /// Range of event timestamps to read, in milliseconds since 1970.
  ///
  /// The range is wider than the requested days, because an event's day depends on the time zone in which it was
  /// recorded.
  var moments: Range<Int64> {
    let start = first.map { local.milliseconds(of: $0...$0).lowerBound } ?? Int64.min / 4
    return start..<(last.map { local.milliseconds(of: $0...$0).upperBound } ?? Int64.max / 4)
  }

  /// Range of fix timestamps, or `nil` for all fixes.
  var span: ClosedRange<Date>? {
    guard first != nil || last != nil else { return nil }
    let start = first.map { local.start(of: $0) } ?? .distantPast
    return start...(last.map { local.start(of: $0.advanced(by: 1)).addingTimeInterval(-0.001) } ?? .distantFuture)
  }

  func contains(_ entry: HubEntry) -> Bool {
    guard let event = HubEventMoment(entry), typeId == nil || event.eventTypeId == typeId else { return false }
    guard first != nil || last != nil else { return true }
    let day = local.day(of: event)
    return first.map { $0 <= day } ?? true && last.map { day <= $0 } ?? true
  }

  /// File name such as `trendy-2026-11-01-2026-11-20.csv`.
  func fileName(now: Date) -> String {
    let dates = [first, last].compactMap(\.self)
    let words = (dates.isEmpty ? [local.day(of: now)] : dates).map { "\($0)" }
    return "trendy-\(words.joined(separator: "-")).\(form.rawValue)"
  }
}
