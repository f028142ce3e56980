import Synchronization

/// Cache of time zone rules, so that each zone is read from the database only once.
///
/// All caches compare equal, because a cache does not affect results.
public final class TimeZoneCache: Sendable {
  private let zones = Mutex<[String: TimeZoneRules?]>([:])

  /// Creates an empty cache.
  public init() {}

  /// Returns the rules of the zone with this IANA name, or `nil` if the system does not know the zone.
  public func rules(named name: String) -> TimeZoneRules? {
    zones.withLock { zones in
      if let rules = zones[name] { return rules }
      let rules = TimeZoneRules(named: name)
      // The database has about 600 names. Unknown names are cached too, but not without limit.
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
