import TrendyFoundation
public import TrendyModels

/// Events that are one and the same: of one type and one moment, where all that one says the other says as well.
public struct Duplicates: Hashable, Sendable {
  /// The one that says the most.
  public let kept: Event
  /// Those that say nothing beyond it.
  public let doubles: [Event]
  /// Those of the same thing in an outside source that say something else: for a person to look at.
  public let differing: [Event]
}

extension Duplicates {
  /// - Throws: what encoding throws.
  /// - Returns: the oldest first; nothing for an event that stands alone.
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
    // What an import would make again comes first: it stays where it is told apart by its id. Then who says the most.
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

  /// All that an event says, each property by itself; what is cleared is not said.
  private static func words(of event: Event) throws -> [String: JSONValue] {
    var words = try WireJSON.members(of: event.createRequest)
    for (key, value) in words.removeValue(forKey: "properties")?.objectValue ?? [:] {
      words["properties.\(key)"] = value
    }
    words.removeValue(forKey: "id")
    return words.filter { !$0.value.isNull }
  }
}
