import TrendyFoundation
import TrendyModels

/// Reads tables of events: one event per row, or one per filled cell in a table with a column for each habit.
///
/// A table is read twice: first, all cells of a column determine the column's format, and then the rows become events.
/// If a table is larger than ``window``, only its first part determines the formats, and the reader checks at the end
/// that the rest of the table has the same formats.
struct EventTableReader {
  /// Maximum size in bytes of a table that is loaded into memory.
  private static let window = 64 << 20
  /// Number of rows used to find the columns.
  private static let sample = 1000

  let profile: TableProfile
  let options: ImportOptions
  let header: TableHeader
  let separator: UInt8
  private var columns: [TableProfile.Role: Int] = [:]
  /// Indices of ``columns`` in a form that is fast to access.
  var places = Places([:])
  var properties: [Property] = []
  /// Columns of habits; empty for a table with one event per row.
  var habits: [Property] = []
  /// Type of all rows, if the table has no type column.
  var typeName: String?
  /// Column that contains the amount of a habit.
  var amountColumn: Int?
  var amounts = NumberColumn()
  var coordinates = NumberColumn()
  var start = DateColumn()
  var end = DateColumn()
  var durations = DurationColumn()
  /// Time zone in the name of the time column, such as `Start (UTC)`.
  var columnZone: ZoneClock?
  let zones = ZoneCache()
  /// Index of the column that selects rows.
  var filterColumn: Int?
  /// Columns that the profile does not import.
  var unread: [Int] = []

  struct Property {
    var index: Int
    var name: String
    var kind = PropertyType.text
    var isList = false
    var numbers = NumberColumn()
    var column: TableProfile.Column?
  }

  /// Cache of time zones by name.
  final class ZoneCache {
    var clocks: [String: ZoneClock?] = [:]

    subscript(name: String) -> ZoneClock? {
      if let known = clocks[name] { return known }
      let clock = TimeZoneNames.clock(name)
      if clocks.count < 1000 { clocks[name] = .some(clock) }
      return clock
    }
  }

  /// Column index for each role, or -1 if no column has the role.
  struct Places {
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
    // An error ends the sample: the content is not a table, or the sample ends within a row.
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
    var unread: [Int: Int] = [:]
    while let (line, cells) = try rows.next() {
      if let problem = rows.problem { try body(.bad(reason: problem), "line \(line)") }
      try reader.give(cells) { try body($0, "line \(line)") }
      for index in reader.unread where reader.isSelected(cells) && CellText.cell(cells, index) != nil {
        unread[index, default: 0] += 1
      }
      evidence?.add(cells, reader)
    }
    for (index, count) in unread.sorted(by: { $0.key < $1.key }) {
      try body(.skip(what: "value of '\(reader.header.names[index].prefix(60))'", count: count), "the file")
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
    profile = wanted ?? TableProfile.all.first { $0.matches(header) } ?? .any
    first.removeFirst(header.rowCount)
    try findColumns(first)
    var evidence = TableEvidence(self)
    for cells in first { evidence.add(cells, self) }
    // Ignore errors, because the last row of the sample may be incomplete. Other errors are thrown when the rows are
    // read again.
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
        // Reject a column with only times of day, which needs another column with dates.
        case .start, .end: return !areAll(index) { Self.isClock($0) }
        // Reject a column of marks, numbers or dates, because such a column does not contain type names.
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
    filterColumn = profile.only.flatMap { names.firstIndex(of: $0.column) }
    amountColumn = profile.amount.flatMap { names.firstIndex(of: $0) }
    let used = Set(columns.values)
    for (index, name) in header.names.enumerated()
    where !used.contains(index) && index != filterColumn && !profile.ignored.contains(names[index]) {
      let column = profile.renamed[names[index]]
      if profile.isSelective, column == nil {
        unread.append(index)
        continue
      }
      let key = names[index].hasPrefix("property: ") ? FieldText.trim(name.dropFirst(10)) : name
      guard !key.isEmpty else { continue }
      properties.append(
        Property(
          index: index, name: column?.name ?? key, isList: profile.lists.contains(names[index]), column: column))
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
      guard reader.isSelected(cells) else { return }
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
      chosen: options.isDayFirst ?? profile.isDayFirst, other: evidence.end.isDayFirst, isContinental: isContinental)
    end = try evidence.end.decide(
      chosen: options.isDayFirst ?? profile.isDayFirst, other: start.isDayFirst, isContinental: isContinental)
    if columns[.end] == nil, columns[.endDate] == nil { end = start }
    if let name = evidence.unknownZone, !options.isZoneChosen, !profile.isOwn {
      throw InterchangeError.undecided(.zone, reason: "unknown time zone '\(name.prefix(60))'")
    }
    let numeric =
      evidence.properties.filter(\.numbers.isNumeric).map(\.numbers) + [evidence.duration.numbers, evidence.amount]
    func numbers(_ evidence: NumberEvidence, _ index: Int) throws(InterchangeError) -> NumberColumn {
      if profile.isOwn { return NumberColumn() }
      if let sign = options.decimalSign ?? profile.decimalSign { return NumberColumn(sign: sign) }
      let signs = Set(numeric.compactMap(\.sign))
      let sign = try evidence.decide(
        column: header.names[index], other: signs.count == 1 ? signs.first : nil, separator: separator)
      return NumberColumn(sign: sign, readsBoth: evidence.sign == nil && evidence.isUnambiguous)
    }
    if let index = columns[.duration] {
      let isNeeded = evidence.isDurationNeeded
      durations = try evidence.duration.decide(
        column: header.normalized[index], chosen: options.durationUnit ?? profile.durationUnit,
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
      properties[index].kind = property.column?.isDuration == true ? .duration : kind
      if properties[index].kind == .duration || kind == .number {
        properties[index].numbers = try numbers(found.numbers, property.index)
      }
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
    // Exclude text columns, because they contain notes, which are added to every event in the row.
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
}
