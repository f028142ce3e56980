import Foundation
public import TrendyModels

/// Case from the table `cases.json`: a record and the results that devices, the hub and its pages must compute.
public struct RuleCase: Sendable {
  public let name: String
  public let record: RuleRecord
  /// IANA name of the reader's time zone.
  public let zone: String
  /// Start of a day in seconds after midnight.
  public let dayStart: Int
  private let expected: [String: JSONValue]

  /// Reads all cases from the table next to this source file.
  public static func all() throws -> [RuleCase] {
    let file = String(#filePath.dropLast("RuleCase.swift".count)) + "cases.json"
    let cases = try JSONDecoder().decode([JSONValue].self, from: Data(contentsOf: URL(filePath: file)))
    return try cases.map { try RuleCase($0.objectValue ?? [:]) }
  }

  private init(_ members: [String: JSONValue]) throws {
    func list<Wire: Decodable>(_ name: String) throws -> [Wire] {
      try members[name]?.arrayValue?.map { try ChangeEntryData(rawData: $0.objectValue ?? [:]).decode(Wire.self) } ?? []
    }
    func records(_ name: String, _ kind: MutationEntityType) -> [SyncedRecord] {
      members[name]?.arrayValue?.compactMap { $0.objectValue }.map { fields in
        SyncedRecord(id: fields["id"]?.stringValue ?? "", kind: kind, fields: fields.filter { $0.key != "id" })
      } ?? []
    }
    let types: [CreateEventTypeRequest] = try list("types")
    let definitions: [CreatePropertyDefinitionRequest] = try list("definitions")
    let events: [CreateEventRequest] = try list("events")
    let places: [CreateGeofenceRequest] = try list("geofences")
    name = members["name"]?.stringValue ?? ""
    zone = members["zone"]?.stringValue ?? ""
    dayStart = Int(members["day_start"]?.intValue ?? 0)
    expected = members["expected"]?.objectValue ?? [:]
    record = RuleRecord(
      now: members["now"]?.stringValue.flatMap { RFC3339.date(from: $0) } ?? .distantPast,
      types: types.map { EventType($0) }, definitions: definitions.map { PropertyDefinition($0) },
      records: records("skips", .skip) + records("settings", .setting), events: events.map { Event($0) },
      places: places.map { Geofence($0) })
  }

  /// Expected results of one kind, by type or event id: `actions`, `amounts`, `day_amounts`, `days`, `order`,
  /// `progress`, `skipped`, `streaks` or `trip_ends`.
  public func expected(_ kind: String) -> [String: JSONValue] { expected[kind]?.objectValue ?? [:] }
}
