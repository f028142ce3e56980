import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// `trendy place merge`
struct PlaceMergeCommand: Command {
  static let spec = CommandSpec(
    "place merge", .one("from", .place, "the place that goes"), .one("into", .place, "the place that stays"),
    summary: "Make two places one: events at the first are at the second, and the first goes.", group: .define,
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

  /// All places of the first name, and the one of the second. Of places of one name the first by its id remains.
  private func places(
    among places: [Geofence], _ session: Session
  ) throws(CommandError) -> (from: [Geofence], into: Geofence) {
    let (from, into) = (Lookup.places(fromName, among: places), Lookup.places(intoName, among: places))
    guard !from.isEmpty, Set(from.map(\.id)) == Set(into.map(\.id)) else {
      let target = try Lookup.place(intoName, among: places)
      let others = from.filter { $0.id != target.id }
      return (others.isEmpty ? [try Lookup.place(fromName, among: places)] : others, target)
    }
    guard from.count > 1, let first = from.min(by: { $0.id < $1.id }) else {
      throw session.usageError("'\(from[0].name)' is one place already")
    }
    return (from.filter { $0.id != first.id }, first)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    session.console.done("\(Quantity(answer.moved, "event")) moved")
    return answer.into.show(session)
  }
}
