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
    guard !name.isEmpty else {
      throw CommandError("The name of the type is empty", hint: "trendy type list shows the types.", exit: .usage)
    }
    let wanted = name.lowercased()
    if let type = types.first(where: { $0.name.lowercased() == wanted || $0.id == name }) { return type }
    let beginning = types.filter { $0.name.lowercased().hasPrefix(wanted) && $0.name.count > wanted.count + 1 }
    if beginning.count == 1 { return beginning[0] }
    if beginning.count > 1 {
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
    if let definition = known.first(where: { $0.key.lowercased() == key.lowercased() }) { return definition }
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
    if let vehicle = vehicles.first(where: { $0.isCalled(name) || $0.id == name }) { return vehicle }
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
    if let place = places.first(where: { $0.name.lowercased() == name.lowercased() || $0.id == name }) { return place }
    let beginning = places.filter { !name.isEmpty && $0.name.lowercased().hasPrefix(name.lowercased()) }
    if beginning.count == 1 { return beginning[0] }
    if let position = Coordinate(phrase: name) {
      if let place = places.around(position).first { return place }
      throw CommandError(
        "No place lies around \(name).", hint: "To make one: trendy place add NAME \(name)", exit: .notFound)
    }
    let near = Suggestion.nearest(to: name, among: places.map(\.name))
    throw CommandError(
      "No place '\(name)'.", hint: near.map { "Did you mean '\($0)'?" } ?? "trendy place list shows the places.",
      exit: .notFound)
  }
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
