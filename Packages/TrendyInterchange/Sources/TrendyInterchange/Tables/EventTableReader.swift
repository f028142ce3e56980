import TrendyFoundation
import TrendyModels

/// Reads tables of events: an event a row, the columns known by their names, how dates and numbers are written found out by content.
///
/// How a column is written is decided by all of the first rows together, never by one. Memory does not grow with the table.
struct EventTableReader {
  /// Rows by which columns are judged.
  private static let sample = 10_000

  private let profile: TableProfile
  private let options: ImportOptions
  private let header: [String]
  private var columns: [TableProfile.Role: Int] = [:]
  /// ``columns`` as they are asked for in each row.
  private var places: Places
  private var properties: [(index: Int, name: String, kind: PropertyType, isList: Bool)] = []
  /// Of how much of a habit was done.
  private var amountColumn: Int?
  private var isDecimalComma = false
  private var start: DateStyle = .yearFirst
  private var end: DateStyle = .yearFirst
  /// Seconds that a bare number of a duration stands for.
  private var durationUnit = 1.0
  /// The zone of the row before that named one, as rows of few alternate.
  private let lastZone = LastZone()

  private final class LastZone {
    var name = ""
    var zone: ZoneClock?
  }

  /// Where in a row what lies; -1 for what no column holds.
  private struct Places {
    var id, type, start, startDate, startTime, end, endDate, endTime, duration, isAllDay, note, title, source: Int
    var externalId, place, latitude, longitude, zone: Int

    init(_ columns: [TableProfile.Role: Int]) {
      func index(_ role: TableProfile.Role) -> Int { columns[role] ?? -1 }
      (id, type, start, startDate) = (index(.id), index(.type), index(.start), index(.startDate))
      (startTime, end, endDate, endTime) = (index(.startTime), index(.end), index(.endDate), index(.endTime))
      (duration, isAllDay, note, title) = (index(.duration), index(.isAllDay), index(.note), index(.title))
      (source, externalId, place, zone) = (index(.source), index(.externalId), index(.place), index(.zone))
      (latitude, longitude) = (index(.latitude), index(.longitude))
    }
  }

  static func isTable(_ head: ArraySlice<UInt8>, of profile: TableProfile) -> Bool {
    guard let header = header(of: head) else { return false }
    return profile.matches(header.map(normal))
  }

  /// Whether the columns of events are there: a time, and not those of fixes.
  static func isTable(_ head: ArraySlice<UInt8>) -> Bool {
    guard let names = header(of: head)?.map(normal), names.count > 1 else { return false }
    return [TableProfile.Role.start, .type].allSatisfy { role in
      TableProfile.any.roles[role]?.contains { names.contains($0) } == true
    }
  }

  static func header(of head: ArraySlice<UInt8>) -> [String]? {
    guard var rows = try? TableRows(ByteInput(Array(head.prefix(1 << 16)))) else { return nil }  // not a table
    return (try? rows.next())?.cells  // not a table
  }

  /// A name as columns are compared: without case, underscores and doubled spaces.
  private static func normal(_ name: String) -> String {
    name.lowercased().split { $0 == " " || $0 == "\u{A0}" }.joined(separator: " ")
      .replacing("all_day", with: "all day").replacing("external_id", with: "external id")
      .replacing("time_zone", with: "time zone").replacing("event_type", with: "event type")
      .replacing("start_time", with: "start time").replacing("end_time", with: "end time")
  }

  static func read(
    _ input: ByteInput, _ options: ImportOptions, as profile: TableProfile?,
    _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    var rows = try TableRows(input)
    guard let header = try rows.next() else {
      throw InterchangeError.malformed(line: 1, column: 1, reason: "the table is empty", pointsRead: 0)
    }
    let names = header.cells.map(normal)
    let profile = profile ?? TableProfile.all.first { $0.matches(names) } ?? .any
    var first: [(line: Int, cells: [String])] = []
    while first.count < sample, let row = try rows.next() { first.append(row) }
    let isSemicolon = rows.separator == UInt8(ascii: ";")
    let reader = try EventTableReader(profile, options, header.cells, first.map(\.cells), isSemicolon: isSemicolon)
    for (line, cells) in first { try body(reader.record(cells), "line \(line)") }
    while let (line, cells) = try rows.next() { try body(reader.record(cells), "line \(line)") }
  }

  private init(
    _ profile: TableProfile, _ options: ImportOptions, _ header: [String], _ rows: [[String]], isSemicolon: Bool
  ) throws(InterchangeError) {
    self.profile = profile
    self.options = options
    self.header = header
    places = Places([:])
    let names = header.map(Self.normal)
    for (word, name) in options.columns {
      guard let role = TableProfile.Role(rawValue: word) else { continue }
      guard let index = names.firstIndex(of: Self.normal(name)) else {
        throw .malformed(
          line: 1, column: 1, reason: "there is no column '\(name)', but \(header.joined(separator: ", "))",
          pointsRead: 0)
      }
      columns[role] = index
    }
    for role in TableProfile.Role.allCases where columns[role] == nil {
      let taken = Set(columns.values)
      let places = (profile.roles[role] ?? []).compactMap { names.firstIndex(of: $0) }
      columns[role] = places.first {
        !taken.contains($0) && !([.start, .end].contains(role) && Self.isOfClocks(rows, $0))
      }
    }
    guard columns[.start] != nil || columns[.startDate] != nil,
      columns[.type] != nil || profile.typeName != nil || profile.typeIfEmpty != nil
    else {
      throw .malformed(
        line: 1, column: 1,
        reason: "no column says when or what; there are \(header.joined(separator: ", ")). "
          + "--map start=COLUMN and --map type=COLUMN tell", pointsRead: 0)
    }
    func cells(_ index: Int) -> [String] {
      rows.compactMap { $0.count > index && !Self.isNothing($0[index]) ? $0[index] : nil }
    }
    isDecimalComma = isSemicolon
    func style(_ roles: [TableProfile.Role]) throws(InterchangeError) -> DateStyle? {
      guard let index = roles.compactMap({ columns[$0] }).first else { return nil }
      let texts = cells(index)
      if let style = try DateStyle.ofAll(texts, isDayFirst: options.isDayFirst, isContinental: isSemicolon) {
        return style
      }
      // One cell that is no date must not keep the others from being read: the style of most.
      return DateStyle.allCases.max { left, right in
        texts.count { left.read($0) != nil } < texts.count { right.read($0) != nil }
      }
    }
    start = try style([.start, .startDate]) ?? .yearFirst
    end = try style([.end, .endDate]) ?? start
    if let index = columns[.duration] {
      durationUnit = Self.unit(of: names[index])
    }
    places = Places(columns)
    amountColumn = profile.amount.flatMap { names.firstIndex(of: $0) }
    let used = Set(columns.values)
    for (index, name) in header.enumerated() where !used.contains(index) && !profile.ignored.contains(names[index]) {
      let key = names[index].hasPrefix("property: ") ? String(name.dropFirst(10)) : name
      guard !key.isEmpty else { continue }
      properties.append(
        (index, key, kind(of: cells(index), in: names[index]), profile.lists.contains(key.lowercased())))
    }
  }

  /// Whether a column has times on the clock alone, as beside one of dates.
  private static func isOfClocks(_ rows: [[String]], _ index: Int) -> Bool {
    let cells = rows.prefix(100).compactMap { $0.count > index && !isNothing($0[index]) ? $0[index] : nil }
    return !cells.isEmpty && cells.allSatisfy { $0.prefix(3).contains(":") && DateStyle.clock($0[...]) != nil }
  }

  private static func unit(of name: String) -> Double {
    if name.contains("hour") || name.contains("(h)") { return 3600 }
    return name.contains("min") ? 60 : 1
  }

  private func kind(of cells: [String], in name: String) -> PropertyType {
    guard !cells.isEmpty else { return .text }
    if profile.selects.contains(name) { return .select }
    if cells.allSatisfy({ Self.boolean($0) != nil && Double($0) == nil }) { return .boolean }
    if cells.allSatisfy({ number($0) != nil }) { return .number }
    if cells.allSatisfy({ $0.hasPrefix("http://") || $0.hasPrefix("https://") }) { return .url }
    if cells.allSatisfy({ CivilDate($0) != nil || RFC3339.date(from: $0) != nil }) { return .date }
    if profile.isOwn || profile.lists.contains(name) || cells.count < 20 || Set(cells).count > 12 { return .text }
    return .select
  }

  // MARK: A row

  private func record(_ cells: [String]) -> InterchangeRecord {
    func cell(_ place: Int) -> String? {
      place >= 0 && place < cells.count && !Self.isNothing(cells[place]) ? cells[place] : nil
    }
    guard let typeName = profile.typeName ?? cell(places.type) ?? profile.typeIfEmpty else {
      return .bad(reason: "the row does not say what happened")
    }
    if cell(places.start) == nil, ["sum", "total", "totals"].contains(typeName.lowercased()) {
      return .skip(what: "row of totals")
    }
    guard let startText = cell(places.start) ?? cell(places.startDate) else {
      return .bad(reason: "the row does not say when")
    }
    var zone = options.zone
    if let name = cell(places.zone), name != zone.name, let named = self.zone(named: name) { zone = named }
    guard var begin = start.read(startText) else {
      return .bad(reason: "'\(startText.prefix(40))' cannot be read as a time")
    }
    if begin.secondOfDay == nil, let text = cell(places.startTime) {
      guard let clock = DateStyle.clock(text[...]) else {
        return .bad(reason: "'\(text.prefix(40))' cannot be read as a time of day")
      }
      begin.secondOfDay = clock.secondOfDay
      begin.secondsFromGMT = clock.secondsFromGMT
    }
    let isAllDay = cell(places.isAllDay).flatMap(Self.boolean) ?? (begin.secondOfDay == nil)
    var event = ForeignEvent(typeName: typeName, key: [], timestamp: begin.moment(in: zone))
    event.isAllDay = isAllDay
    if isAllDay { event.timestamp = zone.date(begin.day) }
    event.timeZone = zone.name
    if let text = cell(places.end) ?? cell(places.endDate) {
      guard var finish = end.read(text) else { return .bad(reason: "'\(text.prefix(40))' cannot be read as a time") }
      if finish.secondOfDay == nil, let text = cell(places.endTime), let clock = DateStyle.clock(text[...]) {
        finish.secondOfDay = clock.secondOfDay
        finish.secondsFromGMT = clock.secondsFromGMT
      }
      event.endDate = isAllDay ? zone.date(finish.day) : finish.moment(in: zone)
    } else if !isAllDay, let clock = cell(places.endTime).flatMap({ DateStyle.clock($0[...]) }) {
      // On the day on which it began, or in the night after it.
      var finish = DateStyle.Reading(
        day: begin.day, secondOfDay: clock.secondOfDay, secondsFromGMT: clock.secondsFromGMT ?? begin.secondsFromGMT)
      if clock.secondOfDay < begin.secondOfDay ?? 0 { finish.day = begin.day.advanced(by: 1) }
      event.endDate = finish.moment(in: zone)
    } else if let text = cell(places.duration) {
      guard let seconds = duration(text) else {
        return .bad(reason: "'\(text.prefix(40))' cannot be read as a duration")
      }
      // How long it took on a day says nothing of when on that day.
      if isAllDay {
        event.properties[header[places.duration]] = .duration(seconds)
      } else {
        event.endDate = event.timestamp.addingTimeInterval(seconds)
      }
    }
    if let endDate = event.endDate, endDate < event.timestamp { return .bad(reason: "it ends before it begins") }
    let note = cell(places.note).map { profile.hasMarkup ? Self.withoutMarkup($0) : $0 }
    if profile.hasMarkup {
      let text = [cell(places.title), note].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n")
      event.notes = text.isEmpty ? nil : text
    } else {
      event.notes = note
      event.title = cell(places.title)
    }
    if profile.isOwn { event.source = cell(places.source).flatMap(EventSourceType.init(rawValue:)) }
    event.externalId = cell(places.externalId)
    event.locationName = cell(places.place)
    if let latitude = cell(places.latitude).flatMap(number), let longitude = cell(places.longitude).flatMap(number) {
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      if coordinate.isValid { event.coordinate = coordinate }
    }
    for (index, name, kind, isList) in properties where index < cells.count && !Self.isNothing(cells[index]) {
      event.properties[name] = value(cells[index], kind, isList: isList)
    }
    if profile.amount != nil {
      guard let count = done(cells) else { return .skip(what: "day on which nothing was done") }
      if count != 1 { event.properties["count"] = count == count.rounded() ? .number(Int(count)) : .number(count) }
    }
    name(&event, id: cell(places.id))
    return .event(event)
  }

  /// How much of a habit a row tells; `nil` of nothing, and of the numbers below zero that stand for it.
  private func done(_ cells: [String]) -> Double? {
    guard let index = amountColumn, index < cells.count,
      let count = number(cells[index]), count > 0, count < 1e12
    else { return nil }
    return count
  }

  private func zone(named name: String) -> ZoneClock? {
    if lastZone.name != name {
      lastZone.name = name
      lastZone.zone = ZoneClock(named: name)
    }
    return lastZone.zone
  }

  private func name(_ event: inout ForeignEvent, id: String?) {
    if let id {
      if profile.isOwn, WireIdentifier.isValid(id) { event.id = id }
      event.key = [profile.word, "id", id]
      event.isKeyUnique = profile.isOwn
      return
    }
    let moment = RFC3339.string(from: event.timestamp)
    let end = event.endDate.map { RFC3339.string(from: $0) } ?? ""
    event.key = [
      profile.word, event.typeName, event.isAllDay ? "date" : moment,
      event.isAllDay ? "\(options.zone.wall(at: event.timestamp).day)" : end,
    ]
    event.key += [event.notes ?? ""]
    for (key, value) in event.properties.sorted(by: { $0.key < $1.key }) {
      event.key += [key, Self.keyText(of: value.value)]
    }
  }

  /// The text that the language gives a value, which keys have had from the first: `int(5)`, `string("good")`.
  static func keyText(of value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "bool(true)" : "bool(false)"
    case .int(let value): "int(\(value))"
    case .double(let value): "double(\(value.debugDescription))"
    case .string(let value): "string(\(value.debugDescription))"
    case .array, .object: "\(value)"
    }
  }

  private func value(_ text: String, _ kind: PropertyType, isList: Bool) -> PropertyValue {
    switch kind {
    case .number:
      if let whole = Int64(text) { return PropertyValue(type: .number, value: .int(whole)) }
      guard let number = number(text) else { return .text(text) }
      return number == number.rounded() && abs(number) < 1e15 ? .number(Int(number)) : .number(number)
    case .boolean: return Self.boolean(text).map { .boolean($0) } ?? .text(text)
    case .date: return PropertyValue(type: .date, value: .string(text))
    case .text where isList:
      return .text(text.split(separator: "|").map { FieldText.trim($0) }.filter { !$0.isEmpty }.joined(separator: ", "))
    default: return PropertyValue(type: kind, value: .string(text))
    }
  }

  // MARK: Cells

  private static func isNothing(_ text: String) -> Bool {
    text.isEmpty || text == "-" || text == "n/a" || text == "N/A" || text == "#N/A"
  }

  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "x", "✓", "ja", "oui", "1": true
    case "false", "no", "nein", "nee", "non", "0": false
    default: nil
    }
  }

  private func number(_ text: String) -> Double? {
    if let whole = Self.whole(text) { return Double(whole) }
    // As a double an integer of more than 64 bits would be another number: it is an identifier, and stays text.
    if text.utf8.count > 18, text.utf8.allSatisfy({ $0 &- 0x30 <= 9 }), Int64(text) == nil { return nil }
    if Self.isPlain(text), let value = Double(text), value.isFinite { return value }
    var text = FieldText.trim(text).replacing("\u{2212}", with: "-")
    text.removeAll { $0 == "\u{A0}" || $0 == "\u{202F}" || $0 == "'" }
    // A zero in front is a number of a telephone or a postal code.
    if text.count > 1, text.hasPrefix("0"), text.dropFirst().first?.isNumber == true { return nil }
    let comma = text.lastIndex(of: ",")
    let point = text.lastIndex(of: ".")
    if let comma, let point {
      text = comma > point ? text.replacing(".", with: "").replacing(",", with: ".") : text.replacing(",", with: "")
    } else if let comma {
      let digits = text[comma...].count - 1
      text = isDecimalComma || digits != 3 ? text.replacing(",", with: ".") : text.replacing(",", with: "")
    }
    return FieldText.number(text)
  }

  /// A number of up to 15 digits and nothing else; `nil` for what is no number, or is to be looked at more closely.
  private static func whole(_ text: String) -> Int? {
    guard (1...15).contains(text.utf8.count) else { return nil }
    var value = 0
    for byte in text.utf8 {
      guard byte &- 0x30 <= 9 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return text.utf8.count > 1 && text.utf8.first == 0x30 ? nil : value
  }

  /// Whether a text is digits with a point among them or before them, as most fractions are: nothing in it can mean something else.
  private static func isPlain(_ text: String) -> Bool {
    var (isFirstZero, count, hasPoint) = (false, 0, false)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if byte &- 0x30 <= 9, !(isFirstZero && count == 1) {
        isFirstZero = count == 0 && byte == 0x30
      } else {
        return false
      }
      count += 1
    }
    return hasPoint && count > 1
  }

  /// Seconds of `1:30`, `01:30:00`, `90`, `1.5 h`, `1h30m`; the unit of a bare number is the column's.
  private func duration(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2 || parts.count == 3 {
      let numbers = parts.compactMap { Double($0) }
      guard numbers.count == parts.count, numbers.allSatisfy({ $0 >= 0 && $0 < 1e6 }) else { return nil }
      return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }
    if let number = number(text) { return number >= 0 && number < 1e9 ? number * durationUnit : nil }
    var seconds = 0.0
    var digits = ""
    for character in text.lowercased() where !character.isWhitespace {
      if character.isNumber || character == "." {
        digits.append(character)
        continue
      }
      guard let unit = ["h": 3600.0, "m": 60, "s": 1, "d": 86_400][String(character)] else { continue }
      guard let number = Double(digits) else { return nil }
      seconds += number * unit
      digits = ""
    }
    return seconds > 0 && digits.isEmpty ? seconds : nil
  }

  static func withoutMarkup(_ text: String) -> String {
    var plain = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      plain += rest[..<open]
      guard let close = rest[open...].firstIndex(of: ">") else {
        plain += rest[open...]
        rest = ""
        break
      }
      let tag = rest[rest.index(after: open)..<close].lowercased()
      if tag.hasPrefix("br") || tag == "/li" || tag == "/p" || tag == "/div" { plain += "\n" }
      rest = rest[rest.index(after: close)...]
    }
    plain += rest
    for (name, character) in [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
      plain = plain.replacing(name, with: character)
    }
    return FieldText.trim(plain)
  }
}
