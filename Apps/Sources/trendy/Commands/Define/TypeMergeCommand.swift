import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// `trendy type merge`
struct TypeMergeCommand: Command {
  static let spec = CommandSpec(
    "type merge", .one("from", .eventType, "the type that goes"), .one("into", .eventType, "the type that stays"),
    summary: "Make two types one: the events of the first become of the second, and the first goes.", group: .define,
    examples: ["type merge kaffee coffee"], options: [.yes])

  private let fromName: String
  private let intoName: String

  init(_ session: Session) {
    (fromName, intoName) = (session.arguments.positionals[0], session.arguments.positionals[1])
  }

  struct Answer {
    var from: EventType
    var into: OneEventType
    var moved: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let lookup = Lookup(store: store)
    let from = try lookup.eventType(fromName) { "trendy type add \($0)" }
    let into = try lookup.eventType(intoName) { "trendy type add \($0)" }
    guard from.id != into.id else { throw session.usageError("'\(from.name)' is one type already") }
    let events = try store.events(in: nil, ofType: from.id, limit: nil)
    let definitions = try store.definitions(of: from)
    let known = try store.definitions(of: into)
    for definition in definitions {
      guard let other = known.first(where: { $0.key == definition.key }) else { continue }
      guard other.propertyType == definition.propertyType else {
        throw CommandError(
          "'\(definition.key)' is a \(definition.propertyType.rawValue) of '\(from.name)' and a "
            + "\(other.propertyType.rawValue) of '\(into.name)'",
          hint: "Rename one: trendy type prop edit \(ShellWords.quoted(from.name)) \(definition.key) --key OTHER",
          exit: .refused)
      }
    }
    try session.confirm("'\(from.name)' goes, and \(Quantity(events.count, "event")) become '\(into.name)'.")
    // What can be said of the first can be said of the second from now on.
    let order = (known.map(\.displayOrder).max() ?? -1) + 1
    let added = definitions.filter { definition in !known.contains { $0.key == definition.key } }.enumerated().map {
      PropertyDefinition(
        id: container.makeID(), eventTypeId: into.id, key: $1.key, label: $1.label, propertyType: $1.propertyType,
        options: $1.options, defaultValue: $1.defaultValue, displayOrder: order + $0)
    }
    let moved = events.map { event in
      var event = event
      event.eventTypeId = into.id
      return event
    }
    let others = try Self.references(to: from, in: store)
    let heir = Self.heir(of: from.goal, into)
    try container.record.perform(
      "type merge \(from.name) \(into.name)",
      heir.map { .eventType($0) } + added.map { .property($0) } + moved.map { .event($0) }
        + others.map { $0.turned(from.id, into: into.id) },
      before: heir.map { _ in .eventType(into) } + [.eventType(from)] + definitions.map { .property($0) }
        + events.map { .event($0) } + others)
    return Answer(from: from, into: try OneEventType(heir.first ?? into, in: container.makeStore()), moved: moved.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    session.console.done("\(Quantity(answer.moved, "event")) of '\(answer.from.name)' moved")
    return answer.into.show(session)
  }

  /// The type with the goal of the one that goes, where it has none of its own, not even one that only a newer version reads; else nothing.
  private static func heir(of goal: Goal?, _ type: EventType) -> [EventType] {
    guard let goal, type.createRequest.goal == nil else { return [] }
    var type = type
    type.goal = goal
    return [type]
  }

  /// The excused days of a type, which would be deleted with it, and the places whose visits are recorded as it.
  private static func references(to type: EventType, in store: any DataStoreProtocol) throws -> [Undoable] {
    let skips = try store.fetchRecords(kind: .skip).filter { Skip($0)?.eventTypeId == type.id }
    let places = try store.fetchAllGeofences().filter { [$0.eventTypeEntryId, $0.eventTypeExitId].contains(type.id) }
    return skips.map { .record($0) } + places.map { .place($0) }
  }
}

extension Undoable {
  /// A skip or a place that names another type.
  fileprivate func turned(_ old: String, into new: String) -> Undoable {
    switch self {
    case .record(var record):
      record.fields["event_type_id"] = .string(new)
      return .record(record)
    case .place(var place):
      if place.eventTypeEntryId == old { place.eventTypeEntryId = new }
      if place.eventTypeExitId == old { place.eventTypeExitId = new }
      return .place(place)
    default: return self
    }
  }
}
