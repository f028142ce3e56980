import TrendyFoundation
public import TrendyModels

/// Events with the same type and timestamp that describe the same occurrence.
public struct Duplicates: Hashable, Sendable {
  /// The event with the most values.
  public let kept: Event
  /// Events whose values are all contained in ``kept``.
  public let doubles: [Event]
  /// Events with the same id in an external source but different values. The user must compare them.
  public let differing: [Event]
}

extension Duplicates {
  /// Finds duplicates among events.
  /// - Parameter events: Events in any order.
  /// - Returns: Groups of at least two events, oldest first.
  /// - Throws: Errors from encoding an event.
  public static func find(among events: some Sequence<Event>) throws -> [Duplicates] {
    let groups = Dictionary(grouping: events) { Moment(eventTypeId: $0.eventTypeId, timestamp: $0.timestamp) }
    return try groups.values.filter { $0.count > 1 }.flatMap { try find(alike: $0) }.sorted {
      ($0.kept.timestamp, $0.kept.id) < ($1.kept.timestamp, $1.kept.id)
    }
  }

  private struct Moment: Hashable {
    var eventTypeId: String
    var timestamp: Date
  }

  private static func find(alike events: [Event]) throws -> [Duplicates] {
    // The event with the most values is kept. Of events with equally many values, prefer an id derived from a natural
    // key, because the next import then recognizes the event.
    var rest = try events.map { (event: $0, words: try words(of: $0)) }.sorted { one, other in
      let (natural, otherNatural) = (
        NaturalIdentifier.isNatural(one.event.id), NaturalIdentifier.isNatural(other.event.id)
      )
      if one.words.count != other.words.count { return one.words.count > other.words.count }
      return natural != otherNatural ? natural : one.event.id < other.event.id
    }
    var found: [Duplicates] = []
    while !rest.isEmpty {
      let kept = rest.removeFirst()
      let doubles = rest.filter { $0.words.allSatisfy { kept.words[$0.key] == $0.value } }
      let differing = rest.filter { other in
        !doubles.contains { $0.event.id == other.event.id } && isSameThing(kept.event, other.event)
      }
      guard !doubles.isEmpty || !differing.isEmpty else { continue }
      found.append(
        Duplicates(kept: kept.event, doubles: doubles.map(\.event), differing: differing.map(\.event)))
      let gone = Set((doubles + differing).map(\.event.id))
      rest.removeAll { gone.contains($0.event.id) }
    }
    return found
  }

  private static func isSameThing(_ one: Event, _ other: Event) -> Bool {
    (one.sourceType == other.sourceType && one.externalId != nil && one.externalId == other.externalId)
      || (one.healthKitSampleId != nil && one.healthKitSampleId == other.healthKitSampleId)
  }

  /// Returns the non-null values of an event by name, each property separately.
  private static func words(of event: Event) throws -> [String: JSONValue] {
    var words = try WireJSON.members(of: event.createRequest)
    for (key, value) in words.removeValue(forKey: "properties")?.objectValue ?? [:] {
      words["properties.\(key)"] = value
    }
    words.removeValue(forKey: "id")
    return words.filter { !$0.value.isNull }
  }
}
