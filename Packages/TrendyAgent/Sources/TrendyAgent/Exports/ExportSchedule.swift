public import TrendyFoundation
public import TrendyModels

/// How often a record is exported by itself, what the files are called, and how many of them stay. It reads no clock and no disk.
///
/// A file carries its date in its name (`trendy-2026-11-25.ndjson`), and what is in the folder says what is due: so whatever was
/// missed, of a night or of a month, is made once.
public struct ExportSchedule: Hashable, Sendable {
  /// Seconds from one to the next, an hour or more. Whole days are counted by the person's days.
  public let interval: Double
  /// Files that stay, 1 or more.
  public let keep: Int
  /// What the names of the files end in: `.ndjson`.
  public let suffix: String

  /// The least that an interval can be, in seconds.
  public static let shortest = 3600.0
  private static let prefix = "trendy-"

  /// - Parameters:
  ///   - interval: in seconds, ``shortest`` or more.
  ///   - keep: files that stay, 1 or more.
  ///   - suffix: of the names of files, with its dot; without a slash.
  public init(interval: Double, keep: Int, suffix: String) {
    precondition(
      interval >= Self.shortest && keep >= 1 && !suffix.contains("/"), "every \(interval) s, \(keep) of '\(suffix)'")
    (self.interval, self.keep, self.suffix) = (interval, keep, suffix)
  }

  /// `nil` for one that counts hours.
  private var days: Int? {
    let days = (interval / 86_400).rounded()
    return days >= 1 && interval == days * 86_400 ? Int(days) : nil
  }

  /// Of a file that is made now.
  public func name(at now: Date, in local: LocalTime) -> String {
    guard days == nil else { return "\(Self.prefix)\(local.day(of: now))\(suffix)" }
    let fields = local.components(of: now)
    let date = CivilDate(year: fields.year, month: fields.month, day: fields.day)
    return "\(Self.prefix)\(date)-\(Self.digits(fields.hour))\(Self.digits(fields.minute))\(suffix)"
  }

  /// When a file was made, by its name; `nil` for a name that this schedule does not give.
  public func moment(of name: String, in local: LocalTime) -> Date? {
    guard name.hasPrefix(Self.prefix), name.hasSuffix(suffix),
      name.utf8.count > Self.prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let stem = name.dropFirst(Self.prefix.count).dropLast(suffix.count)
    guard let date = CivilDate(stem.prefix(10)), date.description == stem.prefix(10) else { return nil }
    let rest = stem.dropFirst(10)
    guard days == nil else { return rest.isEmpty ? local.startOfDay(datedAs: local.midnight(of: date)) : nil }
    guard rest.count == 5, rest.first == "-", rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let hour = Int(rest.dropFirst().prefix(2)), let minute = Int(rest.suffix(2)), hour < 24, minute < 60
    else { return nil }
    return local.date(year: date.year, month: date.month, day: date.day, hour: hour, minute: minute)
  }

  /// The file that was made last; one of a day that is still to come, as a clock that was wrong leaves it, counts for nothing.
  public func last(of names: some Sequence<String>, now: Date, in local: LocalTime) -> String? {
    names.compactMap { name in moment(of: name, in: local).map { ($0, name) } }
      .filter { $0.0 <= now }.max { $0 < $1 }?.1
  }

  /// When the next one is due; not after now where there is none yet.
  /// - Parameters:
  ///   - names: of all files in the folder.
  ///   - now: the present moment.
  ///   - local: the person's clock.
  public func next(after names: some Sequence<String>, now: Date, in local: LocalTime) -> Date {
    guard let last = last(of: names, now: now, in: local), let made = moment(of: last, in: local) else { return now }
    guard let days else { return made.addingTimeInterval(interval) }
    return local.startOfDay(datedAs: local.midnight(of: local.day(of: made).advanced(by: days)))
  }

  /// The files that are too many, the oldest first.
  /// - Parameters:
  ///   - own: names of files that this schedule made.
  ///   - local: the person's clock.
  public func superseded(_ own: some Sequence<String>, in local: LocalTime) -> [String] {
    let sorted = Set(own).compactMap { name in moment(of: name, in: local).map { ($0, name) } }.sorted { $0 < $1 }
    return sorted.dropLast(keep).map(\.1)
  }

  private static func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
