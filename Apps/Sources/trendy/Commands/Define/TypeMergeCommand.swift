import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypeMergeCommand: Command {
  static let spec = CommandSpec(
    "type merge", .one("from", .eventType, "type to merge"), .one("into", .eventType, "type to keep"),
    summary: "Merge an event type into another: its events are moved, and the type is deleted.", group: .define,
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
          // Only the merged type has this property, so add it to the remaining type.
          known.append(
            PropertyDefinition(
              id: container.makeID(), eventTypeId: into.id, key: definition.key, label: definition.label,
              propertyType: definition.propertyType, options: definition.options,
              defaultValue: definition.defaultValue, displayOrder: (known.map(\.displayOrder).max() ?? -1) + 1))
          continue
        }
        guard other.propertyType == definition.propertyType else {
          throw CommandError(
            "Property '\(definition.key)' has kind \(definition.propertyType.rawValue) in '\(type.name)' and "
              + "\(other.propertyType.rawValue) in '\(into.name)'",
            hint:
              "Rename one of them: trendy type prop edit \(ShellWords.quoted(reference(to: type, among: from, into)))"
              + " \(definition.key) --key OTHER",
            exit: .refused)
        }
      }
    }
    let names = Set(from.map(\.name)).sorted().map { "'\($0)'" }.joined(separator: " and ")
    try session.confirm(
      "Move \(Quantity(events.count, "event")) to '\(into.name)' and delete \(names)?",
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

  /// Returns the types to merge (all types with the first name) and the type to keep.
  private func types(_ lookup: Lookup, _ session: Session) throws -> (from: [EventType], into: EventType) {
    let from = try lookup.eventTypes(fromName) { "trendy type add \($0)" }
    let into = try lookup.eventTypes(intoName) { "trendy type add \($0)" }
    guard
      let merge = try Lookup.merge(
        from, into: into, target: { try lookup.eventType(intoName) { "trendy type add \($0)" } })
    else { throw session.usageError("'\(from[0].name)' is a single type; there is nothing to merge") }
    return merge
  }

  /// Returns a type's name, or its id if the name is ambiguous among the merged types.
  private func reference(to type: EventType, among others: [EventType], _ into: EventType) -> String {
    (others + [into]).contains { $0.id != type.id && $0.name.lowercased() == type.name.lowercased() }
      ? type.id : type.name
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    session.console.done("Moved \(Quantity(answer.moved, "event")) from '\(answer.from[0].name)'.")
    return answer.into.show(session)
  }

  /// Returns the remaining type with the merged type's goal, or an empty array if no goal is to be copied.
  ///
  /// The remaining type's own goal takes precedence, even if only newer versions can read it.
  private static func heir(of goal: Goal?, _ type: EventType) -> [EventType] {
    guard let goal, type.createRequest.goal == nil else { return [] }
    var type = type
    type.goal = goal
    return [type]
  }

  /// Returns the entities whose reference to a merged type must change: skips, which would otherwise be deleted with
  /// it, and places that record visits with it.
  private static func references(to types: [String: String], in store: any DataStoreProtocol) throws -> [AnyEntity] {
    let skips = try store.fetchRecords(kind: .skip).filter { Skip($0).map { types[$0.eventTypeId] != nil } ?? false }
    let places = try store.fetchAllGeofences().filter { place in
      [place.eventTypeEntryId, place.eventTypeExitId].contains { $0.map { types[$0] != nil } ?? false }
    }
    return skips.map { .record($0) } + places.map { .place($0) }
  }
}

extension AnyEntity {
  /// Returns the skip or place with its references changed. `types` maps ids of merged types to the id of the remaining
  /// type.
  fileprivate func turned(_ types: [String: String]) -> AnyEntity {
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
