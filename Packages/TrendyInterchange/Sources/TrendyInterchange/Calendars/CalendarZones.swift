import TrendyFoundation
import TrendyModels

/// Time zones as calendars name them: by the database's names, Microsoft's, or a description in the file.
struct CalendarZones {
  /// Offsets that hold from a time on the wall on, as a file describes them.
  struct Observance {
    var start: WallTime?
    var from = 0
    var to = 0
    var rule: RecurrenceRule?
    var dates: [WallTime] = []
  }

  private var described: [String: ZoneClock] = [:]
  private var known: [String: ZoneClock] = [:]
  /// `X-WR-TIMEZONE`.
  var ofCalendar: ZoneClock?

  mutating func describe(_ name: String, _ observances: [Observance]) {
    guard let clock = Self.clock(observances, named: ZoneClock(named: name)?.name) else { return }
    described[name] = clock
  }

  /// - Returns: `nil` for a zone that nobody knows.
  mutating func clock(_ name: String) -> ZoneClock? {
    if let clock = known[name] { return clock }
    var parts = name.split(separator: "/")
    var found = ZoneClock(named: name)
    // `/mozilla.org/20070129_1/Europe/Berlin`
    while found == nil, name.hasPrefix("/"), parts.count > 2 {
      parts.removeFirst()
      found = ZoneClock(named: parts.joined(separator: "/"))
    }
    let clock = found ?? Self.windows[name].flatMap { ZoneClock(named: $0) } ?? described[name]
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

  /// `+0130`, `-05`, `+013000`: seconds.
  static func offset(_ text: String) -> Int? {
    let digits = text.dropFirst()
    guard let sign = text.first, sign == "+" || sign == "-", [2, 4, 6].contains(digits.count), let number = Int(digits)
    else { return nil }
    let padded = digits.count == 2 ? number * 10_000 : digits.count == 4 ? number * 100 : number
    let seconds = padded / 10_000 * 3600 + padded / 100 % 100 * 60 + padded % 100
    return seconds <= 86_400 ? (sign == "-" ? -seconds : seconds) : nil
  }

  /// Microsoft's names (Unicode CLDR, windowsZones, territory 001).
  private static let windows: [String: String] = {
    var names: [String: String] = [:]
    for line in table.split(separator: "\n") {
      let parts = line.split(separator: "=")
      if parts.count == 2 { names[String(parts[0])] = String(parts[1]) }
    }
    return names
  }()

  private static let table = """
    Dateline Standard Time=Etc/GMT+12
    E. South America Standard Time=America/Sao_Paulo
    Turkey Standard Time=Europe/Istanbul
    Hawaiian Standard Time=Pacific/Honolulu
    Argentina Standard Time=America/Buenos_Aires
    Arab Standard Time=Asia/Riyadh
    Alaskan Standard Time=America/Anchorage
    Azores Standard Time=Atlantic/Azores
    Russian Standard Time=Europe/Moscow
    Pacific Standard Time=America/Los_Angeles
    UTC=Etc/UTC
    Coordinated Universal Time=Etc/UTC
    E. Africa Standard Time=Africa/Nairobi
    Pacific Standard Time (Mexico)=America/Tijuana
    GMT Standard Time=Europe/London
    Iran Standard Time=Asia/Tehran
    US Mountain Standard Time=America/Phoenix
    Greenwich Standard Time=Atlantic/Reykjavik
    Arabian Standard Time=Asia/Dubai
    Mountain Standard Time=America/Denver
    Morocco Standard Time=Africa/Casablanca
    Pakistan Standard Time=Asia/Karachi
    Central Standard Time=America/Chicago
    W. Europe Standard Time=Europe/Berlin
    India Standard Time=Asia/Kolkata
    Central Standard Time (Mexico)=America/Mexico_City
    Central Europe Standard Time=Europe/Budapest
    Bangladesh Standard Time=Asia/Dhaka
    Canada Central Standard Time=America/Regina
    Romance Standard Time=Europe/Paris
    SE Asia Standard Time=Asia/Bangkok
    Eastern Standard Time=America/New_York
    Central European Standard Time=Europe/Warsaw
    China Standard Time=Asia/Shanghai
    US Eastern Standard Time=America/Indianapolis
    W. Central Africa Standard Time=Africa/Lagos
    Singapore Standard Time=Asia/Singapore
    SA Pacific Standard Time=America/Bogota
    GTB Standard Time=Europe/Bucharest
    W. Australia Standard Time=Australia/Perth
    Atlantic Standard Time=America/Halifax
    FLE Standard Time=Europe/Kiev
    Tokyo Standard Time=Asia/Tokyo
    Venezuela Standard Time=America/Caracas
    E. Europe Standard Time=Europe/Chisinau
    Korea Standard Time=Asia/Seoul
    SA Western Standard Time=America/La_Paz
    Egypt Standard Time=Africa/Cairo
    AUS Eastern Standard Time=Australia/Sydney
    Pacific SA Standard Time=America/Santiago
    South Africa Standard Time=Africa/Johannesburg
    E. Australia Standard Time=Australia/Brisbane
    Newfoundland Standard Time=America/St_Johns
    Israel Standard Time=Asia/Jerusalem
    New Zealand Standard Time=Pacific/Auckland
    """
}
