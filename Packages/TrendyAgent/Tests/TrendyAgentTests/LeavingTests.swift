import Foundation
import Testing
import TrendyAgent
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting
import TrendyTrips

/// Export and import of a whole record, with every kind and every field in `SyncedKind`.
@Suite("Leaving", .timeLimit(.minutes(5)))
struct LeavingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-leaving-\(UUID().uuidString)")
  private let clock = ManualClock(
    now: DeterministicDate.make(year: 2026, month: 11, day: 1, hour: 9, minute: 0, second: 0))

  private func record(_ name: String) throws -> DeviceRecord {
    try DeviceRecord(directory: folder.appending(path: name), clock: clock)
  }

  /// Returns a valid, non-default value for a field.
  private func value(_ field: SyncedKind.Field, of kind: String) -> JSONValue {
    switch (kind, field.name) {
    case (_, "event_type_id"), (_, "event_type_entry_id"), (_, "event_type_exit_id"): return "type"
    case (_, "geofence_id"): return "place"
    case ("event", "source_type"): return "healthkit"
    case ("event", "end_date"): return "2026-10-31T10:30:00.125Z"
    case ("skip", "to"): return "2026-11-02"
    case ("property_definition", "property_type"): return "select"
    case ("property_definition", "key"): return "size"
    case ("event", "time_zone"): return "Pacific/Apia"
    default: break
    }
    switch field.type {
    case .text: return .string("\(field.name): two\nlines, \"quoted\" and ☕")
    case .word(let words): return .string(words[words.count - 1])
    case .identifier: return "type"
    case .date: return "2026-10-31T09:00:00.250Z"
    case .day: return "2026-10-31"
    case .boolean: return .bool(field.name != "is_active" && field.name != "is_all_day")
    case .number(let range): return .double(min(range.upperBound, 77.125))
    case .integer(let range): return .int(min(range.upperBound, 7))
    case .textList: return ["small", "very, \"large\""]
    case .object: return ["weekdays": [1, 2]]
    case .members(let fields):
      return .object(Dictionary(uniqueKeysWithValues: fields.map { ($0.name, value($0, of: kind)) }))
    case .any: return .string("any: \(field.name)")
    }
  }

  private func line(_ kind: String, _ id: String, _ fields: [String: JSONValue]) throws -> String {
    let members = fields.merging(["record": .string(kind), "id": .string(id)]) { $1 }
    return String(decoding: try WireJSON.encode(JSONValue.object(members)), as: UTF8.self) + "\n"
  }

  private func put(_ lines: String, into record: DeviceRecord) throws -> ImportReport {
    let format = try #require(InterchangeFormat.named("ndjson"))
    let options = ImportOptions(zone: ZoneClock(name: "UTC") { _ in 0 }, now: clock.now)
    return try record.importRecords(
      ByteInput(Array((TrendyNDJSON.header + "\n" + lines).utf8)), as: format,
      ImportRequest(source: "all.ndjson", options: options, fingerprint: "\(record.directory.lastPathComponent)"))
  }

  /// Returns the lines of an export by kind.
  private func lines(of record: DeviceRecord) throws -> [String: [String]] {
    var lines: [String: [String]] = [:]
    try record.forEachRecord { entry in
      let line = try #require(try TrendyNDJSON.line(entry))
      let kind = try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue?["record"]?.stringValue
      lines[kind ?? "", default: []].append(line)
    }
    return lines
  }

  private func hash(_ lines: [String]) -> [UInt8] { StableHash.sha256(Array(lines.sorted().joined().utf8)) }

  @Test func `every kind with every field is equal in the store that imports it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let kinds = SyncedKind.all.filter { $0.name != "conflict" }
    var given: [String: [String: JSONValue]] = [:]
    var lines = ""
    for kind in kinds {
      var fields = Dictionary(uniqueKeysWithValues: kind.fields.map { ($0.name, value($0, of: kind.name)) })
      // A field from a newer version, which this version does not know.
      fields["x_newer"] = ["kept": true]
      if kind.name == "event" {
        fields["properties"] = .object(
          Dictionary(
            uniqueKeysWithValues: PropertyType.allCases.map { type in
              let value: JSONValue =
                switch type {
                case .number, .duration: 12.5
                case .boolean: true
                case .date: "2026-01-02"
                default: .string("text of \(type.rawValue)")
                }
              return ("p \(type.rawValue)", ["type": .string(type.rawValue), "value": value] as JSONValue)
            }))
      }
      let id = ["event_type": "type", "geofence": "place"][kind.name] ?? "one-\(kind.name)"
      given[kind.name] = fields
      lines += try line(kind.name, id, fields)
    }
    let common: [String: JSONValue] = ["event_type_id": "type", "properties": [:], "source_type": "manual"]
    // A running event, an all-day event, and an event from a time zone with another date.
    lines += try line(
      "event", "running", common.merging(["timestamp": "2026-11-01T08:59:59.999Z", "is_all_day": false]) { $1 })
    lines += try line(
      "event", "day",
      common.merging(["timestamp": "2026-10-30T10:00:00.000Z", "is_all_day": true, "time_zone": "Pacific/Apia"]) { $1 })
    let source = try record("source")
    let report = try put(lines, into: source)
    #expect(report.problems.isEmpty && report.badCount == 0, "\(report.problems)")
    let type = try source.type(.odometer)
    let reading = Event(
      id: source.makeID(), eventTypeId: type.id, timestamp: clock.now, properties: ["reading": .number(48_210_000)])
    #expect(try source.recorder.record(reading))
    let out = try self.lines(of: source)
    for kind in kinds {
      let written = try #require(out[kind.name]?.first { $0.contains("x_newer") }, "\(kind.name)")
      let members = try #require(try WireJSON.decode(JSONValue.self, from: Data(written.utf8)).objectValue)
      for (name, value) in try #require(given[kind.name]) {
        #expect(members[name] == value, "\(kind.name).\(name)")
      }
    }
    let target = try record("target")
    let taken = try put(
      out.values.flatMap { $0 }.sorted {
        ($0.contains("\"record\":\"event_type\"") ? 0 : 1) < ($1.contains("\"record\":\"event_type\"") ? 0 : 1)
      }.joined(),
      into: target)
    #expect(taken.problems.isEmpty, "\(taken.problems)")
    let back = try self.lines(of: target)
    #expect(Set(back.keys) == Set(out.keys) && Set(out.keys).isSuperset(of: kinds.map(\.name)))
    for kind in out.keys.sorted() { #expect(hash(out[kind] ?? []) == hash(back[kind] ?? []), "\(kind)") }
    #expect(
      try target.makeStore().fetchAllEvents().sorted { $0.id < $1.id }.map(\.timestamp)
        == source.makeStore().fetchAllEvents().sorted { $0.id < $1.id }.map(\.timestamp))
  }
}
