import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct PlaceMergeCommand: Command {
  static let spec = CommandSpec(
    "place merge", .one("from", .place, "place to merge"), .one("into", .place, "place to keep"),
    summary: "Merge a place into another: its events are moved, and the place is deleted.", group: .define,
    examples: ["place merge home home"], columns: .placeColumns)

  private let fromName: String
  private let intoName: String

  init(_ session: Session) {
    (fromName, intoName) = (session.arguments.positionals[0], session.arguments.positionals[1])
  }

  struct Answer {
    var into: OnePlace
    var moved: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let (from, into) = try places(among: store.fetchAllGeofences(), session)
    let ids = Set(from.map(\.id))
    let events = try store.fetchAllEvents().filter { $0.geofenceId.map(ids.contains) ?? false }
    let moved = events.map { event in
      var event = event
      event.geofenceId = into.id
      event.locationName = into.name
      return event
    }
    let rules = try store.tripRules().filter { $0.conditions.placeIds.map { !ids.isDisjoint(with: $0) } ?? false }
    let turned = rules.map { rule in
      var rule = rule
      var seen: Set<String> = []
      rule.conditions.placeIds = rule.conditions.placeIds?.map { ids.contains($0) ? into.id : $0 }
        .filter { seen.insert($0).inserted }
      return rule
    }
    try container.record.perform(
      "place merge \(from[0].name) \(into.name)", moved.map { .event($0) } + turned.map { .rule($0) },
      before: from.map { .place($0) } + events.map { .event($0) } + rules.map { .rule($0) })
    return Answer(into: try OnePlace(into, in: container.makeStore()), moved: moved.count)
  }

  /// Returns the places to merge and the place to keep. The first argument selects all places with a name, or the place
  /// at a position.
  private func places(among places: [Geofence], _ session: Session) throws -> (from: [Geofence], into: Geofence) {
    func named(_ name: String) throws -> [Geofence] {
      let found = Lookup.places(name, among: places)
      return found.isEmpty ? [try Lookup.place(name, among: places)] : found
    }
    let from = try named(fromName)
    guard
      let merge = try Lookup.merge(
        from, into: named(intoName), target: { try Lookup.place(intoName, among: places) })
    else { throw session.usageError("'\(from[0].name)' is a single place; there is nothing to merge") }
    return merge
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    session.console.done("Moved \(Quantity(answer.moved, "event")).")
    return answer.into.show(session)
  }
}
