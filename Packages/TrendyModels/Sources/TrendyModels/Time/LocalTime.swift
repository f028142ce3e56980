public import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A user's calendar: a time zone, the start of a day and the first day of a week.
public struct LocalTime: Hashable, Sendable {
  /// IANA name of the zone, or `nil` if unknown.
  public internal(set) var zoneName: String?
  var rules: TimeZoneRules
  /// Start of a day in seconds after midnight, 0 to 86,399.
  public var dayStart = 0
  /// First day of the week, where 0 is Sunday.
  public var firstWeekday = 1
  /// Whether ``time(_:)`` uses the 12-hour clock: `8:30 pm` instead of `20:30`.
  public var showsTwelveHours = false
  /// Cached rules of other zones that events were recorded in.
  let zones = TimeZoneCache()

  /// Creates the calendar of this process's time zone, or of UTC.
  public init(isUTC: Bool = false) {
    zoneName = isUTC ? "UTC" : Self.systemZoneName()
    rules = isUTC ? .utc : .ofProcess()
  }

  /// Creates the calendar of the time zone with this IANA name, such as `Europe/Amsterdam`. Returns `nil` if the system
  /// does not know the zone.
  public init?(zoneName: String) {
    guard let rules = TimeZoneRules(named: zoneName) else { return nil }
    self.zoneName = zoneName
    self.rules = rules
  }

  /// Returns the IANA name of the system's zone: the name in `TZ`, or else the target of `/etc/localtime`, or `nil` if
  /// unknown.
  public static func systemZoneName() -> String? {
    // `TZ` can also contain a rule such as `CET-1CEST,M3.5.0,M10.5.0/3` or a path, which are not names.
    func known(_ name: String) -> String? {
      let bytes = name.utf8
      let isName =
        bytes.contains(UInt8(ascii: "/")) && bytes.first != UInt8(ascii: "/") && !bytes.contains(UInt8(ascii: ","))
      return name == "UTC" || isName ? name : nil
    }
    if let zone = getenv("TZ").map({ String(cString: $0) }), !zone.isEmpty {
      // The system treats an unknown zone, or a path to another file, as UTC, and neither value is a zone name.
      return known(zone.hasPrefix(":") ? String(zone.dropFirst()) : zone).flatMap {
        TimeZoneRules(named: $0) == nil ? nil : $0
      }
    }
    var buffer = [CChar](repeating: 0, count: 1024)
    let length = readlink("/etc/localtime", &buffer, buffer.count - 1)
    guard length > 0 else {
      #if canImport(Darwin)
        return TimeZone.current.identifier
      #else
        return nil
      #endif
    }
    let target = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Compare bytes: initializing the library's string search takes longer than the rest of this function.
    let folder = "/zoneinfo/".utf8
    let bytes = target.utf8
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: folder) }) else { return nil }
    return known(String(target[bytes.index(start, offsetBy: folder.count)...]))
  }

  /// Local date and time of day.
  public struct Components: Hashable, Sendable {
    public var year: Int
    /// 1 to 12.
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    public var second: Int
    /// Day of the week, where 0 is Sunday.
    public var weekday: Int
    public var secondsFromGMT: Int
  }

  /// Returns the local date and time. Timestamps are clamped to ``RFC3339/writableDates``.
  public func components(of date: Date) -> Components {
    let seconds = Int(RFC3339.boundedSeconds(of: date))
    let offset = rules.secondsFromGMT(at: Int64(seconds))
    let day = CivilDate(daysSince1970: (seconds + offset).flooringQuotient(by: 86_400))
    let clock = seconds + offset - day.daysSince1970 * 86_400
    let (year, month, number) = day.fields
    return Components(
      year: year, month: month, day: number, hour: clock / 3600, minute: clock / 60 % 60, second: clock % 60,
      weekday: day.weekday, secondsFromGMT: offset)
  }

  /// Returns the timestamp of a local time. Months, days and hours out of range carry over.
  ///
  /// If a clock change repeats the time, the result is its first occurrence. If a clock change skips it, the result is
  /// later by the length of the change.
  public func date(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) -> Date {
    func bounded(_ value: Int) -> Int { Int(Int32(clamping: value)) }
    let months = bounded(year) * 12 + bounded(month) - 1
    let year = months.flooringQuotient(by: 12)
    let start = CivilDate(year: year, month: months - year * 12 + 1, day: bounded(day))
    return rules.date(
      onClock: start.daysSince1970 * 86_400 + bounded(hour) * 3600 + bounded(minute) * 60 + bounded(second))
  }

  /// Returns the start of the day that contains `date`, plus a number of days. Days begin at ``dayStart``.
  public func startOfDay(_ date: Date, addingDays days: Int = 0) -> Date { start(of: day(of: date).advanced(by: days)) }

  /// Returns the time when a day begins.
  public func start(of day: CivilDate) -> Date { rules.date(onClock: day.daysSince1970 * 86_400 + dayStart) }

  /// Returns the start of the week that contains `date`, plus a number of weeks.
  public func startOfWeek(_ date: Date, addingWeeks weeks: Int = 0) -> Date {
    let day = day(of: date)
    return start(of: day.advanced(by: weeks * 7 - (day.weekday - firstWeekday + 7) % 7))
  }

  /// Returns the start of the day with the same calendar date as `date`.
  public func startOfDay(datedAs date: Date) -> Date { start(of: self.date(of: date)) }

  /// Returns the latest midnight at or before `date`, regardless of ``dayStart``.
  public func midnight(_ date: Date) -> Date { midnight(of: self.date(of: date)) }

  /// Returns an RFC 3339 string with the local offset, and with fraction digits only if the milliseconds are not 0.
  public func rfc3339(_ date: Date) -> String {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    let digits = milliseconds.truncatingRemainder(dividingBy: 1000) == 0 ? 0 : 3
    return RFC3339.string(
      from: date, secondsFromGMT: components(of: date).secondsFromGMT, fractionDigits: digits)
  }

  /// Returns a string such as `Fri 20 Nov 08:30`, with the year if it differs from `year`.
  public func dayAndTime(_ date: Date, year: Int? = nil) -> String {
    "\(day(date, year: year)) \(time(date))"
  }

  /// Returns a string such as `Fri 20 Nov`, with the year if it differs from `year`.
  public func day(_ date: Date, year: Int? = nil) -> String {
    let fields = components(of: date)
    let suffix = year == nil || year == fields.year ? "" : " \(fields.year)"
    return "\(Self.weekdays[fields.weekday]) \(fields.day) \(Self.months[fields.month - 1])\(suffix)"
  }

  /// Returns a string such as `08:30` or `8:30 am`.
  public func time(_ date: Date) -> String {
    let fields = components(of: date)
    return clock(hour: fields.hour, minute: fields.minute)
  }

  /// Returns a time of day as `08:30` or `8:30 am`. Hour 24 is the midnight at the end of the day.
  public func clock(hour: Int, minute: Int) -> String {
    guard showsTwelveHours else { return "\(Self.twoDigits(hour)):\(Self.twoDigits(minute))" }
    return "\(hour % 12 == 0 ? 12 : hour % 12):\(Self.twoDigits(minute)) \(hour % 24 < 12 ? "am" : "pm")"
  }

  /// Returns the offset as a string such as `+01:00`.
  public func offset(_ date: Date) -> String {
    let seconds = components(of: date).secondsFromGMT
    let minutes = abs(seconds) / 60
    return "\(seconds < 0 ? "-" : "+")\(Self.twoDigits(minutes / 60)):\(Self.twoDigits(minutes % 60))"
  }

  /// English abbreviations of the days of the week, Sunday first.
  public static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  /// English abbreviations of the months.
  public static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
