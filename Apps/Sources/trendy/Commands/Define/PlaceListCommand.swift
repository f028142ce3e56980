import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols

struct PlaceListCommand: Command {
  static let spec = CommandSpec(
    "place list", summary: "List places.", group: .define, examples: ["place list", "place list --json"],
    columns: .placeColumns)

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [Geofence] { try session.openStore().makeStore().fetchAllGeofences() }

  func show(_ answer: [Geofence], _ session: Session) -> ExitCode {
    switch session.console.format {
    case .json: session.console.document("trendy.places/1", [("places", .array(answer.map(PlaceText.json)))])
    case .ndjson: for place in answer { session.console.data("\(PlaceText.json(place))") }
    case .plain:
      for place in answer { session.console.row(PlaceText.plain(place)) }
    case .text:
      if answer.isEmpty { session.console.text("No places yet. Add one: trendy place add home 51.9270,4.3620") }
      for place in answer { session.console.text(PlaceText.line(place)) }
      for hint in Lookup.mergeHints(for: answer, "places", command: "place merge", name: \.name) {
        session.console.talk(hint)
      }
    }
    return .done
  }
}
