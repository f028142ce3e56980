public import TrendyFoundation
public import TrendyModels

/// External event: an event as another program recorded it.
///
/// It has the name of its type instead of a type id, and a natural key by which a second import recognizes it.
public struct ExternalEvent: Hashable, Sendable {
  /// Name of the event type in the source.
  public var typeName: String
  /// Other names in lower case that the user may map to a type of the record.
  public var hints: [String] = []
  /// Parts of the natural key, identical in every file that contains the event.
  public var key: [String]
  /// Whether the source's keys are unique. If not, a repeated key within one file denotes a separate event.
  public var isKeyUnique = false
  /// Id in a store of this product, for files that this product exported.
  public var id: String?
  /// Id in the source. It identifies an event of the store if the store has one with this id.
  public var possibleID: String?
  public var timestamp: Date
  /// End of the event, not before `timestamp`. For an all-day event it is midnight of the last date.
  public var endDate: Date?
  public var isAllDay = false
  public var notes: String?
  /// IANA name of the zone in which the event was recorded.
  public var timeZone: String?
  /// Source in the store that exported the event; `nil` for events of other programs.
  public var source: EventSourceType?
  public var title: String?
  public var externalId: String?
  public var locationName: String?
  public var coordinate: Coordinate?
  /// Route as the source recorded it.
  public var route: [Coordinate] = []
  /// Fixes of the route by time. They are stored but not used for detection, because the source classified them.
  public var track: [Location] = []
  /// Rule by which duplicates from other sources are recognized; `nil` if only the key is compared.
  public var sameness: DuplicateRule?
  /// Property values by key.
  public var properties: [String: PropertyValue] = [:]
  /// Property kinds that apply only to this event, for keys with another kind in other events.
  public var kinds: [String: PropertyType] = [:]

  /// Key of the trip property with the transport mode, such as `car` or `train`.
  public static let modeKey = "mode"

  /// Rule by which events of two sources are recognized as duplicates.
  public enum DuplicateRule: Hashable, Sendable {
    /// They overlap by more than half of the longer one, and their positions, if known, are within `metres`.
    case time(metres: Double)
    /// They start within a minute, and their durations differ by at most 5 %.
    case moments
    /// Total of a habit on a day, compared with the sum of the events of that day.
    case day(amount: Double)
  }

  /// Creates an external event without optional values.
  public init(typeName: String, key: [String], timestamp: Date) {
    self.typeName = typeName
    self.key = key
    self.timestamp = timestamp
  }
}

/// Item of a file.
public enum InterchangeRecord: Hashable, Sendable {
  /// Entity of a store of this product, with the fields of its create request.
  case entity(kind: MutationEntityType, id: String, fields: [String: JSONValue])
  /// Event of another program.
  case event(ExternalEvent)
  /// Event type, which may have no events. An existing type with this name is not changed.
  case type(ExternalType)
  /// Property that events of a type have and the file does not define. `typeID` is the type's id in the file.
  case property(key: String, kind: PropertyType, typeID: String)
  /// Dates that do not break a streak.
  case dayOff(ExternalSkip)
  /// Track in which trips are detected.
  case track(TrackFile)
  /// Fix of a device, in which trips are detected.
  case fix(Location, device: String)
  /// Fixes that are stored but not used for detection, because the source provides trips and visits.
  case path([Location], source: String)
  /// Motion sample of a device.
  case motion(MotionActivity, device: String)
  /// Trip command: `start`, `end`, `finalize` or `cancel`.
  case call(kind: String, time: Date, device: String)
  /// Note of detection that a store keeps with the readings of a device.
  case note(kind: String, id: String, time: Date, content: [UInt8], device: String)
  /// Item that is not imported, with a description such as `alarm`.
  case skip(what: String, count: Int = 1)
  /// Item that cannot be parsed, with the reason.
  case bad(reason: String)
}

/// Options for reading a file, for properties that its content does not determine.
public struct ImportOptions: Sendable {
  /// Time zone of times without an offset.
  public var zone: ZoneClock
  /// Range outside which events are skipped and recurrences end; `nil` for all events.
  public var range: Range<Date>?
  /// Current time, at which endless recurrences end.
  public var now: Date
  /// Columns of a table by role, such as `type`, `start` or `note`.
  public var columns: [String: String]
  /// Roles that ``columns`` accepts as keys.
  public static var columnNames: [String] { TableProfile.Role.allCases.map(\.rawValue) }
  /// Whether `3/4` is the third of April; `nil` to detect the order.
  public var isDayFirst: Bool?
  /// Whether the user specified ``zone``. If not, times in an unknown zone are rejected.
  public var isZoneChosen = false
  /// Decimal separator of a table's numbers; `nil` to detect it.
  public var decimalSign: DecimalSign?
  /// Unit of durations without one; `nil` to detect it.
  public var durationUnit: DurationUnit?
  /// Event type for a table without a column for it.
  public var typeName: String?
  /// Cell values in lower case that mark a habit as done, in a table with a column per habit; `nil` for the defaults.
  public var doneValues: Set<String>?

  /// Creates options. See the properties for the meaning of the arguments.
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
  /// Returns the zone name of an event for which the file contains only an offset.
  ///
  /// It is the zone of the options if that has the same offset at the time, or if the offset is unknown.
  ///
  /// - Parameters:
  ///   - offset: Seconds east of Greenwich; `nil` if unknown.
  ///   - time: Time of the event.
  /// - Returns: IANA name, or `nil` if no zone has this offset.
  func zoneName(secondsFromGMT offset: Int?, at time: Date) -> String? {
    guard let offset, offset != zone.secondsFromGMT(at: time) else { return zone.name }
    if offset == 0 { return "UTC" }
    // In these names positive offsets are west of Greenwich (tz database, file etcetera).
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

/// Time zone: converts between times and local dates.
public struct ZoneClock: Sendable {
  /// IANA name; `nil` if unknown.
  public let name: String?
  private let offset: @Sendable (Date) -> Int

  /// Coordinated Universal Time.
  public static let utc = ZoneClock(name: "UTC") { _ in 0 }

  /// Creates a zone from a function.
  ///
  /// - Parameters:
  ///   - name: IANA name; `nil` if unknown.
  ///   - offset: Returns the seconds east of Greenwich at a time.
  public init(name: String?, offset: @escaping @Sendable (Date) -> Int) {
    self.name = name
    self.offset = offset
  }

  /// Creates a zone from an IANA name, or returns `nil` if the system does not know it.
  public init?(named name: String) {
    guard let rules = TimeZoneRules(named: name) else { return nil }
    self.init(name: name) { rules.secondsFromGMT(at: $0) }
  }

  /// Returns the seconds east of Greenwich at a time.
  public func secondsFromGMT(at date: Date) -> Int { offset(date) }

  /// Returns the time of a local date and second of the day.
  ///
  /// A local time that occurs twice denotes the first occurrence; one that is skipped uses the offset before the
  /// change.
  public func date(_ day: CivilDate, secondOfDay: Int = 0) -> Date {
    let wall = Double(day.daysSince1970) * 86_400 + Double(secondOfDay)
    let before = offset(Date(timeIntervalSince1970: wall - 90_000))
    let first = Date(timeIntervalSince1970: wall - Double(before))
    if offset(first) == before { return first }
    let after = offset(Date(timeIntervalSince1970: wall + 90_000))
    let second = Date(timeIntervalSince1970: wall - Double(after))
    return offset(second) == after ? second : first
  }

  /// Returns the local date and second of the day at a time.
  public func wall(at date: Date) -> (day: CivilDate, secondOfDay: Int) {
    let seconds = date.timeIntervalSince1970.rounded(.down) + Double(offset(date))
    let day = (seconds / 86_400).rounded(.down)
    return (CivilDate(daysSince1970: Int(day)), Int(seconds - day * 86_400))
  }
}

extension PropertyValue {
  /// Creates a number value, an integer if the number is whole and below 10^15.
  static func number(integerIfWhole value: Double) -> PropertyValue {
    value == value.rounded() && abs(value) < 1e15 ? .number(Int(value)) : .number(value)
  }
}
