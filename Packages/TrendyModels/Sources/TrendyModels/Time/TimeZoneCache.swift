import Synchronization

/// Time zones that were read, so that each is read once from the time zone database.
///
/// All caches are equal: one changes how fast an answer comes, never the answer.
public final class TimeZoneCache: Sendable {
  private let zones = Mutex<[String: TimeZoneRules?]>([:])

  public init() {}

  /// - Parameter name: such as `Europe/Amsterdam`.
  /// - Returns: `nil` where the system does not know the zone.
  public func rules(named name: String) -> TimeZoneRules? {
    zones.withLock { zones in
      if let rules = zones[name] { return rules }
      let rules = TimeZoneRules(named: name)
      // The database has some 600 names. More of them are made up, and are not kept for ever.
      if zones.count > 1000 { zones.removeAll() }
      zones[name] = .some(rules)
      return rules
    }
  }
}

extension TimeZoneCache: Hashable {
  public static func == (left: TimeZoneCache, right: TimeZoneCache) -> Bool { true }
  public func hash(into hasher: inout Hasher) {}
}
