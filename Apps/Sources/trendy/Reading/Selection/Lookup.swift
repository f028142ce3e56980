import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Finds what a person named.
struct Lookup {
  let store: any DataStoreProtocol

  private static let furthestBack = 10_000
  /// With so many events that begin alike it is not asked which one is meant.
  private static let mostAlike = 1000

  /// A type by its name, whatever the case, or by a beginning that only one has; or by its id.
  ///
  /// A name that lacks but its last letter is no beginning that somebody chose, but a slip: it is asked about like any other.
  func eventType(_ name: String, hintToMake: (String) -> String) throws -> EventType {
    try Self.eventType(name, among: store.fetchAllEventTypes(), hintToMake: hintToMake)
  }

  static func eventType(
    _ name: String, among types: [EventType], hintToMake: (String) -> String
  ) throws(CommandError) -> EventType {
    let found = try eventTypes(name, among: types, hintToMake: hintToMake)
    let word = ShellWords.quoted(found[0].name)
    return try only(found, "types", name: \.name, hint: "To make one of them: trendy type merge \(word) \(word)")
  }

  /// Every type of a name: two devices may have created one each. As ``eventType(_:hintToMake:)``.
  func eventTypes(_ name: String, hintToMake: (String) -> String) throws -> [EventType] {
    try Self.eventTypes(name, among: store.fetchAllEventTypes(), hintToMake: hintToMake)
  }

  static func eventTypes(
    _ name: String, among types: [EventType], hintToMake: (String) -> String
  ) throws(CommandError) -> [EventType] {
    guard !name.isEmpty else {
      throw CommandError("The name of the type is empty", hint: "trendy type list shows the types.", exit: .usage)
    }
    let known = named(name, among: types, name: \.name)
    if !known.isEmpty { return known }
    let wanted = name.lowercased()
    let beginning = types.filter { $0.name.lowercased().hasPrefix(wanted) && $0.name.count > wanted.count + 1 }
    let names = Set(beginning.map { $0.name.lowercased() })
    if names.count == 1 { return beginning }
    if names.count > 1 {
      throw CommandError(
        "'\(name)' could be \(beginning.map { "'\($0.name)'" }.joined(separator: " or "))",
        hint: "Type more of the name.", exit: .notFound)
    }
    let listed = name.split(separator: ",").map { part in
      types.first { $0.name.lowercased() == part.lowercased() }?.name
    }
    if listed.count > 1, !listed.contains(nil) {
      throw CommandError(
        "No event type '\(name)'.", hint: "Name one at a time; --type may be given again.", exit: .notFound)
    }
    let near = Suggestion.nearest(to: name, among: types.map(\.name))
    let make = "To make a new one: \(hintToMake(ShellWords.quoted(name)))"
    throw CommandError(
      "No event type '\(name)'.", hint: near.map { "Did you mean '\($0)'? \(make)" } ?? make, exit: .notFound)
  }

  /// An event by its id, by a beginning of it that only one has, or by `@1` for the one that was recorded last, `@2` for the one
  /// before.
  /// - Parameter sources: the only ones that are meant.
  func event(_ name: String, from sources: Set<EventSourceType> = Set(EventSourceType.allCases)) throws -> Event {
    // Every id begins with nothing: an unset variable in a script must not name the only event there is.
    guard !name.isEmpty else {
      throw CommandError("The id is empty", hint: "trendy list shows the ids.", exit: .usage)
    }
    if name.hasPrefix("@") {
      guard let place = Int(name.dropFirst()), place >= 1 else {
        throw CommandError(
          "'\(name)' names nothing", hint: "@1 is what was recorded last, @2 the one before.", exit: .usage)
      }
      guard place <= Self.furthestBack else {
        throw CommandError("'\(name)' is too far back", hint: "trendy list shows the ids.", exit: .usage)
      }
      guard let event = try store.lastRecordedEvents(place, from: sources).dropFirst(place - 1).first else {
        throw CommandError("There is no '\(name)' yet", hint: "trendy list", exit: .notFound)
      }
      return event
    }
    if let event = try store.findEvent(id: name), sources.contains(event.sourceType) { return event }
    let matches = try store.events(idBeginning: name, limit: Self.mostAlike)
      .filter { sources.contains($0.sourceType) }
    if matches.count == 1 { return matches[0] }
    if matches.isEmpty {
      throw CommandError("Nothing here has the id '\(name)'", hint: "trendy list shows the ids.", exit: .notFound)
    }
    throw CommandError(
      "\(matches.count < Self.mostAlike ? "\(matches.count)" : "Many") ids begin with '\(name)'",
      hint: matches.prefix(3).map { ShortID.of($0.id, among: matches.map(\.id)) }.joined(separator: ", "),
      exit: .notFound)
  }
}

extension Lookup {
  /// A property of a type by its key, whatever the case.
  func property(_ key: String, of type: EventType) throws -> PropertyDefinition {
    let known = try store.definitions(of: type)
    let found = Self.named(key, among: known, name: \.key)
    if !found.isEmpty {
      return try Self.only(
        found, "properties of '\(type.name)'", name: \.key, hint: "To delete one: trendy type prop rm TYPE ID")
    }
    let near = Suggestion.nearest(to: key, among: known.map(\.key))
    throw CommandError(
      "'\(type.name)' has no property '\(key)'.",
      hint: near.map { "Did you mean '\($0)'?" }
        ?? "trendy type show \(ShellWords.quoted(type.name)) shows what it has.", exit: .notFound)
  }

  /// A trip by its id, a beginning of it, or `@1` for the one that was recorded last.
  func trip(_ name: String) throws -> TripEvent {
    let event = try event(name, from: [.trip])
    guard let trip = TripEvent(event) else { throw CommandError("'\(name)' is no trip", exit: .notFound) }
    return trip
  }

  /// A vehicle by its name, whatever the case, a beginning that only one has, or its id.
  func vehicle(_ name: String) throws -> Vehicle {
    let vehicles = try store.vehicles()
    let named = Self.named(name, among: vehicles, name: \.name)
    if !named.isEmpty {
      return try Self.only(named, "vehicles", name: \.name, hint: "To give one another name: trendy vehicle edit ID")
    }
    let beginning = vehicles.filter { !name.isEmpty && $0.name.lowercased().hasPrefix(name.lowercased()) }
    if beginning.count == 1 { return beginning[0] }
    let near = Suggestion.nearest(to: name, among: vehicles.map(\.name))
    throw CommandError(
      "No vehicle '\(name)'.",
      hint: near.map { "Did you mean '\($0)'?" } ?? "To make it: trendy vehicle add \(ShellWords.quoted(name))",
      exit: .notFound)
  }

  /// A place by its name, whatever the case, a beginning that only one has, or its id; or the one around a position.
  func place(_ name: String) throws -> Geofence { try Self.place(name, among: store.fetchAllGeofences()) }

  static func place(_ name: String, among places: [Geofence]) throws(CommandError) -> Geofence {
    let found = Self.places(name, among: places)
    if let first = found.first {
      let word = ShellWords.quoted(first.name)
      return try only(
        found, "places", name: \.name, hint: "To make one of them: trendy place merge \(word) \(word)")
    }
    if let position = Coordinate(phrase: name) {
      if let place = places.nearest(to: position).first { return place }
      throw CommandError(
        "No place lies around \(name).", hint: "To make one: trendy place add NAME \(name)", exit: .notFound)
    }
    let near = Suggestion.nearest(to: name, among: places.map(\.name))
    throw CommandError(
      "No place '\(name)'.", hint: near.map { "Did you mean '\($0)'?" } ?? "trendy place list shows the places.",
      exit: .notFound)
  }
}

// MARK: Entities of one name

extension Lookup {
  /// Every place of a name; where there is none, of the name that the text is a beginning of if there is only one.
  static func places(_ name: String, among places: [Geofence]) -> [Geofence] {
    let found = named(name, among: places, name: \.name)
    if !found.isEmpty { return found }
    let beginning = places.filter { !name.isEmpty && $0.name.lowercased().hasPrefix(name.lowercased()) }
    return Set(beginning.map { $0.name.lowercased() }).count == 1 ? beginning : []
  }

  /// Every entity of a name, in this case if there are any, otherwise in any case; or the one of this id, or of an id that begins so.
  static func named<Entity: Identifiable<String>>(
    _ text: String, among entities: [Entity], name: (Entity) -> String
  ) -> [Entity] {
    let exact = entities.filter { name($0) == text }
    if !exact.isEmpty { return exact }
    let found = entities.filter { name($0).lowercased() == text.lowercased() }
    if !found.isEmpty { return found }
    let ids = entities.filter { $0.id == text || text.count >= leastOfID && $0.id.hasPrefix(text.lowercased()) }
    return ids.count == 1 ? ids : []
  }

  /// Returns the entity if it is the only one of its name.
  /// - Parameter hint: what the user can do about entities of one name.
  /// - Throws: ``CommandError`` with exit 64 that lists the ids.
  static func only<Entity: Identifiable<String>>(
    _ found: [Entity], _ noun: String, name: (Entity) -> String, hint: String
  ) throws(CommandError) -> Entity {
    guard found.count > 1 else { return found[0] }
    throw CommandError(
      "\(found.count) \(noun) are named '\(name(found[0]))': \(ShortID.of(found.map(\.id)).joined(separator: ", "))",
      hint: "\(hint). Or name one by its id.", exit: .usage)
  }

  /// Hints for lists, one for each name that several of these entities have.
  static func mergeHints<Entity: Identifiable<String>>(
    for entities: [Entity], _ noun: String, command: String, name: (Entity) -> String
  ) -> [String] {
    Dictionary(grouping: entities) { name($0).lowercased() }.values.filter { $0.count > 1 }.map { group in
      let word = ShellWords.quoted(name(group[0]))
      return
        "\(group.count) \(noun) are named '\(name(group[0]))': trendy \(command) \(word) \(word) makes one of them."
    }.sorted()
  }

  /// The entities that a merge deletes and the one that remains; `nil` if both arguments denote one entity.
  ///
  /// If both arguments denote the same entities, the first by its id remains, as on every device.
  /// - Parameters:
  ///   - from: entities that the first argument denotes, at least one.
  ///   - into: entities that the second argument denotes.
  ///   - target: the one that the second argument denotes, or an error that asks which.
  static func merge<Entity: Identifiable<String>>(
    _ from: [Entity], into: [Entity], target: () throws -> Entity
  ) throws -> (from: [Entity], into: Entity)? {
    let ids = Set(from.map(\.id))
    let first = ids == Set(into.map(\.id)) ? from.min { $0.id < $1.id } : nil
    let target = try first ?? target()
    let others = from.filter { $0.id != target.id }
    return others.isEmpty ? nil : (others, target)
  }

  /// With fewer characters it is rather a slip of a name.
  private static let leastOfID = 8
}

/// The beginning of an id that a person types.
enum ShortID {
  /// Long enough to hold a UUIDv7's whole time, so that two are alike only within a millisecond.
  static func of(_ id: String) -> String {
    let beginning = id.utf8.prefix(length)
    // Of plain ASCII each byte is a character.
    return beginning.count == length && id.utf8.prefix(length + 1).allSatisfy { 0x20..<0x7F ~= $0 }
      ? String(Substring(beginning)) : String(id.prefix(length))
  }

  private static let length = 13

  /// Of each as much as it takes to tell it from the others, in their order.
  static func of(_ ids: [String]) -> [String] {
    let beginnings = ids.map { of($0) }
    var (seen, shared): (Set<String>, Set<String>) = (Set(minimumCapacity: ids.count), [])
    for beginning in beginnings where !seen.insert(beginning).inserted { shared.insert(beginning) }
    if shared.isEmpty { return beginnings }
    // Those that begin alike stand together when they are sorted; of a long list only few do.
    let sorted = zip(ids, beginnings).filter { shared.contains($1) }.map(\.0).sorted()
    var lengths: [String: Int] = [:]
    for (left, right) in zip(sorted, sorted.dropFirst()) where left != right {
      let alike = zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
      guard alike >= length else { continue }
      for id in [left, right] { lengths[id] = max(lengths[id] ?? 0, alike + 1) }
    }
    return zip(ids, beginnings).map { id, beginning in lengths[id].map { String(id.prefix($0)) } ?? beginning }
  }

  /// As long as it takes to tell it from the others.
  static func of(_ id: String, among others: [String]) -> String {
    var length = min(Self.length, id.count)
    while length < id.count, others.contains(where: { $0 != id && $0.hasPrefix(id.prefix(length)) }) { length += 1 }
    return String(id.prefix(length))
  }
}
