public import CommandSupport
import TrendyFoundation
public import TrendyModels

extension Event {
  /// Returns the event as a JSON object in the format used by all commands and hooks.
  ///
  /// `typeName` is `nil` if the event type is unknown.
  public func json(typeName: String?, isRunning: Bool, in local: LocalTime) -> JSONText {
    var writer = JSONWriter()
    writer.string("id", id)
    writer.object("event_type") { type in
      type.string("id", eventTypeId)
      type.string("name", typeName)
    }
    writer.string("timestamp", local.rfc3339(timestamp))
    writer.string("end_date", endDate.map { local.rfc3339($0) })
    writer.string("time_zone", timeZone)
    writer.bool("is_all_day", isAllDay)
    writer.bool("is_running", isRunning)
    if isAllDay {
      writer.string("date", local.date(of: self).description)
      if let endDate { writer.string("last_date", local.date(endDate, of: self).description) }
    }
    writer.object("properties") { properties in
      for (key, value) in self.properties.sorted(by: { $0.key < $1.key }) {
        properties.object(named: key) { property in
          property.string("type", value.type.rawValue)
          property.value("value", value.value)
        }
      }
    }
    writer.string("notes", notes)
    writer.string("source_type", wireSourceType)
    writer.string("external_id", externalId)
    writer.string("original_title", originalTitle)
    writer.string("geofence_id", geofenceId)
    writer.number("location_latitude", locationLatitude)
    writer.number("location_longitude", locationLongitude)
    writer.string("location_name", locationName)
    writer.string("sync_status", syncStatus.rawValue)
    return writer.finish()
  }
}
