public import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TrendyModels

extension Event {
  /// An event as the documents of all programs have it.
  /// - Parameters:
  ///   - typeName: `nil` where the type is not known here.
  ///   - isRunning: whether it was started and not stopped yet.
  public func json(typeName: String?, isRunning: Bool, in local: LocalTime) -> JSONText {
    var members: [(String, JSONText)] = [
      ("id", .string(id)),
      ("event_type", .object([("id", .string(eventTypeId)), ("name", .string(typeName))])),
      ("timestamp", .string(local.rfc3339(timestamp))),
      ("end_date", .string(endDate.map { local.rfc3339($0) })),
      ("time_zone", .string(timeZone)),
      ("is_all_day", .bool(isAllDay)), ("is_running", .bool(isRunning)),
    ]
    if isAllDay {
      members.append(("date", .string(local.date(of: self).description)))
      if let endDate { members.append(("last_date", .string(local.date(endDate, of: self).description))) }
    }
    let properties = properties.sorted { $0.key < $1.key }.map { key, value in
      (key, JSONText.object([("type", .string(value.type.rawValue)), ("value", .value(value.value))]))
    }
    members += [
      ("properties", .object(properties)), ("notes", .string(notes)),
      ("source_type", .string(wireSourceType)), ("external_id", .string(externalId)),
      ("original_title", .string(originalTitle)), ("geofence_id", .string(geofenceId)),
      ("location_latitude", .number(locationLatitude)),
      ("location_longitude", .number(locationLongitude)), ("location_name", .string(locationName)),
      ("sync_status", .string(syncStatus.rawValue)),
    ]
    return .object(members)
  }
}
