import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// One place that a command answers with.
struct OnePlace {
  let place: Geofence
  /// Names of the types that coming and going record.
  private let entry: String?
  private let exit: String?
  private let visits: Int

  init(_ place: Geofence, in store: any DataStoreProtocol) throws {
    self.place = place
    entry = try place.eventTypeEntryId.flatMap { try store.findEventType(id: $0)?.name }
    exit = try place.eventTypeExitId.flatMap { try store.findEventType(id: $0)?.name }
    visits =
      try place.eventTypeEntryId.map { type in
        try store.events(in: nil, ofType: type, limit: nil).count { $0.geofenceId == place.id }
      } ?? 0
  }

  /// - Parameter isDetailed: whether people read all of it, and not one line that says what was done.
  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.place/1", [("place", PlaceText.json(place))])
    case .plain: session.console.row(PlaceText.plain(place))
    case .text where isDetailed:
      session.console.text(PlaceText.line(place))
      for (name, value) in rows { session.console.text("  \(name.padded(to: 8))\(value)") }
    case .text: session.console.done(PlaceText.line(place))
    }
    return .done
  }

  private var rows: [(String, String)] {
    let told = [place.notifyOnEntry ? "coming" : nil, place.notifyOnExit ? "going" : nil].compactMap(\.self)
    return [
      ("id", place.id), ("coming", entry.map { "records \($0)" } ?? "records nothing"),
      ("going", exit.map { "records \($0)" } ?? "ends the visit"),
      ("tells", told.isEmpty ? "of nothing" : "of \(told.joined(separator: " and "))"), ("visits", "\(visits)"),
    ] + (place.colorHex.map { [("colour", $0)] } ?? [])
  }
}
