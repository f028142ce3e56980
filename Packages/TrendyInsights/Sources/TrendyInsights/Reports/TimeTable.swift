public import TrendyModels

/// Sums of a ``TimeLedger`` by group. The times of all rows minus the overlap are the total.
public struct TimeTable: Hashable, Sendable {
  /// Characteristic of an event or its time by which it is grouped.
  public enum Grouping: Hashable, Sendable {
    case type, place
    /// Each `#word` of the note, and each item of the property `tags`, which is a list separated by commas.
    case word
    /// Value of the first of these properties that an event has.
    case property(Set<String>)
    case period(CalendarPeriod)
  }

  /// Rounding of a row.
  public struct Rounding: Hashable, Sendable {
    /// Length in seconds to whose multiples times are rounded.
    public let step: Double
    /// Whether to round up instead of to the nearest multiple.
    public let isUp: Bool

    public init(step: Double, isUp: Bool) { (self.step, self.isUp) = (step, isUp) }

    func callAsFunction(_ seconds: Double) -> Double {
      // Floating-point errors of a sum must not add a step.
      ((seconds * 1000).rounded() / 1000 / step).rounded(isUp ? .up : .toNearestOrAwayFromZero) * step
    }
  }

  /// Time of a group.
  public struct Row: Hashable, Sendable {
    /// Id of the type, name of the place, word, or value; empty if the events have none.
    public let key: String
    /// Days of the calendar period; `nil` for other groupings.
    public let days: ClosedRange<CivilDate>?
    public let seconds: Double
    /// Number of events.
    public let sessions: Int
    /// Number of running events.
    public let running: Int
  }

  /// Groups with the most time first; calendar periods in chronological order, without those that have no time.
  public let rows: [Row]
  /// Seconds that are in several rows.
  public let overlap: Double
  /// Time of all events.
  public let total: Row

  /// Sums the time of each group.
  /// - Parameters:
  ///   - ledger: the time.
  ///   - grouping: groups.
  ///   - rounding: rounding of each row; `nil` for none.
  ///   - countsOverlaps: whether time that several events share counts for each event instead of once.
  public init(_ ledger: TimeLedger, by grouping: Grouping, rounding: Rounding? = nil, countsOverlaps: Bool = false) {
    func seconds(_ parts: [TimeLedger.Part]) -> Double {
      countsOverlaps
        ? parts.reduce(0) { $0 + $1.seconds }
        : TimeLedger.exclusiveSeconds(parts).reduce(0) { $0 + $1.seconds }
    }
    func round(_ seconds: Double) -> Double { rounding?(seconds) ?? seconds }
    var (groups, all): ([String: Group], Group) = ([:], Group())
    for (place, entry) in ledger.entries.enumerated() {
      all.add(entry.parts, of: place, isRunning: entry.isRunning)
      if case .period(let period) = grouping {
        for part in entry.parts {
          let days = period.days(around: part.day, firstWeekday: ledger.firstWeekday)
          groups[days.lowerBound.description, default: Group(days: days)]
            .add([part], of: place, isRunning: entry.isRunning)
        }
      } else {
        for key in grouping.keys(of: entry.event) {
          groups[key, default: Group()].add(entry.parts, of: place, isRunning: entry.isRunning)
        }
      }
    }
    let exact = groups.map { key, group in
      Row(
        key: key, days: group.days, seconds: seconds(group.parts), sessions: group.sessions, running: group.running)
    }
    let shared = exact.reduce(0) { $0 + $1.seconds } - seconds(all.parts)
    rows = exact.map {
      Row(key: $0.key, days: $0.days, seconds: round($0.seconds), sessions: $0.sessions, running: $0.running)
    }
    .sorted { left, right in
      if let one = left.days, let other = right.days { return one.lowerBound < other.lowerBound }
      return (right.seconds, left.key) < (left.seconds, right.key)
    }
    let sum = rows.reduce(0) { $0 + $1.seconds }
    // Rounding errors of the sums are below a microsecond. Rounded rows can be shorter than their rounded overlap.
    overlap = shared < 0.0005 ? 0 : min(-round(-shared), sum)
    total = Row(
      key: "", days: nil, seconds: sum - overlap, sessions: all.sessions,
      running: all.running)
  }
}

/// Time of a group before it is summed.
private struct Group {
  var days: ClosedRange<CivilDate>?
  var parts: [TimeLedger.Part] = []
  var sessions = 0
  var running = 0
  private var last = -1

  init(days: ClosedRange<CivilDate>? = nil) { self.days = days }

  /// Adds parts of an event, given by its position in the ledger.
  mutating func add(_ parts: [TimeLedger.Part], of place: Int, isRunning: Bool) {
    self.parts += parts
    guard place != last else { return }
    (sessions, running, last) = (sessions + 1, running + (isRunning ? 1 : 0), place)
  }
}

extension TimeTable.Grouping {
  /// Returns the groups of an event; the empty string if it belongs to none.
  fileprivate func keys(of event: Event) -> Set<String> {
    switch self {
    case .type: return [event.eventTypeId]
    case .place: return [event.locationName ?? ""]
    case .property(let keys):
      return [keys.sorted().lazy.compactMap { event.properties[$0] }.first.map { Self.text($0.value) } ?? ""]
    case .word:
      let tags =
        event.properties.first { $0.key.lowercased() == "tags" }?.value.stringValue?.split(separator: ",") ?? []
      let noted = (event.notes ?? "").split { $0.isWhitespace || $0 == "," || $0 == ";" }.filter { $0.hasPrefix("#") }
      let words = tags.map { $0.drop { $0.isWhitespace || $0 == "#" } } + noted.map(Self.tag)
      let keys = Set(words.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased() })
      return keys.subtracting([""]).isEmpty ? [""] : keys.subtracting([""])
    case .period: preconditionFailure("a period groups parts of events")
    }
  }

  /// Returns a hashtag without its leading `#` and trailing punctuation.
  private static func tag(_ word: Substring) -> Substring {
    var word = word.drop { $0 == "#" }
    while let last = word.last, !last.isLetter, !last.isNumber { word.removeLast() }
    return word
  }

  private static func text(_ value: JSONValue) -> String {
    if let text = value.stringValue { return text }
    if let flag = value.boolValue { return flag ? "yes" : "no" }
    if let whole = value.intValue { return "\(whole)" }
    return value.doubleValue.map { "\($0)" } ?? ""
  }
}
