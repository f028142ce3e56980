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
    examples: ["type merge kaffee coffee", "type merge walk walk"], options: [.yes])

  private let fromName: String
  private let intoName: String

  init(_ session: Session) {
    (fromName, intoName) = (session.arguments.positionals[0], session.arguments.positionals[1])
  }

  struct Answer {
    var from: [EventType]
    var into: OneEventType
    var moved: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let (from, into) = try types(Lookup(store: store), session)
    let events = try from.flatMap { try store.events(in: nil, ofType: $0.id, limit: nil) }
    let own = try store.definitions(of: into)
    var known = own
    var definitions: [PropertyDefinition] = []
    for type in from {
      for definition in try store.definitions(of: type) {
        definitions.append(definition)
        guard let other = known.first(where: { $0.key == definition.key }) else {
          // What can be said of the one can be said of the other from now on.
          known.append(
            PropertyDefinition(
              id: container.makeID(), eventTypeId: into.id, key: definition.key, label: definition.label,
              propertyType: definition.propertyType, options: definition.options,
              defaultValue: definition.defaultValue, displayOrder: (known.map(\.displayOrder).max() ?? -1) + 1))
          continue
        }
        guard other.propertyType == definition.propertyType else {
          throw CommandError(
            "'\(definition.key)' is a \(definition.propertyType.rawValue) of '\(type.name)' and a "
              + "\(other.propertyType.rawValue) of '\(into.name)'",
            hint: "Rename one: trendy type prop edit \(ShellWords.quoted(reference(to: type, among: from, into)))"
              + " \(definition.key) --key OTHER",
            exit: .refused)
        }
      }
    }
    let names = Set(from.map(\.name)).sorted().map { "'\($0)'" }.joined(separator: " and ")
    try session.confirm(
      "\(names) \(from.count == 1 ? "goes" : "go"), and \(Quantity(events.count, "event")) become '\(into.name)'.",
      about: from.map(\.id))
    let moved = events.map { event in
      var event = event
      event.eventTypeId = into.id
      return event
    }
    let heirs = Dictionary(uniqueKeysWithValues: from.map { ($0.id, into.id) })
    let others = try Self.references(to: heirs, in: store)
    let heir = Self.heir(of: from.lazy.compactMap(\.goal).first, into)
    try container.record.perform(
      "type merge \(from[0].name) \(into.name)",
      heir.map { .eventType($0) } + known.dropFirst(own.count).map { .property($0) } + moved.map { .event($0) }
        + others.map { $0.turned(heirs) },
      before: heir.map { _ in .eventType(into) } + from.map { .eventType($0) } + definitions.map { .property($0) }
        + events.map { .event($0) } + others,
      merged: heirs)
    return Answer(from: from, into: try OneEventType(heir.first ?? into, in: container.makeStore()), moved: moved.count)
  }

  /// All types of the first name, and the one of the second.
  private func types(_ lookup: Lookup, _ session: Session) throws -> (from: [EventType], into: EventType) {
    let from = try lookup.eventTypes(fromName) { "trendy type add \($0)" }
    let into = try lookup.eventTypes(intoName) { "trendy type add \($0)" }
    guard
      let merge = try Lookup.merge(
        from, into: into, target: { try lookup.eventType(intoName) { "trendy type add \($0)" } })
    else { throw session.usageError("'\(from[0].name)' is one type already") }
    return merge
  }

  /// The name of a type, or its id if another of these types has the name.
  private func reference(to type: EventType, among others: [EventType], _ into: EventType) -> String {
    (others + [into]).contains { $0.id != type.id && $0.name.lowercased() == type.name.lowercased() }
      ? type.id : type.name
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    session.console.done("\(Quantity(answer.moved, "event")) of '\(answer.from[0].name)' moved")
    return answer.into.show(session)
  }

  /// The type with the goal of the one that goes, where it has none of its own, not even one that only a newer version reads; else nothing.
  private static func heir(of goal: Goal?, _ type: EventType) -> [EventType] {
    guard let goal, type.createRequest.goal == nil else { return [] }
    var type = type
    type.goal = goal
    return [type]
  }

  /// The excused days of the types, which would be deleted with them, and the places whose visits are recorded as them.
  private static func references(to types: [String: String], in store: any DataStoreProtocol) throws -> [Undoable] {
    let skips = try store.fetchRecords(kind: .skip).filter { Skip($0).map { types[$0.eventTypeId] != nil } ?? false }
    let places = try store.fetchAllGeofences().filter { place in
      [place.eventTypeEntryId, place.eventTypeExitId].contains { $0.map { types[$0] != nil } ?? false }
    }
    return skips.map { .record($0) } + places.map { .place($0) }
  }
}

extension Undoable {
  /// A skip or a place that refers to the types that remain.
  /// - Parameter types: the type that remains, by the id of each that goes.
  fileprivate func turned(_ types: [String: String]) -> Undoable {
    switch self {
    case .record(var record):
      if let heir = record.fields["event_type_id"]?.stringValue.flatMap({ types[$0] }) {
        record.fields["event_type_id"] = .string(heir)
      }
      return .record(record)
    case .place(var place):
      place.eventTypeEntryId = place.eventTypeEntryId.map { types[$0] ?? $0 }
      place.eventTypeExitId = place.eventTypeExitId.map { types[$0] ?? $0 }
      return .place(place)
    default: return self
    }
  }
}
