public import TrendyFoundation
public import TrendyModels

/// Times and file names of scheduled exports. Reads neither the clock nor the disk.
///
/// File names contain the date (`trendy-2026-11-25.ndjson`), and the files in the folder determine when the next export
/// is due. If the computer was off for a night or a month, a single export replaces the missed exports.
public struct ExportSchedule: Hashable, Sendable {
  /// Interval in seconds, at least one hour. An interval of whole days refers to days in the user's calendar.
  public let interval: Double
  /// Number of files to retain, at least 1.
  public let keep: Int
  /// Suffix of the file names, such as `.ndjson`.
  public let suffix: String

  /// Minimum interval in seconds.
  public static let shortest = 3600.0
  private static let prefix = "trendy-"

  /// Creates a schedule.
  /// - Parameters:
  ///   - interval: Interval in seconds, at least ``shortest``.
  ///   - keep: Number of files to retain, at least 1.
  ///   - suffix: Suffix of the file names, including the dot and without slashes.
  public init(interval: Double, keep: Int, suffix: String) {
    precondition(
      interval >= Self.shortest && keep >= 1 && !suffix.contains("/"), "every \(interval) s, \(keep) of '\(suffix)'")
    (self.interval, self.keep, self.suffix) = (interval, keep, suffix)
  }

  private var days: Int? {
    let days = (interval / 86_400).rounded()
    return days >= 1 && interval == days * 86_400 ? Int(days) : nil
  }

  /// Returns the name of a file that is written at the given time.
  public func name(at now: Date, in local: LocalTime) -> String {
    guard days == nil else { return "\(Self.prefix)\(local.day(of: now))\(suffix)" }
    let fields = local.components(of: now)
    let date = CivilDate(year: fields.year, month: fields.month, day: fields.day)
    return "\(Self.prefix)\(date)-\(Self.digits(fields.hour))\(Self.digits(fields.minute))\(suffix)"
  }

  /// Returns the time at which a file was written, parsed from its name. Returns `nil` for any name that this schedule
  /// does not produce.
  public func moment(of name: String, in local: LocalTime) -> Date? {
    guard name.hasPrefix(Self.prefix), name.hasSuffix(suffix),
      name.utf8.count > Self.prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let stem = name.dropFirst(Self.prefix.count).dropLast(suffix.count)
    guard let date = CivilDate(stem.prefix(10)), date.description == stem.prefix(10) else { return nil }
    let rest = stem.dropFirst(10)
    guard days == nil else { return rest.isEmpty ? local.start(of: date) : nil }
    guard rest.count == 5, rest.first == "-", rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let hour = Int(rest.dropFirst().prefix(2)), let minute = Int(rest.suffix(2)), hour < 24, minute < 60
    else { return nil }
    return local.date(year: date.year, month: date.month, day: date.day, hour: hour, minute: minute)
  }

  /// Returns the latest file. Ignores files dated in the future, which were written while the clock was wrong.
  public func last(of names: some Sequence<String>, now: Date, in local: LocalTime) -> String? {
    names.compactMap { name in moment(of: name, in: local).map { ($0, name) } }
      .filter { $0.0 <= now }.max { $0 < $1 }?.1
  }

  /// Returns the time of the next export, or `now` if there has been none. `names` are all files in the folder.
  public func next(after names: some Sequence<String>, now: Date, in local: LocalTime) -> Date {
    guard let last = last(of: names, now: now, in: local), let made = moment(of: last, in: local) else { return now }
    guard let days else { return made.addingTimeInterval(interval) }
    return local.start(of: local.day(of: made).advanced(by: days))
  }

  /// Returns the names to delete so that ``keep`` files remain, oldest first. `own` must contain only files written by
  /// this schedule.
  public func superseded(_ own: some Sequence<String>, in local: LocalTime) -> [String] {
    let sorted = Set(own).compactMap { name in moment(of: name, in: local).map { ($0, name) } }.sorted { $0 < $1 }
    return sorted.dropLast(keep).map(\.1)
  }

  private static func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
