/// `--plain` columns shared by several commands.
extension [String] {
  /// Columns of ``EventText/plain(_:)``.
  static let eventColumns = ["id", "start", "end", "type", "note", "place", "key=value of each property"]
  /// Columns of ``TripText/plain``.
  static let tripColumns = ["id", "start", "end", "metres", "seconds", "witness of"]
  static let typeColumns = ["id", "name", "colour", "icon", "goal"]
  static let placeColumns = ["id", "name", "latitude", "longitude", "metres", "colour"]
  static let skipColumns = ["id", "type", "first day", "last day", "note"]
  static let vehicleColumns = ["id", "name", "default", "device ids"]
}
