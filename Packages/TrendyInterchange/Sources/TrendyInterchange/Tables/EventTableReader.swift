import TrendyFoundation
import TrendyModels

/// Reads tables of events: one event per row, or one per filled cell in a table with a column for each habit.
///
/// A table is read twice: all cells of a column determine its format, then the rows become events. If a table is larger
/// than ``window``, only its first part determines the formats, and the reader checks at the end that the rest has the
/// same formats.
struct EventTableReader {
  /// Maximum size in bytes of a table that is loaded into memory.
  private static let window = 64 << 20
  /// Number of rows used to find the columns.
  private static let sample = 1000

  private let profile: TableProfile
  private let options: ImportOptions
  private let header: TableHeader
  private let separator: UInt8
  private var columns: [TableProfile.Role: Int] = [:]
  /// Column indices from ``columns``, in a form that is fast to access.
  private var places = Places([:])
  private var properties: [Property] = []
  /// Habit columns; empty for a table with one event per row.
  private var habits: [Property] = []
  /// Type of all rows if the table has no type column.
  private var typeName: String?
  private var amountColumn: Int?
  private var amounts = NumberColumn()
  private var coordinates = NumberColumn()
  private var start = DateColumn()
  private var end = DateColumn()
  private var durations = DurationColumn()
  /// Time zone in the name of the time column, such as `Start (UTC)`.
  private var columnZone: ZoneClock?
  private let zones = ZoneCache()

  private struct Property {
    var index: Int
    var name: String
    var kind = PropertyType.text
    var isList = false
    var numbers = NumberColumn()
  }

  private final class ZoneCache {
    var clocks: [String: ZoneClock?] = [:]

    subscript(name: String) -> ZoneClock? {
      if let known = clocks[name] { return known }
      let clock = TimeZoneNames.clock(name)
      if clocks.count < 1000 { clocks[name] = .some(clock) }
      return clock
    }
  }

  /// Column index for each role, or -1 if no column has the role.
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

  // MARK: Detection

  /// Whether one column has a typical name for times and another has a typical name for event types.
  static func isTable(_ head: ArraySlice<UInt8>) -> Bool {
    guard let names = header(of: head)?.normalized, names.count > 1 else { return false }
    return TableProfile.any.namesTime(names)
      && TableProfile.any.roles[.type]?.contains { names.contains($0) } == true
  }

  /// Whether there are at least two columns, one of which has a typical name for times or contains dates.
  static func hasTimes(_ head: ArraySlice<UInt8>) -> Bool {
    guard let rows = rows(of: head), let header = TableHeader(rows, profiles: []), header.names.count > 1 else {
      return false
    }
    return TableProfile.any.namesTime(header.normalized) || dateColumn(rows.dropFirst(header.rowCount)) != nil
  }

  static func header(of head: ArraySlice<UInt8>) -> TableHeader? {
    rows(of: head).flatMap { TableHeader($0, profiles: TableProfile.all) }
  }

  private static func rows(of head: ArraySlice<UInt8>) -> [[String]]? {
    guard var rows = try? TableRows(ByteInput(Array(head.prefix(1 << 16)))) else { return nil }
    var first: [[String]] = []
    while first.count < TableHeader.searched, let row = try? rows.next() { first.append(row.cells) }
    return first.isEmpty ? nil : first
  }

  private static func dateColumn(_ rows: some Collection<[String]>) -> Int? {
    let width = rows.map(\.count).max() ?? 0
    return (0..<width).first { index in
      let cells = rows.lazy.compactMap { CellText.cell($0, index) }
      let dates = cells.count { cell in
        [DateStyle.yearFirst, .dayFirst, .monthFirst, .words].contains { $0.read(cell) != nil }
      }
      return dates > 0 && (cells.count - dates) * 3 <= cells.count
    }
  }

  // MARK: Reading

  static func read(
    _ input: ByteInput, _ options: ImportOptions, as profile: TableProfile?,
    _ body: (InterchangeRecord, String) throws -> Void
  ) throws {
    let whole = try input.rest(limit: window)
    let first = try whole ?? Array(input.peek(window))
    let reader = try EventTableReader(first, options, profile)
    var rows = try TableRows(whole.map { ByteInput($0) } ?? input)
    for index in 0..<reader.header.rowCount {
      guard let title = try rows.next() else { break }
      if index < reader.header.titleCount { try body(.skip(what: "title row above the header"), "line \(title.line)") }
      if let problem = rows.problem { try body(.bad(reason: problem), "line \(title.line)") }
    }
    var evidence = whole == nil ? TableEvidence(reader) : nil
    while let (line, cells) = try rows.next() {
      if let problem = rows.problem { try body(.bad(reason: problem), "line \(line)") }
      try reader.give(cells) { try body($0, "line \(line)") }
      evidence?.add(cells, reader)
    }
    if let evidence { try reader.check(evidence, separator: rows.separator) }
  }

  private init(_ bytes: [UInt8], _ options: ImportOptions, _ wanted: TableProfile?) throws {
    var rows = try TableRows(ByteInput(bytes))
    var first: [[String]] = []
    while first.count < Self.sample, let row = try rows.next() { first.append(row.cells) }
    guard let header = TableHeader(first, profiles: wanted.map { [$0] } ?? TableProfile.all) else {
      throw InterchangeError.unreadable(reason: "the table is empty")
    }
    self.options = options
    self.header = header
    separator = rows.separator
    profile = wanted ?? TableProfile.all.first { $0.matches(header.normalized) } ?? .any
    first.removeFirst(header.rowCount)
    try findColumns(first)
    var evidence = TableEvidence(self)
    for cells in first { evidence.add(cells, self) }
    // The last row of the sample may be incomplete. An error is thrown when the rows are read again.
    while let row = try? rows.next() { evidence.add(row.cells, self) }
    try decide(evidence)
  }

  // MARK: Columns

  private mutating func findColumns(_ rows: [[String]]) throws(InterchangeError) {
    let names = header.normalized
    for (word, name) in options.columns {
      guard let role = TableProfile.Role(rawValue: word) else { continue }
      let wanted = TableHeader.normal(name)
      guard let index = names.firstIndex(of: wanted) ?? names.firstIndex(where: { TableHeader.base($0) == wanted })
      else { throw .noSuchColumn(name, header.names) }
      columns[role] = index
    }
    func cells(_ index: Int) -> some Collection<String> {
      rows.lazy.compactMap { CellText.cell($0, index) }
    }
    func areAll(_ index: Int, _ test: (String) -> Bool) -> Bool {
      let filled = cells(index)
      return !filled.isEmpty && filled.allSatisfy(test)
    }
    let isAny = profile.required.isEmpty
    for role in TableProfile.Role.allCases where columns[role] == nil {
      let taken = Set(columns.values)
      let candidates = (profile.roles[role] ?? []).flatMap { name in
        names.indices.filter { names[$0] == name }
          + (isAny ? names.indices.filter { Self.hasUnit(names[$0], behind: name, role) } : [])
      }
      columns[role] = candidates.first { index in
        guard !taken.contains(index) else { return false }
        switch role {
        // A column with only times of day needs another column with dates.
        case .start, .end: return !areAll(index) { Self.isClock($0) }
        // A column of marks, numbers or dates does not contain type names.
        case .type where isAny:
          return !areAll(index) { CellText.isMark($0) || DecimalSign.point.number($0) != nil }
            && !areAll(index) { DateColumn(style: .dayFirst).read($0) != nil }
        default: return true
        }
      }
    }
    if columns[.start] == nil, columns[.startDate] == nil, isAny {
      columns[.start] = Self.dateColumn(rows).flatMap { names.indices.contains($0) ? $0 : nil }
    }
    // If the start column already contains the time of day, a `time` column has another meaning.
    if isAny, options.columns[TableProfile.Role.startTime.rawValue] == nil, let start = columns[.start],
      let time = columns[.startTime], areAll(start, { DateColumn(style: .dayFirst).read($0)?.secondOfDay != nil })
    {
      columns[.startTime] = nil
      // In sports tables, a column `Time` contains the duration.
      if columns[.duration] == nil, columns[.end] == nil, names[time] == "time", names.contains("activity type") {
        columns[.duration] = time
      }
    }
    guard columns[.start] != nil || columns[.startDate] != nil else {
      throw .unreadable(
        reason: "no time column found; the columns are \(header.names.joined(separator: ", ")). "
          + "Specify it with --map start=COLUMN")
    }
    places = Places(columns)
    amountColumn = profile.amount.flatMap { names.firstIndex(of: $0) }
    let used = Set(columns.values)
    for (index, name) in header.names.enumerated()
    where !used.contains(index) && !profile.ignored.contains(names[index]) {
      let key = names[index].hasPrefix("property: ") ? FieldText.trim(name.dropFirst(10)) : name
      guard !key.isEmpty else { continue }
      properties.append(Property(index: index, name: key, isList: profile.lists.contains(names[index])))
    }
    if let start = columns[.start] ?? columns[.startDate], let open = names[start].lastIndex(of: "(") {
      columnZone = TimeZoneNames.clock(String(names[start][open...]))
    }
  }

  /// Whether a column name consists of another name and a unit, such as `duration (min)` or `duration seconds`.
  private static func hasUnit(_ name: String, behind other: String, _ role: TableProfile.Role) -> Bool {
    guard name != other else { return false }
    return TableHeader.base(name) == other
      || role == .duration && name.hasPrefix(other + " ") && DurationUnit(word: name.dropFirst(other.count + 1)) != nil
  }

  private static func isClock(_ text: String) -> Bool {
    text.prefix(3).contains(":") && DateStyle.clock(text[...]) != nil
  }

  // MARK: Decisions

  private struct TableEvidence {
    var start = DateEvidence()
    var end = DateEvidence()
    var duration = DurationEvidence()
    var isDurationNeeded = false
    var amount = NumberEvidence()
    var place = NumberEvidence()
    var properties: [PropertyEvidence]
    /// First unknown time zone in a row whose time has no offset.
    var unknownZone: String?

    init(_ reader: EventTableReader) { properties = reader.properties.map { _ in PropertyEvidence() } }

    mutating func add(_ cells: [String], _ reader: EventTableReader) {
      func cell(_ place: Int) -> String? { CellText.cell(cells, place) }
      let places = reader.places
      let startText = cell(places.start) ?? cell(places.startDate)
      if let startText { start.add(startText) }
      let endText = cell(places.end) ?? cell(places.endDate)
      if let endText { end.add(endText) }
      if let text = cell(places.duration), endText == nil, cell(places.endTime) == nil {
        duration.add(text)
        isDurationNeeded = true
      }
      if let name = cell(places.zone), unknownZone == nil, reader.zones[name] == nil,
        startText.map(CellText.hasOffset) != true
      {
        unknownZone = name
      }
      if let text = reader.amountColumn.flatMap(cell) { amount.add(text) }
      for text in [cell(places.latitude), cell(places.longitude)].compactMap(\.self) { place.add(text) }
      for (index, property) in reader.properties.enumerated() {
        if let text = cell(property.index) { properties[index].add(text) } else { properties[index].empty += 1 }
      }
    }
  }

  private mutating func decide(_ evidence: TableEvidence) throws {
    let isContinental = separator == UInt8(ascii: ";")
    start = try evidence.start.decide(
      chosen: options.isDayFirst, other: evidence.end.isDayFirst, isContinental: isContinental)
    end = try evidence.end.decide(
      chosen: options.isDayFirst, other: start.isDayFirst, isContinental: isContinental)
    if columns[.end] == nil, columns[.endDate] == nil { end = start }
    if let name = evidence.unknownZone, !options.isZoneChosen, !profile.isOwn {
      throw InterchangeError.undecided(.zone, reason: "unknown time zone '\(name.prefix(60))'")
    }
    let numeric =
      evidence.properties.filter(\.numbers.isNumeric).map(\.numbers) + [evidence.duration.numbers, evidence.amount]
    func numbers(_ evidence: NumberEvidence, _ index: Int) throws(InterchangeError) -> NumberColumn {
      if profile.isOwn { return NumberColumn() }
      if let sign = options.decimalSign { return NumberColumn(sign: sign) }
      let signs = Set(numeric.compactMap(\.sign))
      let sign = try evidence.decide(
        column: header.names[index], other: signs.count == 1 ? signs.first : nil, separator: separator)
      return NumberColumn(sign: sign, readsBoth: evidence.sign == nil && evidence.isUnambiguous)
    }
    if let index = columns[.duration] {
      let isNeeded = evidence.isDurationNeeded
      durations = try evidence.duration.decide(
        column: header.normalized[index], chosen: options.durationUnit,
        numbers: isNeeded ? numbers(evidence.duration.numbers, index) : NumberColumn(), isNeeded: isNeeded)
    }
    if let amountColumn { amounts = try numbers(evidence.amount, amountColumn) }
    // Coordinates contain no thousands separators.
    if evidence.place.sign == .comma { coordinates.sign = .comma }
    for (index, property) in properties.enumerated() {
      let found = evidence.properties[index]
      let name = header.normalized[property.index]
      let kind = found.kind(
        isSelect: profile.selects.contains(name), isText: profile.isOwn || profile.lists.contains(name))
      properties[index].kind = kind
      if kind == .number { properties[index].numbers = try numbers(found.numbers, property.index) }
    }
    guard options.doneValues != nil || columns[.type] == nil && profile.typeName == nil && profile.typeIfEmpty == nil
    else {
      return
    }
    try decideType(evidence)
  }

  private mutating func decideType(_ evidence: TableEvidence) throws(InterchangeError) {
    let candidates = zip(properties, evidence.properties).filter { !$0.1.isOfWeekdays && $0.1.filled + $0.1.empty > 0 }
    if options.doneValues == nil {
      if let name = options.typeName {
        typeName = name
        return
      }
      let others = candidates.filter { $0.1.filled > 0 && !$0.1.isText }
      guard others.allSatisfy(\.1.isHabit), others.contains(where: \.1.showsHabit) else {
        throw .undecided(
          .type, reason: "no event type column found; the columns are \(header.names.joined(separator: ", "))")
      }
    }
    // A text column contains notes, which are added to every event in the row.
    habits = candidates.filter { options.doneValues != nil || !$0.1.isText }.map(\.0)
    properties = options.doneValues == nil ? candidates.filter(\.1.isText).map(\.0) : []
  }

  /// Throws ``InterchangeError`` if the rest of the table differs from the formats determined from its first part.
  private func check(_ evidence: TableEvidence, separator: UInt8) throws {
    var other = self
    if other.habits.isEmpty { try other.decide(evidence) }
    let isSame =
      other.start.style == start.style && other.end.style == end.style
      && zip(other.properties, properties).allSatisfy { $0.numbers.sign == $1.numbers.sign }
      && other.durations.unit == durations.unit && other.durations.numbers.sign == durations.numbers.sign
    guard isSame else {
      throw InterchangeError.unreadable(
        reason: "rows after the first \(Self.window >> 20) MiB use other formats for dates or numbers; "
          + "specify --date-format, --decimal or --duration-unit")
    }
  }

  private func give(_ cells: [String], _ body: (InterchangeRecord) throws -> Void) throws {
    var problems: [String] = []
    switch record(cells, &problems) {
    case .event(let event) where !habits.isEmpty: try giveHabits(event, cells, &problems, body)
    case let record: try body(record)
    }
    for problem in problems { try body(.bad(reason: problem)) }
  }

  /// Emits an event for each habit that the row shows as done.
  private func giveHabits(
    _ day: ExternalEvent, _ cells: [String], _ problems: inout [String], _ body: (InterchangeRecord) throws -> Void
  ) throws {
    var left = 0
    for habit in habits where habit.index < cells.count {
      let text = FieldText.trim(cells[habit.index])
      guard !text.isEmpty else { continue }
      let number = habit.numbers.number(text)
      let isDone =
        options.doneValues.map { $0.contains(text.lowercased()) }
        ?? (!CellText.notDone.contains(text.lowercased()) && number != 0)
      guard isDone else {
        left += 1
        continue
      }
      var event = day
      event.typeName = habit.name
      if let number, number != 1 {
        event.properties["count"] = .number(integerIfWhole: number)
      } else if number == nil, !CellText.isMark(text) {
        event.properties["value"] = .text(text)
      }
      name(&event, id: nil)
      try body(.event(event))
    }
    if left > 0 { try body(.skip(what: "day without entries", count: left)) }
  }

  private func record(_ cells: [String], _ problems: inout [String]) -> InterchangeRecord {
    func cell(_ place: Int) -> String? { CellText.cell(cells, place) }
    let startText = cell(places.start) ?? cell(places.startDate)
    let label = cells.first { !$0.isEmpty }?.lowercased() ?? ""
    guard
      let typeName = typeName ?? profile.typeName ?? cell(places.type) ?? profile.typeIfEmpty
        ?? (habits.isEmpty ? nil : "")
    else { return .bad(reason: "the row has no type") }
    if startText == nil || startText?.lowercased() == label, CellText.totals.contains(label.filter(\.isLetter)) {
      return .skip(what: "totals row")
    }
    guard let startText else { return .bad(reason: "the row has no time") }
    guard var begin = start.read(startText) else {
      return .bad(reason: "invalid time '\(startText.prefix(40))'")
    }
    var zone = columnZone ?? options.zone
    if let name = cell(places.zone), name != zone.name {
      if let named = zones[name] {
        zone = named
      } else if begin.secondsFromGMT == nil {
        problems.append(
          "unknown time zone '\(name.prefix(60))': using \(options.zone.name ?? "the time zone of this machine")")
      }
    }
    if begin.secondOfDay == nil, let text = cell(places.startTime) {
      if let clock = DateStyle.clock(text[...]) {
        begin.secondOfDay = clock.secondOfDay
        begin.secondsFromGMT = clock.secondsFromGMT
      } else {
        problems.append("invalid time of day '\(text.prefix(40))': imported as an all-day event")
      }
    }
    var isAllDay = begin.secondOfDay == nil
    if let text = cell(places.isAllDay) {
      if let value = CellText.boolean(text) {
        isAllDay = value
      } else {
        problems.append("invalid all-day value '\(text.prefix(40))': expected true or false")
      }
    }
    var event = ExternalEvent(typeName: typeName, key: [], timestamp: begin.moment(in: zone))
    event.isAllDay = isAllDay
    if isAllDay { event.timestamp = zone.date(begin.day) }
    event.timeZone = zone.name
    readEnd(&event, begin, zone, cell, &problems)
    let note = cell(places.note).map { profile.hasMarkup ? CellText.withoutMarkup($0) : $0 }
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
    readPlace(&event, cell, &problems)
    for property in properties {
      guard let text = CellText.cell(cells, property.index) else { continue }
      let value = value(text, property)
      event.properties[property.name] = value
      if value.type != property.kind {
        event.kinds[property.name] = property.kind
        problems.append("\(property.name) '\(text.prefix(40))' is not a number: imported as text")
      }
    }
    if profile.amount != nil {
      guard let count = done(cells) else { return .skip(what: "day without entries") }
      if count != 1 { event.properties["count"] = .number(integerIfWhole: count) }
    }
    takeExtraCells(&event, cells, &problems)
    name(&event, id: cell(places.id))
    return .event(event)
  }

  /// Reads the end from its column, from a time of day, or from a duration. An invalid end is reported and omitted.
  private func readEnd(
    _ event: inout ExternalEvent, _ begin: DateStyle.Reading, _ zone: ZoneClock, _ cell: (Int) -> String?,
    _ problems: inout [String]
  ) {
    let durationText = cell(places.duration)
    if let text = cell(places.end) ?? cell(places.endDate) {
      if var finish = end.read(text) {
        if finish.secondOfDay == nil, let text = cell(places.endTime) {
          if let clock = DateStyle.clock(text[...]) {
            finish.secondOfDay = clock.secondOfDay
            finish.secondsFromGMT = clock.secondsFromGMT
          } else {
            problems.append("invalid end '\(text.prefix(40))': ignored")
          }
        }
        event.endDate = event.isAllDay ? zone.date(finish.day) : finish.moment(in: zone)
      } else if let clock = DateStyle.clock(text[...]), !event.isAllDay {
        event.endDate = Self.end(begin, clock).moment(in: zone)
      } else {
        problems.append("invalid end '\(text.prefix(40))': ignored")
      }
    } else if !event.isAllDay, let text = cell(places.endTime) {
      if let clock = DateStyle.clock(text[...]) {
        event.endDate = Self.end(begin, clock).moment(in: zone)
      } else {
        problems.append("invalid end '\(text.prefix(40))': ignored")
      }
    }
    if let end = event.endDate, end < event.timestamp {
      problems.append("the end is before the start: the end was ignored")
      event.endDate = nil
    }
    guard event.endDate == nil, let durationText else { return }
    guard let seconds = durations.seconds(durationText) else {
      return problems.append("invalid duration '\(durationText.prefix(40))': ignored")
    }
    // The duration of an all-day event does not determine its end.
    if event.isAllDay {
      event.properties[header.names[places.duration]] = .duration(seconds)
    } else {
      event.endDate = event.timestamp.addingTimeInterval(seconds)
    }
  }

  /// Returns an end on the date of the start, or on the next date if the end would otherwise precede the start.
  private static func end(
    _ begin: DateStyle.Reading, _ clock: (secondOfDay: Double, secondsFromGMT: Int?)
  ) -> DateStyle.Reading {
    DateStyle.Reading(
      day: clock.secondOfDay < begin.secondOfDay ?? 0 ? begin.day.advanced(by: 1) : begin.day,
      secondOfDay: clock.secondOfDay, secondsFromGMT: clock.secondsFromGMT ?? begin.secondsFromGMT)
  }

  private func readPlace(_ event: inout ExternalEvent, _ cell: (Int) -> String?, _ problems: inout [String]) {
    let (latitude, longitude) = (cell(places.latitude), cell(places.longitude))
    guard latitude != nil || longitude != nil else { return }
    if let north = latitude.flatMap({ Degrees.read($0, coordinates) }),
      let east = longitude.flatMap({ Degrees.read($0, coordinates) })
    {
      let coordinate = Coordinate(latitude: north, longitude: east)
      if coordinate.isValid { return event.coordinate = coordinate }
    }
    problems.append("invalid coordinates (latitude '\(latitude ?? "")', longitude '\(longitude ?? "")')")
  }

  /// Handles cells beyond the header. If the last column contains notes, the cells result from unquoted separators and
  /// are appended to the note.
  private func takeExtraCells(_ event: inout ExternalEvent, _ cells: [String], _ problems: inout [String]) {
    guard cells.count > header.names.count else { return }
    let extra = cells[header.names.count...].filter { !$0.isEmpty }
    guard !extra.isEmpty else { return }
    let text = extra.joined(separator: "\(Character(Unicode.Scalar(separator))) ")
    if places.note == header.names.count - 1, let note = event.notes {
      event.notes = note + "\(Character(Unicode.Scalar(separator))) " + text
      problems.append("the row has more cells than the header: '\(text.prefix(60))' was added to the note")
    } else {
      problems.append("the row has more cells than the header: '\(text.prefix(60))' was ignored")
    }
  }

  /// Returns the amount of a habit, or `nil` if it is 0 or negative. Some programs write negative amounts.
  private func done(_ cells: [String]) -> Double? {
    guard let index = amountColumn, index < cells.count,
      let count = amounts.number(cells[index]), count > 0, count < 1e12
    else { return nil }
    return count
  }

  private func name(_ event: inout ExternalEvent, id: String?) {
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

  /// Formats a value for a natural key, such as `int(5)` or `string("good")`. Must not change: event ids depend on it.
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

  private func value(_ text: String, _ property: Property) -> PropertyValue {
    switch property.kind {
    case .number:
      if let whole = Int64(text) { return PropertyValue(type: .number, value: .int(whole)) }
      guard let number = property.numbers.number(text) else { return .text(text) }
      return .number(integerIfWhole: number)
    case .boolean: return CellText.boolean(text).map { .boolean($0) } ?? .text(text)
    case .date: return PropertyValue(type: .date, value: .string(text))
    case .text where property.isList:
      return .text(text.split(separator: "|").map { FieldText.trim($0) }.filter { !$0.isEmpty }.joined(separator: ", "))
    default: return PropertyValue(type: property.kind, value: .string(text))
    }
  }
}
