public import TrendyFoundation
public import TrendyModels

/// Event recorded by another program.
///
/// Such an event has a type name instead of a type id, and a natural key that identifies the event when it is imported
/// again.
public struct ExternalEvent: Hashable, Sendable {
  /// Name of the event type in the source.
  public var typeName: String
  /// Other names, in lower case, by which the user can map the event to one of their own types.
  public var hints: [String] = []
  /// Parts of the natural key, the same in every file that contains the event.
  public var key: [String]
  /// Whether the source's keys are unique. If not, a key that is repeated in a file denotes a separate event.
  public var isKeyUnique = false
  /// Id in the store from which this product exported the event, or `nil`.
  public var id: String?
  /// Id in the source. A stored event with this id is the same event.
  public var possibleID: String?
  public var timestamp: Date
  /// Date of `timestamp` in the time zone that a measurement states.
  var localDate: CivilDate?
  /// End of the event, not before `timestamp`. For an all-day event, midnight of its last date.
  public var endDate: Date?
  public var isAllDay = false
  public var notes: String?
  /// IANA name of the time zone in which the event was recorded.
  public var timeZone: String?
  /// Source of the event in the store that exported it, or `nil` for events from other programs.
  public var source: EventSourceType?
  public var title: String?
  public var externalId: String?
  public var locationName: String?
  public var coordinate: Coordinate?
  /// Route as recorded by the source.
  public var route: [Coordinate] = []
  /// Fixes of the route in chronological order. These fixes are stored but not used for detection, because the source
  /// has already classified them.
  public var track: [Location] = []
  /// Rule for recognising the same event from other sources, or `nil` to compare only the key.
  public var sameness: DuplicateRule?
  /// Property values by key.
  public var properties: [String: PropertyValue] = [:]
  /// Property kinds for this event, for keys that have a different kind in other events.
  public var kinds: [String: PropertyType] = [:]

  /// Key of the trip property that contains the transport mode, such as `car` or `train`.
  public static let modeKey = "mode"

  /// Rule for recognising events from two sources as duplicates.
  public enum DuplicateRule: Hashable, Sendable {
    /// The events overlap by more than half of the longer event, and their positions, if known, are within `metres`.
    case time(metres: Double)
    /// The events start within one minute, and their durations differ by at most 5 %.
    case moments
    /// The amount is a habit's total for one day. It is compared with the sum of the day's events.
    case day(amount: Double)
  }

  /// Creates an external event without optional values.
  public init(typeName: String, key: [String], timestamp: Date) {
    self.typeName = typeName
    self.key = key
    self.timestamp = timestamp
  }
}

/// Item read from a file.
public enum InterchangeRecord: Hashable, Sendable {
  /// Entity exported from a store of this product, with the fields of its create request.
  case entity(kind: MutationEntityType, id: String, fields: [String: JSONValue])
  /// Event from another program.
  case event(ExternalEvent)
  /// Event type, possibly without events. An existing type with this name is not changed.
  case type(ExternalType)
  /// Property of events that the file does not define. `typeID` is the id of the event type in the file.
  case property(key: String, kind: PropertyType, typeID: String)
  /// Dates that neither break nor extend a streak.
  case dayOff(ExternalSkip)
  /// Track in which trips are to be detected.
  case track(TrackFile)
  /// Fix from a device. Trips are to be detected in the fixes of this device.
  case fix(Location, device: String)
  /// Fixes that are stored but not used for detection, because the source provides its own trips and visits.
  case path([Location], source: String)
  /// Motion sample from a device.
  case motion(MotionActivity, device: String)
  /// Trip command: `start`, `end`, `finalize` or `cancel`.
  case call(kind: String, time: Date, device: String)
  /// Detection state that a store keeps with a device's readings.
  case note(kind: String, id: String, time: Date, content: [UInt8], device: String)
  /// Item that is not imported. `what` describes it, for example "alarm".
  case skip(what: String, count: Int = 1)
  /// Malformed item, with the reason.
  case bad(reason: String)
}

/// Options for properties that the content of a file does not determine.
public struct ImportOptions: Sendable {
  /// Time zone of timestamps without an offset.
  public var zone: ZoneClock
  /// Time range to import, or `nil` for all events. Recurrences are expanded only within this range.
  public var range: Range<Date>?
  /// Current time, at which the expansion of recurrences without an end stops.
  public var now: Date
  /// Column names of a table by role, such as `type`, `start` or `note`.
  public var columns: [String: String]
  /// Roles that can be keys of ``columns``.
  public static var columnNames: [String] { TableProfile.Role.allCases.map(\.rawValue) }
  /// Whether `3/4` is the third of April, or `nil` to detect the order of day and month.
  public var isDayFirst: Bool?
  /// Whether the user specified ``zone``. If not, timestamps in an unknown zone are rejected.
  public var isZoneChosen = false
  /// Decimal separator of a table's numbers, or `nil` to detect it.
  public var decimalSign: DecimalSign?
  /// Unit of durations written without a unit, or `nil` to detect it.
  public var durationUnit: DurationUnit?
  /// Event type for the rows of a table without a type column.
  public var typeName: String?
  /// Whether a table is read by the names of its columns, even if it has the layout of a known program.
  public var isPlainTable = false
  /// Name of the file, from which the event type of some files is derived.
  public var fileName: String?
  /// Lower-case cell texts that mark a habit as done, in a table with one column per habit. `nil` for the defaults.
  public var doneValues: Set<String>?

  /// Creates options. The arguments correspond to the properties.
  public init(
    zone: ZoneClock, range: Range<Date>? = nil, now: Date, columns: [String: String] = [:], isDayFirst: Bool? = nil
  ) {
    self.zone = zone
    self.range = range
    self.now = now
    self.columns = columns
    self.isDayFirst = isDayFirst
  }
}

extension ImportOptions {
  /// Returns the zone name for an event whose file contains only an offset.
  ///
  /// Returns ``zone`` if this zone has the offset at the time of the event, or if the offset is unknown.
  ///
  /// - Parameters:
  ///   - offset: UTC offset in seconds, or `nil` if unknown.
  ///   - time: Time of the event.
  /// - Returns: An IANA name, or `nil` if no zone with this offset is known.
  func zoneName(secondsFromGMT offset: Int?, at time: Date) -> String? {
    guard let offset, offset != zone.secondsFromGMT(at: time) else { return zone.name }
    if offset == 0 { return "UTC" }
    // In these names, positive offsets are west of Greenwich (tz database, file `etcetera`).
    if offset % 3600 == 0, (-12...14).contains(offset / 3600) {
      return "Etc/GMT\(offset > 0 ? "-" : "+")\(abs(offset / 3600))"
    }
    return [
      -12_600: "America/St_Johns", -9_000: "America/St_Johns", 12_600: "Asia/Tehran", 16_200: "Asia/Kabul",
      19_800: "Asia/Kolkata", 20_700: "Asia/Kathmandu", 23_400: "Asia/Yangon", 34_200: "Australia/Darwin",
      37_800: "Australia/Adelaide",
    ][offset]
  }
}

/// Time zone that converts between times and local dates.
public struct ZoneClock: Sendable {
  /// IANA name, or `nil` if unknown.
  public let name: String?
  private let offset: @Sendable (Date) -> Int

  /// Coordinated Universal Time.
  public static let utc = ZoneClock(name: "UTC") { _ in 0 }

  /// Creates a zone from a function.
  ///
  /// - Parameters:
  ///   - name: IANA name, or `nil` if unknown.
  ///   - offset: Returns the UTC offset in seconds at a time, positive to the east.
  public init(name: String?, offset: @escaping @Sendable (Date) -> Int) {
    self.name = name
    self.offset = offset
  }

  /// Creates a zone from an IANA name. Returns `nil` if the system does not know the zone.
  public init?(named name: String) {
    guard let rules = TimeZoneRules(named: name) else { return nil }
    self.init(name: name) { rules.secondsFromGMT(at: $0) }
  }

  /// Returns the UTC offset at a time in seconds, positive to the east.
  public func secondsFromGMT(at date: Date) -> Int { offset(date) }

  /// Returns the time at a local date and second of the day.
  ///
  /// If a local time occurs twice, returns the first occurrence. Skipped local times are interpreted with the offset
  /// before the change.
  public func date(_ day: CivilDate, secondOfDay: Int = 0) -> Date {
    let wall = Double(day.daysSince1970) * 86_400 + Double(secondOfDay)
    let before = offset(Date(timeIntervalSince1970: wall - 90_000))
    let first = Date(timeIntervalSince1970: wall - Double(before))
    if offset(first) == before { return first }
    let after = offset(Date(timeIntervalSince1970: wall + 90_000))
    let second = Date(timeIntervalSince1970: wall - Double(after))
    return offset(second) == after ? second : first
  }

  /// Returns the local date and second of the day of a time.
  public func wall(at date: Date) -> (day: CivilDate, secondOfDay: Int) {
    let seconds = date.timeIntervalSince1970.rounded(.down) + Double(offset(date))
    let day = (seconds / 86_400).rounded(.down)
    return (CivilDate(daysSince1970: Int(day)), Int(seconds - day * 86_400))
  }
}

extension PropertyValue {
  /// Creates a number value: an integer if the number is whole and below 10^15.
  static func number(integerIfWhole value: Double) -> PropertyValue {
    value == value.rounded() && abs(value) < 1e15 ? .number(Int(value)) : .number(value)
  }
}
