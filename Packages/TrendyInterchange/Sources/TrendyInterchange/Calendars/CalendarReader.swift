import TrendyFoundation
import TrendyModels

/// Reads calendars (RFC 5545): their events, and what repeats, repeated within the time that is asked for, else until now.
///
/// An instance that was moved or cancelled replaces the one whose start it names. Tasks, journals and alarms are counted.
struct CalendarReader {
  /// When something begins or ends, as it is written.
  private enum Moment {
    case date(CivilDate)
    case wall(WallTime, ZoneClock)

    var wall: WallTime {
      switch self {
      case .date(let day): WallTime(day: day)
      case .wall(let wall, _): wall
      }
    }

    func date(in zone: ZoneClock) -> Date {
      switch self {
      case .date(let day): zone.date(day)
      case .wall(let wall, let zone): zone.date(wall.day, secondOfDay: wall.secondOfDay)
      }
    }

    /// The same clock at another time.
    func at(_ wall: WallTime) -> Moment {
      switch self {
      case .date: .date(wall.day)
      case .wall(_, let zone): .wall(wall, zone)
      }
    }
  }

  private struct Item {
    var lines: [CalendarLines.Line] = []
    var number = 0

    func first(_ name: String) -> CalendarLines.Line? { lines.first { $0.name == name && !$0.value.isEmpty } }
    func all(_ name: String) -> [CalendarLines.Line] { lines.filter { $0.name == name && !$0.value.isEmpty } }
    func text(_ name: String) -> String? {
      first(name).map { CalendarLines.text($0.value) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    var sequence: Int { first("SEQUENCE").flatMap { Int($0.value) } ?? 0 }
  }

  static func isCalendar(_ head: ArraySlice<UInt8>) -> Bool {
    let head = TextEncoding.beginning(head.prefix(256)).withoutLeadingSpace
    return String(decoding: head.prefix(15), as: UTF8.self).uppercased() == "BEGIN:VCALENDAR"
  }

  private let options: ImportOptions
  private var zones = CalendarZones()
  private var items: [Item] = []
  private var skipped: [String: Int] = [:]

  static func read(
    _ input: ByteInput, _ options: ImportOptions, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    var reader = CalendarReader(options: options)
    try reader.readLines(input)
    try reader.give(body)
  }

  private init(options: ImportOptions) { self.options = options }

  private mutating func readLines(_ input: ByteInput) throws {
    var lines = try CalendarLines(input)
    var open: [String] = []
    var item: Item?
    var zone: (name: String, observances: [CalendarZones.Observance])?
    while let line = try lines.next() {
      switch line.name {
      case "BEGIN":
        let name = line.value.uppercased()
        guard open.count < 16 else { continue }
        open.append(name)
        if name == "VEVENT" {
          item = Item(number: line.number)
        } else if name == "VTIMEZONE" {
          zone = ("", [])
        } else if name == "STANDARD" || name == "DAYLIGHT" {
          zone?.observances.append(CalendarZones.Observance())
        } else if name != "VCALENDAR" {
          skipped[name.hasPrefix("V") ? String(name.dropFirst().lowercased().prefix(32)) : "other part", default: 0] +=
            1
        }
      case "END":
        let name = open.popLast()
        if name == "VEVENT", let ended = item {
          items.append(ended)
          item = nil
        } else if name == "VTIMEZONE", let ended = zone {
          zones.describe(ended.name, ended.observances)
          zone = nil
        }
      case "VERSION" where line.value == "1.0":
        throw InterchangeError.malformed(
          line: line.number, column: 1,
          reason: "this is vCalendar 1.0, not iCalendar: export it as .ics of version 2.0",
          pointsRead: 0)
      case "X-WR-TIMEZONE": zones.ofCalendar = zones.clock(line.value)
      case "TZID" where zone != nil && open.last == "VTIMEZONE": zone?.name = line.value
      default:
        if open.last == "VEVENT" {
          item?.lines.append(line)
        } else if open.last == "STANDARD" || open.last == "DAYLIGHT", let last = zone?.observances.indices.last {
          switch line.name {
          case "DTSTART": zone?.observances[last].start = WallTime(line.value)
          case "TZOFFSETFROM": zone?.observances[last].from = CalendarZones.offset(line.value) ?? 0
          case "TZOFFSETTO": zone?.observances[last].to = CalendarZones.offset(line.value) ?? 0
          case "RRULE": zone?.observances[last].rule = RecurrenceRule(line.value)
          case "RDATE": zone?.observances[last].dates += line.value.split(separator: ",").compactMap { WallTime($0) }
          default: break
          }
        }
      }
    }
  }

  // MARK: Events

  private mutating func give(_ body: (InterchangeRecord, String) throws -> Void) throws {
    var masters: [String: Item] = [:]
    var order: [String] = []
    var overrides: [String: [Item]] = [:]
    for (index, item) in items.enumerated() {
      let uid = item.text("UID") ?? "\u{0}\(index)"
      if item.first("RECURRENCE-ID") != nil {
        overrides[uid, default: []].append(item)
      } else if let other = masters[uid] {
        if item.sequence >= other.sequence { masters[uid] = item }
      } else {
        masters[uid] = item
        order.append(uid)
      }
    }
    for uid in order {
      guard let master = masters[uid] else { continue }
      try give(master, uid: uid.hasPrefix("\u{0}") ? nil : uid, overrides.removeValue(forKey: uid) ?? [], body)
    }
    // Invitations to a single instance.
    for (uid, items) in overrides.sorted(by: { $0.key < $1.key }) {
      for item in items {
        guard let original = item.first("RECURRENCE-ID").flatMap({ moment($0) }) else { continue }
        try give(item, uid: uid, original: original, body)
      }
    }
    for (what, count) in skipped.sorted(by: { $0.key < $1.key }) {
      try body(.skip(what: what, count: count), "the file")
    }
  }

  /// An event, and what it repeats as.
  private mutating func give(
    _ item: Item, uid: String?, _ overrides: [Item], _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let start = item.first("DTSTART").flatMap({ moment($0) }) else {
      return try body(.bad(reason: "the event has no start that can be read"), "line \(item.number)")
    }
    let rules = item.all("RRULE")
    let extra = item.all("RDATE").flatMap { moments($0) }
    guard !rules.isEmpty || !extra.isEmpty else { return try give(item, uid: uid, original: nil, body) }
    let lower = options.range?.lowerBound ?? .distantPast
    let upper = options.range.map { $0.upperBound == .distantFuture ? options.now : $0.upperBound } ?? options.now
    let zone = clock(of: start)
    let first = max(start.wall, wall(lower, zone))
    let last = wall(upper, zone)
    var walls: Set<WallTime> = []
    for line in rules {
      guard var rule = RecurrenceRule(line.value) else {
        try body(
          .bad(reason: "'\(line.value.prefix(80))' is not a rule by which something repeats"), "line \(line.number)")
        continue
      }
      if rule.isUntilUTC, let until = rule.until {
        let moment = ZoneClock.utc.date(until.day, secondOfDay: until.secondOfDay)
        if case .wall = start { rule.until = wall(moment, zone) }
      }
      walls.formUnion(rule.occurrences(from: start.wall, in: first, through: last))
    }
    if rules.isEmpty, start.wall >= first { walls.insert(start.wall) }
    for moment in extra where moment.wall >= first && moment.wall <= last {
      walls.insert(self.wall(moment, like: start))
    }
    for line in item.all("EXRULE") {
      guard let rule = RecurrenceRule(line.value) else { continue }
      walls.subtract(rule.occurrences(from: start.wall, in: first, through: last))
    }
    for moment in item.all("EXDATE").flatMap({ moments($0) }) {
      if case .date(let day) = moment {
        walls = walls.filter { $0.day != day }
      } else {
        walls.remove(wall(moment, like: start))
      }
    }
    for override in overrides {
      guard let original = override.first("RECURRENCE-ID").flatMap({ moment($0) }) else { continue }
      walls.remove(wall(original, like: start))
      try give(override, uid: uid, original: start.at(wall(original, like: start)), body)
    }
    for wall in walls.sorted() { try give(item, uid: uid, original: start.at(wall), isInstance: true, body) }
  }

  private func clock(of moment: Moment) -> ZoneClock {
    if case .wall(_, let zone) = moment { zone } else { options.zone }
  }

  private func wall(_ date: Date, _ zone: ZoneClock) -> WallTime {
    let limits = -62_135_596_800.0...253_000_000_000.0
    let seconds = min(max(date.timeIntervalSince1970, limits.lowerBound), limits.upperBound)
    let (day, second) = zone.wall(at: Date(timeIntervalSince1970: seconds))
    return WallTime(day: day, secondOfDay: second)
  }

  /// A moment on the clock of another.
  private func wall(_ moment: Moment, like start: Moment) -> WallTime {
    switch (moment, start) {
    case (.date(let day), .wall(let wall, _)): WallTime(day: day, secondOfDay: wall.secondOfDay)
    case (.wall, .wall(_, let zone)): wall(moment.date(in: options.zone), zone)
    default: WallTime(day: moment.wall.day)
    }
  }

  /// One event. `original` is the start by which an instance is known; it is also its start where `isInstance`.
  private mutating func give(
    _ item: Item, uid: String?, original: Moment?, isInstance: Bool = false,
    _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    let place = "line \(item.number)"
    guard let written = item.first("DTSTART").flatMap({ moment($0) }) else {
      return try body(.bad(reason: "the event has no start that can be read"), place)
    }
    if item.text("STATUS")?.uppercased() == "CANCELLED" { return try body(.skip(what: "cancelled event"), place) }
    let start = isInstance ? original ?? written : written
    let title = item.text("SUMMARY") ?? "Event"
    var event = ForeignEvent(typeName: CalendarGroup.name(of: title), key: [], timestamp: start.date(in: options.zone))
    event.hints = [title.lowercased()] + CalendarGroup.words(of: title)
    event.timeZone = clock(of: start).name ?? options.zone.name
    if case .date = start { event.isAllDay = true }
    event.endDate = end(of: item, written, start)
    event.title = title
    event.notes = item.text("DESCRIPTION").map { $0.contains("<") ? EventTableReader.withoutMarkup($0) : $0 }
    event.locationName = item.text("LOCATION")
    if let parts = item.first("GEO")?.value.split(whereSeparator: { $0 == ";" || $0 == "," }), parts.count == 2,
      let latitude = FieldText.number(parts[0]), let longitude = FieldText.number(parts[1])
    {
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      if coordinate.isValid { event.coordinate = coordinate }
    }
    event.externalId = uid
    let beginning = RFC3339.string(from: event.timestamp)
    if let uid {
      event.key = ["ics", uid]
      if let original {
        switch original {
        case .date(let day): event.key.append("\(day)")
        case .wall: event.key.append(RFC3339.string(from: original.date(in: options.zone)))
        }
      }
      event.isKeyUnique = true
    } else {
      event.key = ["ics", "", beginning, event.endDate.map { RFC3339.string(from: $0) } ?? "", title]
    }
    try body(.event(event), place)
  }

  private mutating func end(of item: Item, _ written: Moment, _ start: Moment) -> Date? {
    if let end = item.first("DTEND").flatMap({ moment($0) }) {
      if case .date = start {
        // The end is the day after the last one.
        let days = max(0, end.wall.day.daysSince1970 - written.wall.day.daysSince1970 - 1)
        return days == 0 ? nil : options.zone.date(start.wall.day.advanced(by: days))
      }
      let seconds = end.date(in: options.zone).timeIntervalSince(written.date(in: options.zone))
      return seconds > 0 ? start.date(in: options.zone).addingTimeInterval(seconds) : nil
    }
    guard let (days, seconds) = item.first("DURATION").flatMap({ Self.duration($0.value) }) else { return nil }
    if case .date = start { return days > 1 ? options.zone.date(start.wall.day.advanced(by: days - 1)) : nil }
    let wall = WallTime(day: start.wall.day.advanced(by: days), secondOfDay: start.wall.secondOfDay)
    let end = start.at(wall).date(in: options.zone).addingTimeInterval(Double(seconds))
    return end > start.date(in: options.zone) ? end : nil
  }

  /// `P1DT2H30M`: calendar days, and seconds.
  private static func duration(_ text: String) -> (days: Int, seconds: Int)? {
    var rest = text.uppercased()[...]
    if rest.first == "+" { rest.removeFirst() }
    guard rest.first == "P" else { return nil }
    var (days, seconds, digits) = (0, 0, "")
    for character in rest.dropFirst() where character != "T" {
      if character.isNumber {
        digits.append(character)
        continue
      }
      guard let number = Int(digits), number < 1_000_000 else { return nil }
      digits = ""
      switch character {
      case "W": days += number * 7
      case "D": days += number
      case "H": seconds += number * 3600
      case "M": seconds += number * 60
      case "S": seconds += number
      default: return nil
      }
    }
    return (days, seconds)
  }

  private mutating func moment(_ line: CalendarLines.Line) -> Moment? { moments(line).first }

  private mutating func moments(_ line: CalendarLines.Line) -> [Moment] {
    line.value.split(separator: ",").compactMap { text in
      // A period counts from its start.
      let text = text.split(separator: "/").first ?? text
      guard let wall = WallTime(text) else { return nil }
      if text.utf8.count == 8 { return .date(wall.day) }
      if text.hasSuffix("Z") { return .wall(wall, .utc) }
      let named = line.parameters["TZID"].flatMap { zones.clock($0) }
      return .wall(wall, named ?? zones.ofCalendar ?? options.zone)
    }
  }
}

/// Kinds of events that titles in a calendar tell.
enum CalendarGroup {
  private static let groups: [(name: String, words: [String])] = [
    ("Dental", ["dentist", "dental", "orthodontist", "teeth"]),
    ("Therapy", ["therapy", "therapist", "counseling", "counselling", "psychologist", "physio"]),
    ("Medical", ["doctor", "hospital", "clinic", "medical", "checkup", "check-up", "gp", "appointment dr", "vaccine"]),
    ("Exercise", ["gym", "workout", "run", "yoga", "swim", "training", "exercise", "pilates", "fitness", "tennis"]),
    ("Meal", ["lunch", "dinner", "breakfast", "brunch", "restaurant"]),
    ("Education", ["class", "lecture", "course", "school", "exam", "lesson", "seminar"]),
    ("Travel", ["flight", "train", "hotel", "trip", "airport", "travel", "vacation", "holiday"]),
    ("Work", ["meeting", "standup", "stand-up", "sync", "review", "interview", "sprint", "call", "1:1", "office"]),
  ]

  static func words(of title: String) -> [String] {
    title.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != ":" }.map(String.init)
  }

  /// The group of a title, else its first word of more than three letters, else the title.
  static func name(of title: String) -> String {
    let words = words(of: title)
    for group in groups where group.words.contains(where: { words.contains($0) }) { return group.name }
    let word = words.first { $0.count > 3 }
    return word.map { $0.prefix(1).uppercased() + $0.dropFirst() }.map { String($0.prefix(64)) }
      ?? String(title.prefix(64))
  }
}
