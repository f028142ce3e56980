/// Typical time of day: the shortest interval in which half of the events began, such as 08:00 to 09:10.
public struct UsualTime: Hashable, Sendable, Codable {
  /// Start in minutes after midnight, below 1440.
  public let from: Int
  /// End in minutes after midnight, below 1440. Smaller than ``from`` if the interval spans midnight.
  public let through: Int
  /// Share of all events that began in the interval, 0.5 to 1.
  public let share: Double

  /// Finds the shortest interval with half of the start times.
  /// - Parameter minutes: start times in minutes after midnight, in any order. Values outside 0 to 1439 are ignored.
  /// - Returns: `nil` if there are no start times.
  public init?(minutes: some Sequence<Int>) {
    let sorted = minutes.filter { (0..<1440).contains($0) }.sorted()
    guard !sorted.isEmpty else { return nil }
    let half = (sorted.count + 1) / 2
    // Minutes from an event to the event `half - 1` positions later, across midnight if needed.
    func width(_ start: Int) -> Int {
      let end = start + half - 1
      return sorted[end % sorted.count] + (end < sorted.count ? 0 : 1440) - sorted[start]
    }
    // Of several equally short intervals, take the first after midnight.
    let start = sorted.indices.min { (width($0), $0) < (width($1), $1) } ?? 0
    let (from, through) = (sorted[start], sorted[(start + half - 1) % sorted.count])
    self.from = from
    self.through = through
    let inside = sorted.count { from <= through ? $0 >= from && $0 <= through : $0 >= from || $0 <= through }
    share = Double(inside) / Double(sorted.count)
  }
}

extension TypeHistory {
  /// Typical time of day. Requires 7 events with a time.
  public var usualTime: Finding<UsualTime> {
    guard minutes.count >= 7, let found = UsualTime(minutes: minutes) else {
      return .needsEvents(max(1, 7 - minutes.count))
    }
    return .found(found)
  }
}
