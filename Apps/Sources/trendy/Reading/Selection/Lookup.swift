import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Finds entities by the names or ids given on the command line.
struct Lookup {
  let store: any DataStoreProtocol

  /// Highest number in references such as `@1` and `@2`.
  private static let furthestBack = 10_000
  /// Maximum number of events to read for an ambiguous id prefix.
  private static let maxMatches = 1000

  /// Returns the event type with the given name (ignoring case), unique name prefix or id.
  ///
  /// A prefix must be at least two letters shorter than the name, because a single missing letter is treated as a
  /// typing error.
  /// - Throws: ``CommandError`` with exit 66 if no type is found or the prefix is ambiguous, or exit 64 if several
  ///   types have the name.
  func eventType(_ name: String, hintToMake: (String) -> String) throws -> EventType {
    try Self.eventType(name, among: store.fetchAllEventTypes(), hintToMake: hintToMake)
  }

  static func eventType(
    _ name: String, among types: [EventType], hintToMake: (String) -> String
  ) throws(CommandError) -> EventType {
    let found = try eventTypes(name, among: types, hintToMake: hintToMake)
    let word = ShellWords.quoted(found[0].name)
    return try only(found, "types", name: \.name, hint: "To merge them: trendy type merge \(word) \(word)")
  }

  /// Returns all event types with a name, which is matched as in ``eventType(_:hintToMake:)``. There are several if two
  /// devices created the type independently.
  func eventTypes(_ name: String, hintToMake: (String) -> String) throws -> [EventType] {
    try Self.eventTypes(name, among: store.fetchAllEventTypes(), hintToMake: hintToMake)
  }

  static func eventTypes(
    _ name: String, among types: [EventType], hintToMake: (String) -> String
  ) throws(CommandError) -> [EventType] {
    guard !name.isEmpty else {
      throw CommandError("The type name is empty", hint: "List event types: trendy type list", exit: .usage)
    }
    let known = named(name, among: types, name: \.name)
    if !known.isEmpty { return known }
    let wanted = name.lowercased()
    let beginning = types.filter { $0.name.lowercased().hasPrefix(wanted) && $0.name.count > wanted.count + 1 }
    let names = Set(beginning.map { $0.name.lowercased() })
    if names.count == 1 { return beginning }
    if names.count > 1 {
      throw CommandError(
        "Type name '\(name)' is ambiguous: \(beginning.map { "'\($0.name)'" }.joined(separator: " or "))",
        hint: "Enter more characters of the name.", exit: .notFound)
    }
    let listed = name.split(separator: ",").map { part in
      types.first { $0.name.lowercased() == part.lowercased() }?.name
    }
    if listed.count > 1, !listed.contains(nil) {
      throw CommandError(
        "Event type '\(name)' not found", hint: "Specify one type at a time; --type can be repeated.", exit: .notFound)
    }
    let near = Suggestion.nearest(to: name, among: types.map(\.name))
    let make = "To create a new type: \(hintToMake(ShellWords.quoted(name)))"
    throw CommandError(
      "Event type '\(name)' not found", hint: near.map { "Did you mean '\($0)'? \(make)" } ?? make, exit: .notFound)
  }

  /// Returns the event with the given id, unique id prefix or reference: `@1` is the event recorded last, `@2` the one
  /// before. Only events from `sources` are considered.
  func event(_ name: String, from sources: Set<EventSourceType> = Set(EventSourceType.allCases)) throws -> Event {
    // An empty string is a prefix of every id. Reject it, because it may come from an unset variable in a script and
    // must not select the only event.
    guard !name.isEmpty else {
      throw CommandError("The id is empty", hint: "List ids: trendy list", exit: .usage)
    }
    if name.hasPrefix("@") {
      guard let place = Int(name.dropFirst()), place >= 1 else {
        throw CommandError(
          "Invalid id '\(name)'", hint: "Use @1 for the last entry recorded, @2 for the one before.", exit: .usage)
      }
      guard place <= Self.furthestBack else {
        throw CommandError("'\(name)' is too far back", hint: "List ids: trendy list", exit: .usage)
      }
      guard let event = try store.lastRecordedEvents(place, from: sources).dropFirst(place - 1).first else {
        throw CommandError(
          "Entry '\(name)' not found: there are fewer entries", hint: "List ids: trendy list", exit: .notFound)
      }
      return event
    }
    if let event = try store.findEvent(id: name), sources.contains(event.sourceType) { return event }
    let matches = try store.events(idBeginning: name, limit: Self.maxMatches)
      .filter { sources.contains($0.sourceType) }
    if matches.count == 1 { return matches[0] }
    if matches.isEmpty {
      throw CommandError("Entry '\(name)' not found", hint: "List ids: trendy list", exit: .notFound)
    }
    throw CommandError(
      "\(matches.count < Self.maxMatches ? "\(matches.count)" : "Many") ids begin with '\(name)'",
      hint:
        "Use a longer prefix, for example: \(matches.prefix(3).map { ShortID.of($0.id, among: matches.map(\.id)) }.joined(separator: ", "))",
      exit: .notFound)
  }
}

extension Lookup {
  /// Returns the event type's property with the given key, ignoring case.
  func property(_ key: String, of type: EventType) throws -> PropertyDefinition {
    let known = try store.definitions(of: type)
    let found = Self.named(key, among: known, name: \.key)
    if !found.isEmpty {
      return try Self.only(
        found, "properties of '\(type.name)'", name: \.key, hint: "To delete one: trendy type prop rm TYPE ID")
    }
    let near = Suggestion.nearest(to: key, among: known.map(\.key))
    throw CommandError(
      "Property '\(key)' not found in '\(type.name)'",
      hint: near.map { "Did you mean '\($0)'?" }
        ?? "List its properties: trendy type show \(ShellWords.quoted(type.name))", exit: .notFound)
  }

  /// Returns the trip with the given id, unique id prefix or reference: `@1` is the trip recorded last.
  func trip(_ name: String) throws -> TripEvent {
    let event = try event(name, from: [.trip])
    guard let trip = TripEvent(event) else {
      throw CommandError("'\(name)' is not a trip", hint: "List trips: trendy trip list", exit: .notFound)
    }
    return trip
  }

  /// Returns the vehicle with the given name (ignoring case), unique name prefix or id.
  func vehicle(_ name: String) throws -> Vehicle {
    let vehicles = try store.vehicles()
    let named = Self.named(name, among: vehicles, name: \.name)
    if !named.isEmpty {
      return try Self.only(named, "vehicles", name: \.name, hint: "To rename one: trendy vehicle edit ID --name NAME")
    }
    let beginning = vehicles.filter { !name.isEmpty && $0.name.lowercased().hasPrefix(name.lowercased()) }
    if beginning.count == 1 { return beginning[0] }
    let near = Suggestion.nearest(to: name, among: vehicles.map(\.name))
    throw CommandError(
      "Vehicle '\(name)' not found",
      hint: near.map { "Did you mean '\($0)'?" } ?? "To add it: trendy vehicle add \(ShellWords.quoted(name))",
      exit: .notFound)
  }

  /// Returns the place with the given name (ignoring case), unique name prefix or id, or the nearest place that
  /// contains the given position.
  func place(_ name: String) throws -> Geofence { try Self.place(name, among: store.fetchAllGeofences()) }

  static func place(_ name: String, among places: [Geofence]) throws(CommandError) -> Geofence {
    let found = Self.places(name, among: places)
    if let first = found.first {
      let word = ShellWords.quoted(first.name)
      return try only(
        found, "places", name: \.name, hint: "To merge them: trendy place merge \(word) \(word)")
    }
    if let position = Coordinate(phrase: name) {
      if let place = places.nearest(to: position).first { return place }
      throw CommandError(
        "No place found at \(name)", hint: "To add one: trendy place add NAME \(name)", exit: .notFound)
    }
    let near = Suggestion.nearest(to: name, among: places.map(\.name))
    throw CommandError(
      "Place '\(name)' not found", hint: near.map { "Did you mean '\($0)'?" } ?? "List places: trendy place list",
      exit: .notFound)
  }
}

// MARK: Entities with the same name

extension Lookup {
  /// Returns all places with a name, or with the only name that has the given prefix.
  static func places(_ name: String, among places: [Geofence]) -> [Geofence] {
    let found = named(name, among: places, name: \.name)
    if !found.isEmpty { return found }
    let beginning = places.filter { !name.isEmpty && $0.name.lowercased().hasPrefix(name.lowercased()) }
    return Set(beginning.map { $0.name.lowercased() }).count == 1 ? beginning : []
  }

  /// Returns the entities with exactly this name or, failing that, the entities with this name in a different case, or
  /// the entity with this id or id prefix.
  static func named<Entity: Identifiable<String>>(
    _ text: String, among entities: [Entity], name: (Entity) -> String
  ) -> [Entity] {
    let exact = entities.filter { name($0) == text }
    if !exact.isEmpty { return exact }
    let found = entities.filter { name($0).lowercased() == text.lowercased() }
    if !found.isEmpty { return found }
    let ids = entities.filter { $0.id == text || text.count >= minPrefixLength && $0.id.hasPrefix(text.lowercased()) }
    return ids.count == 1 ? ids : []
  }

  /// Returns the only entity among those with the same name. `hint` tells the user how to proceed if there are several.
  /// - Throws: ``CommandError`` with exit 64 if there are several entities. Its message lists their ids.
  static func only<Entity: Identifiable<String>>(
    _ found: [Entity], _ noun: String, name: (Entity) -> String, hint: String
  ) throws(CommandError) -> Entity {
    guard found.count > 1 else { return found[0] }
    throw CommandError(
      "\(found.count) \(noun) are named '\(name(found[0]))': \(ShortID.of(found.map(\.id)).joined(separator: ", "))",
      hint: "\(hint). Or use one of the ids.", exit: .usage)
  }

  /// Returns a hint for each name that several entities share, to print below a list.
  static func mergeHints<Entity: Identifiable<String>>(
    for entities: [Entity], _ noun: String, command: String, name: (Entity) -> String
  ) -> [String] {
    Dictionary(grouping: entities) { name($0).lowercased() }.values.filter { $0.count > 1 }.map { group in
      let word = ShellWords.quoted(name(group[0]))
      return
        "\(group.count) \(noun) are named '\(name(group[0]))'. To merge them: trendy \(command) \(word) \(word)"
    }.sorted()
  }

  /// Returns the entities that a merge deletes and the entity that remains, or `nil` if both arguments are the same
  /// single entity.
  ///
  /// If both arguments are the same entities, the one with the lowest id remains, so that all devices make the same
  /// choice. Otherwise `target` returns the remaining entity, and may throw if the second argument is ambiguous.
  static func merge<Entity: Identifiable<String>>(
    _ from: [Entity], into: [Entity], target: () throws -> Entity
  ) throws -> (from: [Entity], into: Entity)? {
    let ids = Set(from.map(\.id))
    let first = ids == Set(into.map(\.id)) ? from.min { $0.id < $1.id } : nil
    let target = try first ?? target()
    let others = from.filter { $0.id != target.id }
    return others.isEmpty ? nil : (others, target)
  }

  /// Minimum length of an id prefix. A shorter text is probably a misspelled name.
  private static let minPrefixLength = 8
}

enum ShortID {
  /// Returns the first 13 characters, which contain a UUIDv7's timestamp. They differ between ids unless the ids were
  /// created in the same millisecond.
  static func of(_ id: String) -> String {
    let beginning = id.utf8.prefix(length)
    // In printable ASCII, each byte is a character.
    return beginning.count == length && id.utf8.prefix(length + 1).allSatisfy { 0x20..<0x7F ~= $0 }
      ? String(Substring(beginning)) : String(id.prefix(length))
  }

  private static let length = 13

  /// Returns an unambiguous prefix of each id, in the order of `ids`.
  static func of(_ ids: [String]) -> [String] {
    let beginnings = ids.map { of($0) }
    var (seen, shared): (Set<String>, Set<String>) = (Set(minimumCapacity: ids.count), [])
    for beginning in beginnings where !seen.insert(beginning).inserted { shared.insert(beginning) }
    if shared.isEmpty { return beginnings }
    // Sorting makes ids with a common prefix adjacent. Few ids need this step.
    let sorted = zip(ids, beginnings).filter { shared.contains($1) }.map(\.0).sorted()
    var lengths: [String: Int] = [:]
    for (left, right) in zip(sorted, sorted.dropFirst()) where left != right {
      let alike = zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
      guard alike >= length else { continue }
      for id in [left, right] { lengths[id] = max(lengths[id] ?? 0, alike + 1) }
    }
    return zip(ids, beginnings).map { id, beginning in lengths[id].map { String(id.prefix($0)) } ?? beginning }
  }

  /// Returns the shortest unambiguous prefix of an id, but at least 13 characters.
  static func of(_ id: String, among others: [String]) -> String {
    var length = min(Self.length, id.count)
    while length < id.count, others.contains(where: { $0 != id && $0.hasPrefix(id.prefix(length)) }) { length += 1 }
    return String(id.prefix(length))
  }
}
