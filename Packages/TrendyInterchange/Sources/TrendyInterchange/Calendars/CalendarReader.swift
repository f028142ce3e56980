import TrendyFoundation
import TrendyModels

/// Reads calendars (RFC 5545) and expands recurring events within the requested range, by default until now.
///
/// A moved or cancelled instance replaces the instance with the same original start. Tasks, journals and alarms are
/// counted as skipped.
struct CalendarReader {
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
    /// Index of the calendar in the file, which may contain several.
    var calendar = 0
    var isCut = false

    func first(_ name: String) -> CalendarLines.Line? { lines.first { $0.name == name && !$0.value.isEmpty } }
    func all(_ name: String) -> [CalendarLines.Line] { lines.filter { $0.name == name && !$0.value.isEmpty } }
    func text(_ name: String) -> String? {
      first(name).map { CalendarLines.text($0.value) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    var sequence: Int { first("SEQUENCE").flatMap { Int($0.value) } ?? 0 }
  }

  static func isCalendar(_ head: ArraySlice<UInt8>) -> Bool {
    let head = TextEncoding.beginning(head.prefix(256)).withoutLeadingSpace
    let beginning = String(decoding: head.prefix(15), as: UTF8.self).uppercased()
    return beginning == "BEGIN:VCALENDAR" || beginning.hasPrefix("BEGIN:VEVENT")
  }

  private static let texts: Set<String> = ["SUMMARY", "DESCRIPTION", "LOCATION", "COMMENT"]

  private let options: ImportOptions
  private var zones = CalendarZones()
  private var items: [Item] = []
  /// Lines without a colon.
  private var brokenLines: [CalendarLines.Line] = []
  private var skipped: [String: Int] = [:]
  private var calendars = [Calendar()]

  /// Properties of a VCALENDAR that apply to its events.
  private struct Calendar {
    /// Value of `X-WR-TIMEZONE`.
    var zone: String?
    /// Whether this product wrote the calendar. If so, its UIDs are event ids.
    var isOwn = false
  }

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
          if let unclosed = item { keep(unclosed, isCut: true) }
          item = Item(number: line.number, calendar: calendars.count - 1)
        } else if name == "VCALENDAR" {
          calendars.append(Calendar())
        } else if name == "VTIMEZONE" {
          zone = ("", [])
        } else if name == "STANDARD" || name == "DAYLIGHT" {
          zone?.observances.append(CalendarZones.Observance())
        } else {
          skipped[
            name.hasPrefix("V") ? String(name.dropFirst().lowercased().prefix(32)) : "other component", default: 0] +=
            1
        }
      case "END":
        let name = open.popLast()
        if name == "VEVENT", let ended = item {
          keep(ended, isCut: FieldText.trim(line.value).uppercased() != "VEVENT")
          item = nil
        } else if name == "VTIMEZONE", let ended = zone {
          zones.describe(ended.name, ended.observances)
          zone = nil
        }
      case "VERSION" where line.value == "1.0":
        throw InterchangeError.malformed(
          line: line.number, column: 1,
          reason: "vCalendar 1.0 is not supported: export it as iCalendar 2.0 (.ics)",
          pointsRead: 0)
      case "X-WR-TIMEZONE": calendars[calendars.count - 1].zone = FieldText.trim(line.value)
      case "PRODID": calendars[calendars.count - 1].isOwn = line.value == CalendarWriter.product
      case "TZID" where zone != nil && open.last == "VTIMEZONE": zone?.name = line.value
      case "":
        brokenLines.append(line)
        // Some programs write a line break within a text.
        if open.last == "VEVENT", let last = item?.lines.indices.last, Self.texts.contains(item?.lines[last].name ?? "")
        {
          item?.lines[last].value += "\\n" + line.value
        }
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
    if let item { keep(item, isCut: true) }
  }

  private mutating func keep(_ item: Item, isCut: Bool) {
    var item = item
    item.isCut = isCut
    items.append(item)
  }

  // MARK: Events

  private func report(
    _ reason: String, _ line: Int, _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    try body(.bad(reason: reason), "line \(line)")
  }

  private mutating func give(_ body: (InterchangeRecord, String) throws -> Void) throws {
    try checkZones(body)
    for line in brokenLines { try report("not a calendar line: '\(line.value.prefix(40))'", line.number, body) }
    var masters: [String: [Item]] = [:]
    var order: [String] = []
    var overrides: [String: [Item]] = [:]
    for (index, item) in items.enumerated() {
      if item.isCut { try report("the event has no END:VEVENT", item.number, body) }
      let uid = item.text("UID") ?? "\u{0}\(index)"
      if let line = item.first("RECURRENCE-ID"), moment(line, item) != nil {
        overrides[uid, default: []].append(item)
        continue
      }
      if let line = item.first("RECURRENCE-ID") {
        try report(
          "invalid instance '\(line.value.prefix(40))': imported as a separate event", line.number, body)
      }
      if masters[uid] == nil { order.append(uid) }
      masters[uid, default: []].append(item)
    }
    for uid in order {
      var changes = overrides.removeValue(forKey: uid) ?? []
      let found = newest(masters[uid] ?? [])
      if found.superseded > 0 { skipped["outdated version of an event", default: 0] += found.superseded }
      for (index, master) in found.items.enumerated() {
        let start = master.first("DTSTART")?.value ?? ""
        let key = uid.hasPrefix("\u{0}") ? nil : index == 0 ? [uid] : [uid, "start", start]
        try give(master, uid: key, changes, body)
        // Changed instances belong to the first series.
        if isSeries(master) || index == found.items.count - 1 { changes = [] }
      }
    }
    // The remaining overrides are invitations to single instances of a series that is not in the file.
    for (uid, items) in overrides.sorted(by: { $0.key < $1.key }) {
      for item in items {
        guard let original = item.first("RECURRENCE-ID").flatMap({ moment($0, item) }) else { continue }
        try give(item, uid: [uid], original: original, body)
      }
    }
    for (what, count) in skipped.sorted(by: { $0.key < $1.key }) {
      try body(.skip(what: what, count: count), "the file")
    }
  }

  /// Returns the events with the highest SEQUENCE among events with the same UID, one for each start. Series precede
  /// single events.
  private func newest(_ items: [Item]) -> (items: [Item], superseded: Int) {
    let sequence = items.map(\.sequence).max() ?? 0
    var byStart: [String: Item] = [:]
    for item in items where item.sequence == sequence { byStart[item.first("DTSTART")?.value ?? ""] = item }
    let kept = byStart.values.sorted {
      (isSeries($0) ? 0 : 1, $0.first("DTSTART")?.value ?? "") < (
        isSeries($1) ? 0 : 1, $1.first("DTSTART")?.value ?? ""
      )
    }
    return (kept, items.count - kept.count)
  }

  private func isSeries(_ item: Item) -> Bool { item.first("RRULE") != nil || item.first("RDATE") != nil }

  /// Reports unknown time zones.
  ///
  /// - Throws: ``InterchangeError/undecided(_:reason:)`` for an unknown zone, unless the user has chosen a zone.
  private mutating func checkZones(_ body: (InterchangeRecord, String) throws -> Void) throws {
    var reported: Set<String> = []
    for item in items {
      for line in item.lines where ["DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE"].contains(line.name) {
        guard let text = line.value.split(whereSeparator: { $0 == "," || $0 == "/" }).first, WallTime(text) != nil,
          text.contains(where: { $0 == "T" || $0 == "t" }), !text.hasSuffix("Z")
        else { continue }
        let ofCalendar = calendars[item.calendar].zone
        let named = line.parameters["TZID"]
        guard let name = named ?? ofCalendar, zones.clock(name) == nil else { continue }
        let other = named == nil ? nil : ofCalendar.flatMap { zones.clock($0) }
        guard other != nil || options.isZoneChosen else {
          throw InterchangeError.undecided(
            .zone, reason: "line \(line.number): unknown time zone '\(name.prefix(80))'")
        }
        if reported.insert(name).inserted {
          let used = (other ?? options.zone).name ?? "the time zone of this machine"
          try report("unknown time zone '\(name.prefix(80))': using \(used)", line.number, body)
        }
      }
    }
  }

  /// Emits an event and its recurrences within the requested range.
  private mutating func give(
    _ item: Item, uid: [String]?, _ overrides: [Item], _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    guard let start = start(of: item) else {
      return try report("the event has no valid start", item.number, body)
    }
    let rules = item.all("RRULE")
    var extra: [Moment] = []
    for line in item.all("RDATE") { extra += try listed(line, item, body) }
    guard !rules.isEmpty || !extra.isEmpty else {
      if !overrides.isEmpty {
        for override in overrides {
          guard let original = override.first("RECURRENCE-ID").flatMap({ moment($0, override) }) else { continue }
          try give(override, uid: uid, original: original, body)
        }
        let isReplaced = overrides.contains {
          $0.first("RECURRENCE-ID").flatMap { moment($0, item) }.map { wall($0, like: start) } == start.wall
        }
        if isReplaced { return }
      }
      return try give(item, uid: uid, original: nil, body)
    }
    let lower = options.range?.lowerBound ?? .distantPast
    let upper = options.range.map { $0.upperBound == .distantFuture ? options.now : $0.upperBound } ?? options.now
    let zone = clock(of: start)
    let first = wall(lower, zone)
    let last = wall(upper, zone)
    var walls: Set<WallTime> = []
    for line in rules { walls.formUnion(try times(of: line, start, from: max(start.wall, first), through: last, body)) }
    // Add the start, which is an instance even if it does not match the rule.
    walls.insert(start.wall)
    for moment in extra {
      let wall = wall(moment, like: start)
      if wall >= first, wall <= last { walls.insert(wall) }
    }
    for line in item.all("EXRULE") {
      walls.subtract(try times(of: line, start, from: max(start.wall, first), through: last, body))
    }
    var deleted: Set<WallTime> = []
    var deletedDays: Set<CivilDate> = []
    for line in item.all("EXDATE") {
      for moment in try listed(line, item, body) {
        if case .date(let day) = moment { deletedDays.insert(day) } else { deleted.insert(wall(moment, like: start)) }
      }
    }
    func isDeleted(_ wall: WallTime) -> Bool { deleted.contains(wall) || deletedDays.contains(wall.day) }
    walls = walls.filter { !isDeleted($0) }
    var later: [(from: WallTime, start: Moment, item: Item)] = []
    for override in overrides {
      guard let line = override.first("RECURRENCE-ID"), let original = moment(line, override) else { continue }
      let wall = wall(original, like: start)
      guard !isDeleted(wall) else {
        try body(.skip(what: "changed instance that the series excludes"), "line \(override.number)")
        continue
      }
      if line.parameters["RANGE"]?.uppercased() == "THISANDFUTURE", let moved = self.start(of: override) {
        later.append((wall, moved, override))
        continue
      }
      walls.remove(wall)
      try give(override, uid: uid, original: start.at(wall), body)
    }
    later.sort { $0.from < $1.from }
    for wall in walls.sorted() {
      guard let change = later.last(where: { $0.from <= wall }) else {
        try give(item, uid: uid, original: start.at(wall), at: start.at(wall), body)
        continue
      }
      // `THISANDFUTURE` moves this and all later instances by the same amount.
      let moved = self.wall(change.start, like: start)
      let days = moved.day.daysSince1970 - change.from.day.daysSince1970
      guard abs(days) < 36_525 else {
        try report("the instance was moved by more than a century", change.item.number, body)
        continue
      }
      let seconds = wall.secondOfDay + moved.secondOfDay - change.from.secondOfDay
      let time = WallTime(
        day: wall.day.advanced(by: days + (seconds < 0 ? -1 : seconds / 86_400)),
        secondOfDay: (seconds + 86_400) % 86_400)
      try give(change.item, uid: uid, original: start.at(wall), at: start.at(time), body)
    }
  }

  /// Returns the instances of a rule. An invalid rule has no instances and is reported.
  private func times(
    of line: CalendarLines.Line, _ start: Moment, from first: WallTime, through last: WallTime,
    _ body: (InterchangeRecord, String) throws -> Void
  ) throws -> [WallTime] {
    guard var rule = RecurrenceRule(line.value) else {
      try report(
        "invalid recurrence rule '\(line.value.prefix(80))': only the first occurrence was imported", line.number, body)
      return []
    }
    var until: Date?
    if rule.isUntilUTC, let end = rule.until, case .wall(_, let zone) = start {
      let moment = ZoneClock.utc.date(end.day, secondOfDay: end.secondOfDay)
      until = moment
      // Include one more day, because a local time may occur twice. The exact instants are compared below.
      let wall = wall(moment, zone)
      rule.until = WallTime(day: wall.day.advanced(by: 1), secondOfDay: wall.secondOfDay)
    } else if rule.isUntilUTC, let end = rule.until {
      rule.until = WallTime(day: end.day, secondOfDay: 86_399)
    }
    let (times, isCut) = rule.expanded(from: start.wall, in: first, through: last)
    if isCut {
      try report(
        "the rule has more than \(times.count) occurrences: those after \(times.last.map { "\($0.day)" } ?? "the first") were skipped",
        line.number, body)
    }
    guard let until else { return times }
    return times.filter { start.at($0).date(in: options.zone) <= until }
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

  private func wall(_ moment: Moment, like start: Moment) -> WallTime {
    switch (moment, start) {
    case (.date(let day), .wall(let wall, _)): WallTime(day: day, secondOfDay: wall.secondOfDay)
    case (.wall, .wall(_, let zone)): wall(moment.date(in: options.zone), zone)
    default: WallTime(day: moment.wall.day)
    }
  }

  /// Emits one event.
  ///
  /// - Parameters:
  ///   - item: Lines of the event.
  ///   - uid: Parts of the event's natural key, or `nil` for an event without a UID.
  ///   - original: Original start of an instance, which identifies it within its series.
  ///   - time: Start of the instance, or `nil` for the start in `item`.
  ///   - body: Receives the event.
  private mutating func give(
    _ item: Item, uid: [String]?, original: Moment?, at time: Moment? = nil,
    _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    let place = "line \(item.number)"
    guard let written = start(of: item) else {
      return try report("the event has no valid start", item.number, body)
    }
    if item.text("STATUS")?.uppercased() == "CANCELLED" { return try body(.skip(what: "cancelled event"), place) }
    let start = time ?? written
    let title = item.text("SUMMARY") ?? "Event"
    let category = category(of: item)
    var event = ExternalEvent(
      typeName: category ?? CalendarGroup.name(of: title), key: [], timestamp: start.date(in: options.zone))
    event.hints = (category.map { [$0.lowercased()] } ?? []) + [title.lowercased()] + CalendarGroup.words(of: title)
    event.timeZone = clock(of: start).name ?? options.zone.name
    if case .date = start { event.isAllDay = true }
    var problems: [(String, Int)] = []
    event.endDate = end(of: item, written, start, &problems)
    event.title = title
    event.notes = item.text("DESCRIPTION").map { $0.contains("<") ? CellText.withoutMarkup($0) : $0 }
    event.locationName = item.text("LOCATION")
    readPlace(of: item, &event, &problems)
    event.externalId = uid?.first
    let beginning = RFC3339.string(from: event.timestamp)
    if let uid {
      event.key = ["ics"] + uid
      if let original {
        switch original {
        case .date(let day): event.key.append("\(day)")
        case .wall: event.key.append(RFC3339.string(from: original.date(in: options.zone)))
        }
      }
      event.isKeyUnique = true
      if uid.count == 1, original == nil, WireIdentifier.isValid(uid[0]) {
        takeOwn(item, uid[0], &event, &problems)
      }
    } else {
      event.key = ["ics", "", beginning, event.endDate.map { RFC3339.string(from: $0) } ?? "", title]
    }
    try body(.event(event), place)
    if time == nil || time?.wall == written.wall { for (reason, line) in problems { try report(reason, line, body) } }
  }

  /// Reads the properties that this product adds to its own calendars.
  ///
  /// In other calendars, the UID may be the id of an event that this product exported earlier.
  private func takeOwn(
    _ item: Item, _ uid: String, _ event: inout ExternalEvent, _ problems: inout [(String, Int)]
  ) {
    guard calendars[item.calendar].isOwn else { return event.possibleID = uid }
    event.id = uid
    event.externalId = item.text("X-TRENDY-EXTERNAL-ID")
    event.title = item.text("X-TRENDY-TITLE")
    event.timeZone = item.text("X-TRENDY-TIME-ZONE")
    var check = FieldCheck()
    func read<Value>(_ name: String, _ convert: (String) -> Value?) -> Value? {
      check.read(name, item.text(name).map { .string($0) }) { $0.stringValue.flatMap(convert) }
    }
    event.source = read("X-TRENDY-SOURCE") { EventSourceType(rawValue: $0) }
    if let start = read("X-TRENDY-START", RFC3339.date(from:)) { event.timestamp = start }
    if let end = read("X-TRENDY-END", RFC3339.date(from:)) { event.endDate = end }
    let written = read("X-TRENDY-PROPERTIES") { try? WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue }
    for (key, property) in (written ?? [:]).sorted(by: { $0.key < $1.key }) {
      let read: PropertyValue? = check.read("property", property) { property in
        guard let type = property["type"]?.stringValue.flatMap(PropertyType.init(rawValue:)) else { return nil }
        return property["value"].map { PropertyValue(type: type, value: $0) }
      }
      if let read { event.properties[key] = read }
    }
    problems += check.reasons.map { ($0, item.number) }
  }

  private func category(of item: Item) -> String? {
    guard let line = item.first("CATEGORIES") else { return nil }
    var text = ""
    var isEscaped = false
    for character in line.value {
      if character == ",", !isEscaped {
        if !FieldText.trim(text).isEmpty { break }
        text = ""
        continue
      }
      isEscaped = character == "\\" && !isEscaped
      text.append(character)
    }
    let name = FieldText.trim(CalendarLines.text(text))
    return name.isEmpty || name.utf8.count > 128 ? nil : name
  }

  private func readPlace(of item: Item, _ event: inout ExternalEvent, _ problems: inout [(String, Int)]) {
    if let line = item.first("GEO") ?? item.first("X-APPLE-STRUCTURED-LOCATION") {
      let text = line.value.lowercased().hasPrefix("geo:") ? line.value.dropFirst(4) : line.value[...]
      let parts = text.split(whereSeparator: { $0 == ";" || $0 == "," })
      if parts.count >= 2, let latitude = FieldText.number(parts[0]), let longitude = FieldText.number(parts[1]),
        Coordinate(latitude: latitude, longitude: longitude).isValid
      {
        event.coordinate = Coordinate(latitude: latitude, longitude: longitude)
      } else {
        problems.append(("invalid coordinates '\(line.value.prefix(40))'", line.number))
      }
    }
    if event.locationName == nil {
      event.locationName = item.first("X-APPLE-STRUCTURED-LOCATION")?.parameters["X-TITLE"].map {
        CalendarLines.text($0)
      }
    }
  }

  /// Returns the start of an event, as a date for an all-day event.
  ///
  /// All-day events include events marked by Outlook, and events that begin and end at midnight.
  private mutating func start(of item: Item) -> Moment? {
    guard let line = item.first("DTSTART"), let start = moment(line, item) else { return nil }
    guard case .wall(let wall, _) = start, wall.secondOfDay == 0 else { return start }
    if item.text("X-MICROSOFT-CDO-ALLDAYEVENT")?.uppercased() == "TRUE" { return .date(wall.day) }
    guard !line.value.hasSuffix("Z"), let last = item.first("DTEND").flatMap({ moment($0, item) }),
      case .wall(let end, _) = last, end.secondOfDay == 0, end.day > wall.day
    else { return start }
    return .date(wall.day)
  }

  private mutating func end(
    of item: Item, _ written: Moment, _ start: Moment, _ problems: inout [(String, Int)]
  ) -> Date? {
    if let line = item.first("DTEND") {
      guard let end = moment(line, item) else {
        problems.append(("invalid end '\(line.value.prefix(40))': ignored", line.number))
        return nil
      }
      if case .date = start {
        // DTEND is the day after the last day of the event.
        let days = end.wall.day.daysSince1970 - written.wall.day.daysSince1970 - 1
        if days < -1 { problems.append(("the end is before the start: the end was ignored", line.number)) }
        return days <= 0 ? nil : options.zone.date(start.wall.day.advanced(by: days))
      }
      let seconds = end.date(in: options.zone).timeIntervalSince(written.date(in: options.zone))
      if seconds < 0 { problems.append(("the end is before the start: the end was ignored", line.number)) }
      return seconds > 0 ? start.date(in: options.zone).addingTimeInterval(seconds) : nil
    }
    guard let line = item.first("DURATION") else { return nil }
    guard let (days, seconds) = Self.duration(line.value) else {
      problems.append(("invalid duration '\(line.value.prefix(40))': ignored", line.number))
      return nil
    }
    if case .date = start { return days > 1 ? options.zone.date(start.wall.day.advanced(by: days - 1)) : nil }
    let wall = WallTime(day: start.wall.day.advanced(by: days), secondOfDay: start.wall.secondOfDay)
    let end = start.at(wall).date(in: options.zone).addingTimeInterval(Double(seconds))
    return end > start.date(in: options.zone) ? end : nil
  }

  /// Parses a duration such as `P1DT2H30M` to calendar days and seconds.
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

  private mutating func moment(_ line: CalendarLines.Line, _ item: Item) -> Moment? {
    line.value.split(separator: ",").first.flatMap { moment($0, line, item) }
  }

  private mutating func moment(_ text: Substring, _ line: CalendarLines.Line, _ item: Item) -> Moment? {
    let text = FieldText.trim(text.split(separator: "/").first ?? text)
    guard let wall = WallTime(text) else {
      // Accept a UTC offset, which iCalendar does not allow, because its meaning is unambiguous.
      return RFC3339.date(from: text).map { .wall(self.wall($0, .utc), .utc) }
    }
    if !text.contains(where: { $0 == "T" || $0 == "t" }) { return .date(wall.day) }
    if text.hasSuffix("Z") { return .wall(wall, .utc) }
    let named = line.parameters["TZID"].flatMap { zones.clock($0) }
    return .wall(wall, named ?? calendars[item.calendar].zone.flatMap { zones.clock($0) } ?? options.zone)
  }

  /// Returns the valid times in a list and reports the invalid times.
  private mutating func listed(
    _ line: CalendarLines.Line, _ item: Item, _ body: (InterchangeRecord, String) throws -> Void
  ) throws -> [Moment] {
    var moments: [Moment] = []
    for text in line.value.split(separator: ",") {
      if let moment = moment(text, line, item) {
        moments.append(moment)
      } else {
        try report("invalid \(line.name) '\(text.prefix(40))': ignored", line.number, body)
      }
    }
    return moments
  }
}
