import TrendyFoundation
import TrendyModels

/// Time zones of a calendar: by IANA name, by Windows name, or as defined in the file.
struct CalendarZones {
  /// Part of a zone definition: a UTC offset that applies from a given local time.
  struct Observance {
    var start: WallTime?
    var from = 0
    var to = 0
    var rule: RecurrenceRule?
    var dates: [WallTime] = []
  }

  private var described: [String: ZoneClock] = [:]
  private var known: [String: ZoneClock] = [:]

  mutating func describe(_ name: String, _ observances: [Observance]) {
    guard let clock = Self.clock(observances, named: TimeZoneNames.clock(name)?.name) else { return }
    described[name] = clock
  }

  mutating func clock(_ name: String) -> ZoneClock? {
    if let clock = known[name] { return clock }
    let clock = ZoneClock(named: name) ?? described[name] ?? TimeZoneNames.clock(name)
    if let clock { known[name] = clock }
    return clock
  }

  private static func clock(_ observances: [Observance], named name: String?) -> ZoneClock? {
    guard let first = observances.first else { return nil }
    var changes: [(at: Double, offset: Int)] = []
    for observance in observances {
      guard let start = observance.start else { continue }
      var onsets = [start] + observance.dates
      if let rule = observance.rule {
        let last = WallTime(day: CivilDate(year: 2100, month: 1, day: 1))
        onsets += rule.occurrences(from: start, in: start, through: last)
      }
      for onset in onsets {
        let wall = Double(onset.day.daysSince1970) * 86_400 + Double(onset.secondOfDay)
        changes.append((wall - Double(observance.from), observance.to))
      }
    }
    let sorted = changes.sorted { $0.at < $1.at }
    let before = observances.min {
      ($0.start ?? first.start ?? .init(day: .init(daysSince1970: 0)))
        < ($1.start ?? .init(day: .init(daysSince1970: 0)))
    }
    let initial = before?.from ?? first.from
    return ZoneClock(name: name) { date in
      let seconds = date.timeIntervalSince1970
      var low = 0
      var high = sorted.count
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].at <= seconds { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? initial : sorted[low - 1].offset
    }
  }

  /// Parses a UTC offset such as `+0130`, `-05` or `+013000` to seconds.
  static func offset(_ text: String) -> Int? {
    let digits = text.dropFirst()
    guard let sign = text.first, sign == "+" || sign == "-", [2, 4, 6].contains(digits.count), let number = Int(digits)
    else { return nil }
    let padded = digits.count == 2 ? number * 10_000 : digits.count == 4 ? number * 100 : number
    let seconds = padded / 10_000 * 3600 + padded / 100 % 100 * 60 + padded % 100
    return seconds <= 86_400 ? (sign == "-" ? -seconds : seconds) : nil
  }
}
