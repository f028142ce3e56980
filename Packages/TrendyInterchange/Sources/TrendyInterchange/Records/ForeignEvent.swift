public import TrendyFoundation
public import TrendyModels

/// An event as another program recorded it: its type by name, and a key by which it is known again.
public struct ForeignEvent: Hashable, Sendable {
  public var typeName: String
  /// Other names, in lower case, by which a person may say what it is to be recorded as.
  public var hints: [String] = []
  /// Names the event in its source, in the words of the source: the same in every file that holds it.
  public var key: [String]
  /// Whether no two events of the source have one key; else the second of a file is another event.
  public var isKeyUnique = false
  /// Its id in a store of this product.
  public var id: String?
  /// An id of its source that denotes an event here if the store has one of that id.
  public var possibleID: String?
  public var timestamp: Date
  /// Not before `timestamp`; of an all-day event midnight of its last date.
  public var endDate: Date?
  public var isAllDay = false
  public var notes: String?
  /// IANA name of the zone it was recorded in.
  public var timeZone: String?
  /// Where a store of this product had it from; `nil` for what comes from elsewhere.
  public var source: EventSourceType?
  public var title: String?
  public var externalId: String?
  public var locationName: String?
  public var coordinate: Coordinate?
  /// The way, as far as its source recorded it.
  public var route: [Coordinate] = []
  /// The fixes of that way, in the order of time: they are kept, and no trips are looked for in them, as the source has told what they are.
  public var track: [Location] = []
  /// How one is known that another source told of; `nil` where only the key counts.
  public var sameness: Sameness?
  public var properties: [String: PropertyValue] = [:]
  /// Kinds of properties whose value here is of another kind than in other events.
  public var kinds: [String: PropertyType] = [:]

  /// Key of the property of a trip that says by what it was made, such as `car` or `train`.
  public static let modeKey = "mode"

  /// How two sources tell of one thing.
  public enum Sameness: Hashable, Sendable {
    /// More than half of the longer one's time is the other's too, and their places, where both have one, are no farther apart.
    case time(metres: Double)
    /// They begin within a minute, and their lengths differ by a twentieth at most.
    case moments
    /// The amount of a habit on a day, which is what the events of that day sum up to.
    case day(amount: Double)
  }

  public init(typeName: String, key: [String], timestamp: Date) {
    self.typeName = typeName
    self.key = key
    self.timestamp = timestamp
  }
}

/// One thing that a file holds.
public enum InterchangeRecord: Hashable, Sendable {
  /// An entity of a store of this product, with the fields that make it as on the wire.
  case entity(kind: MutationEntityType, id: String, fields: [String: JSONValue])
  case event(ForeignEvent)
  /// A type that may have no events; one of its name that is there already stays as it is.
  case type(ForeignType)
  /// A property that events of a type have, where the file does not define it; the id is that of the type in the file.
  case property(key: String, kind: PropertyType, typeID: String)
  /// Days that break no streak.
  case dayOff(ForeignSkip)
  /// A track of its own, in which trips are looked for.
  case track(TrackFile)
  case fix(Location, device: String)
  /// Fixes of a source that tells its trips and visits itself: they are kept, and nothing is looked for in them.
  case path([Location], source: String)
  case motion(MotionActivity, device: String)
  /// A word about a drive: `start`, `end`, `finalize` or `cancel`.
  case call(kind: String, time: Date, device: String)
  /// What a store noted beside the readings of a device.
  case note(kind: String, id: String, time: Date, content: [UInt8], device: String)
  /// Something that is no record here, by what it is, such as `alarm`.
  case skip(what: String, count: Int = 1)
  /// Something that cannot be read, and why.
  case bad(reason: String)
}

/// How a file is to be read where it does not say so itself.
public struct ImportOptions: Sendable {
  /// Of times without a zone.
  public var zone: ZoneClock
  /// Events outside are left out, and what repeats is repeated within; `nil` for all of time.
  public var range: Range<Date>?
  /// Now, for what repeats without end: it is not repeated beyond.
  public var now: Date
  /// Columns of a table by the name of what they hold, such as `type`, `start` or `note`.
  public var columns: [String: String]
  /// What ``columns`` can name.
  public static var columnNames: [String] { TableProfile.Role.allCases.map(\.rawValue) }
  /// Whether `3/4` is the third of April; `nil` to find out.
  public var isDayFirst: Bool?
  /// Whether the user chose ``zone``; otherwise times in an unknown zone are not read.
  public var isZoneChosen = false
  /// Decimal sign of a table's numbers; `nil` to find out.
  public var decimalSign: DecimalSign?
  /// Unit of durations that have none; `nil` to find out.
  public var durationUnit: DurationUnit?
  /// Type of the events of a table that has no column for it.
  public var typeName: String?
  /// Values, in lower case, that mark a habit as done in a table with one column per habit; `nil` for the usual ones.
  public var doneValues: Set<String>?

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
  /// The zone of an event for which a file tells no more than an offset: that of the options where their clocks agree.
  /// - Parameters:
  ///   - offset: seconds east of Greenwich; `nil` where the file tells none.
  ///   - time: of the event.
  /// - Returns: `nil` for an offset that no zone has by name.
  func zoneName(secondsFromGMT offset: Int?, at time: Date) -> String? {
    guard let offset, offset != zone.secondsFromGMT(at: time) else { return zone.name }
    if offset == 0 { return "UTC" }
    // In these names east is negative (tz database, file etcetera).
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

/// The clocks of one zone: moments of times on the wall.
public struct ZoneClock: Sendable {
  /// IANA name; `nil` where nobody says it.
  public let name: String?
  private let offset: @Sendable (Date) -> Int

  public static let utc = ZoneClock(name: "UTC") { _ in 0 }

  /// - Parameters:
  ///   - name: IANA name; `nil` where it has none.
  ///   - offset: seconds east of Greenwich at a moment.
  public init(name: String?, offset: @escaping @Sendable (Date) -> Int) {
    self.name = name
    self.offset = offset
  }

  /// - Returns: `nil` where the system does not know the zone.
  public init?(named name: String) {
    guard let rules = TimeZoneRules(named: name) else { return nil }
    self.init(name: name) { rules.secondsFromGMT(at: $0) }
  }

  /// Seconds east of Greenwich.
  public func secondsFromGMT(at date: Date) -> Int { offset(date) }

  /// The moment of a time on the wall. Of an hour that a change of the clocks repeats the first; one that it skips has the offset before.
  public func date(_ day: CivilDate, secondOfDay: Int = 0) -> Date {
    let wall = Double(day.daysSince1970) * 86_400 + Double(secondOfDay)
    let before = offset(Date(timeIntervalSince1970: wall - 90_000))
    let first = Date(timeIntervalSince1970: wall - Double(before))
    if offset(first) == before { return first }
    let after = offset(Date(timeIntervalSince1970: wall + 90_000))
    let second = Date(timeIntervalSince1970: wall - Double(after))
    return offset(second) == after ? second : first
  }

  /// The date and the second of the day on the wall.
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
