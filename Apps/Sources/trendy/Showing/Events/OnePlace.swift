import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct OnePlace {
  let place: Geofence
  /// Names of the event types recorded on entry and on exit, or `nil` if none is recorded.
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

  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.place/1", [("place", PlaceText.json(place))])
    case .plain: session.console.row(PlaceText.plain(place))
    case .text where isDetailed:
      session.console.text(PlaceText.line(place))
      for (name, value) in rows { session.console.text("  \(name.padded(to: 10))\(value)") }
    case .text: session.console.done(PlaceText.line(place))
    }
    return .done
  }

  private var rows: [(String, String)] {
    let notified = [place.notifyOnEntry ? "entry" : nil, place.notifyOnExit ? "exit" : nil].compactMap(\.self)
    return [
      ("id", ShortID.of(place.id)), ("entry", entry.map { "records \($0)" } ?? "records nothing"),
      ("exit", exit.map { "records \($0)" } ?? "ends the visit"),
      ("notifies", notified.isEmpty ? "never" : "on \(notified.joined(separator: " and "))"), ("visits", "\(visits)"),
    ] + (place.colorHex.map { [("colour", $0)] } ?? [])
  }
}
