import CommandSupport
import TrendyModels
import TrendyTrips

enum PlaceText {
  static func line(_ place: Geofence) -> StyledText {
    let parts = [
      StyledText.Part(place.name, rank: .name),
      StyledText.Part(place.coordinate.text, rank: .detail),
      StyledText.Part("\(JSONText.number(place.radius)) m", rank: .detail), place.role.map { StyledText.Part($0) },
      place.isActive ? nil : StyledText.Part("(inactive)"), StyledText.Part(ShortID.of(place.id), .dim, rank: .id),
    ]
    return StyledText(parts.compactMap(\.self))
  }

  static func plain(_ place: Geofence) -> [String] {
    [place.id, place.name, "\(place.latitude)", "\(place.longitude)", "\(place.radius)", place.colorHex ?? ""]
  }

  static func json(_ place: Geofence) -> JSONText {
    .object([
      ("id", .string(place.id)), ("name", .string(place.name)), ("latitude", .number(place.latitude)),
      ("longitude", .number(place.longitude)), ("radius", .number(place.radius)),
      ("event_type_entry_id", .string(place.eventTypeEntryId)),
      ("event_type_exit_id", .string(place.eventTypeExitId)), ("is_active", .bool(place.isActive)),
      ("role", .string(place.role)), ("color", .string(place.colorHex)),
      ("notify_on_entry", .bool(place.notifyOnEntry)),
      ("notify_on_exit", .bool(place.notifyOnExit)),
      ("sync_status", .string(place.syncStatus.rawValue)),
    ])
  }
}

extension Coordinate {
  /// Latitude and longitude with typographic minus signs, as in `51.927, −4.362`.
  var text: String { "\("\(latitude)".withMinusSign), \("\(longitude)".withMinusSign)" }
}
