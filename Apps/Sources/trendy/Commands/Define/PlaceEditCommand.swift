import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct PlaceEditCommand: Command {
  static let spec = CommandSpec(
    "place edit", .one("name", .place, "name"), summary: "Change a place; omitted fields stay unchanged.",
    group: .define,
    examples: ["place edit Home --name \"Old home\" --relabel", "place edit Office --radius 150 --role office"],
    options: PlaceOptions.all + [
      OptionSpec("--name", value: "text", kind: .text, help: "new name"),
      OptionSpec("--at", value: "lat,lon", kind: .text, help: "new position"),
      OptionSpec("--active", help: "record visits again"),
      OptionSpec("--relabel", help: "also rename past visits"),
      Field.option,
    ], columns: .placeColumns)

  private enum Field: String, ClearableField {
    case enter
    case exit
    case role
    case colour
  }

  private let name: String
  private let newName: String?
  private let coordinate: Coordinate?
  private let options: PlaceOptions
  private let isActivated: Bool
  private let relabels: Bool
  private let cleared: [Field]

  init(_ session: Session) throws {
    let arguments = session.arguments
    name = arguments.positionals[0]
    newName = arguments.value("--name")
    if let newName { try PlaceOptions.check(name: newName, session) }
    coordinate = try arguments.value("--at").map { try PlaceOptions.coordinate($0, session) }
    options = try PlaceOptions(session)
    isActivated = arguments.has("--active")
    relabels = arguments.has("--relabel")
    if relabels, newName == nil { throw session.usageError("--relabel requires --name") }
    if isActivated, options.isInactive { throw session.usageError("--active and --inactive cannot be combined") }
    cleared = try Field.named(session)
  }

  struct Answer {
    var place: OnePlace
    /// Number of renamed past visits.
    var relabelled: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let old = try Lookup(store: store).place(name)
    var place = old
    if let newName {
      let isTaken = try store.fetchAllGeofences().contains {
        $0.id != old.id && $0.name.lowercased() == newName.lowercased()
      }
      if isTaken { throw session.usageError("A place '\(newName)' already exists") }
      place.name = newName
    }
    if let coordinate { (place.latitude, place.longitude) = (coordinate.latitude, coordinate.longitude) }
    for field in cleared {
      switch field {
      case .enter: place.eventTypeEntryId = nil
      case .exit: place.eventTypeExitId = nil
      case .role: place.role = nil
      case .colour: place.colorHex = nil
      }
    }
    if isActivated { place.isActive = true }
    try options.apply(to: &place, in: store)
    guard place != old else {
      try session.reportNothingChanged(of: Self.spec.options)
      return Answer(place: try OnePlace(place, in: store), relabelled: 0)
    }
    let visits = relabels ? try store.fetchAllEvents().filter { $0.geofenceId == old.id } : []
    let relabelled = visits.map { visit in
      var visit = visit
      visit.locationName = place.name
      return visit
    }
    try container.record.perform(
      "place edit \(old.name)", [.place(place)] + relabelled.map { .event($0) },
      before: [.place(old)] + visits.map { .event($0) })
    return Answer(place: try OnePlace(place, in: container.makeStore()), relabelled: relabelled.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if relabels { session.console.done("Renamed \(Quantity(answer.relabelled, "visit")).") }
    return answer.place.show(session)
  }
}
