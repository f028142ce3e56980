import TrendyFoundation
import TrendyModels

/// Converts the rows of a table to events.
extension EventTableReader {
  /// Returns whether the profile imports the row.
  func isSelected(_ cells: [String]) -> Bool {
    guard let only = profile.only, let filterColumn else { return true }
    return only.values.contains(CellText.cell(cells, filterColumn)?.lowercased() ?? "")
  }

  func give(_ cells: [String], _ body: (InterchangeRecord) throws -> Void) throws {
    var problems: [String] = []
    switch record(cells, &problems) {
    case .event(let event) where !habits.isEmpty: try giveHabits(event, cells, &problems, body)
    case let record: try body(record)
    }
    for problem in problems { try body(.bad(reason: problem)) }
  }

  /// Emits an event for each habit that was done according to the row.
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
    guard isSelected(cells) else {
      let value = filterColumn.flatMap(cell) ?? ""
      return .skip(what: "row with \(profile.only?.column ?? "") '\(value.prefix(40))'")
    }
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
    if profile.isDayRow {
      guard begin.day < options.zone.wall(at: options.now).day else { return .skip(what: DailyValues.unfinished) }
      if (begin.secondOfDay ?? 0) != 0 {
        problems.append("the time of day of '\(startText.prefix(40))' was ignored: the row describes a day")
      }
    }
    if profile.isUTC, begin.secondsFromGMT == nil, begin.secondOfDay != nil { begin.secondsFromGMT = 0 }
    var zone = columnZone ?? options.zone
    if let name = cell(places.zone), name != zone.name {
      if let named = zones[name] {
        zone = named
      } else {
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
    var isAllDay = begin.secondOfDay == nil || profile.isDayRow
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
    if profile.daily != nil {
      // Times in UTC do not state the local date.
      let isLocal = begin.secondsFromGMT.map { $0 != 0 } == true
      event.localDate = isLocal ? begin.day : zone.wall(at: event.timestamp).day
    }
    // A later export contains the end.
    if profile.kind != .event, places.end >= 0, cell(places.end) == nil, cell(places.duration) == nil {
      return .skip(what: "\(typeName) that has not ended")
    }
    readEnd(&event, begin, zone, cell, &problems)
    let note = cell(places.note).map { profile.hasMarkup ? CellText.withoutMarkup($0) : $0 }
    if profile.hasMarkup {
      let text = [cell(places.title), note].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n")
      event.notes = text.isEmpty ? nil : text
    } else {
      event.notes = note
      event.title = cell(places.title)
    }
    if profile.isOwn, let text = cell(places.source) {
      event.source = EventSourceType(rawValue: text)
      if event.source == nil { problems.append("invalid source '\(text.prefix(40))': ignored") }
    }
    event.externalId = cell(places.externalId)
    event.locationName = cell(places.place)
    readPlace(&event, cell, &problems)
    for property in properties {
      guard let text = CellText.cell(cells, property.index) else { continue }
      let value = value(text, property)
      event.properties[property.name] = value
      if value.type != property.kind {
        event.kinds[property.name] = property.kind
        let what = property.kind == .duration ? "duration" : "number"
        problems.append("\(property.name) '\(text.prefix(40))' is not a \(what): imported as text")
      }
    }
    if profile.skipsZero, event.properties.values.allSatisfy({ $0.doubleValue == 0 }) {
      return .skip(what: "day without a value")
    }
    if profile.amount != nil {
      guard let count = done(cells) else { return .skip(what: "day without entries") }
      if count != 1 { event.properties["count"] = .number(integerIfWhole: count) }
    }
    takeExtraCells(&event, cells, &problems)
    classify(&event)
    name(&event, id: cell(places.id))
    return .event(event)
  }

  /// Adds the values by which workouts and trips are compared with those of other sources.
  private func classify(_ event: inout ExternalEvent) {
    switch profile.kind {
    case .event: break
    case .workout:
      let activity = event.properties["activity"]?.stringValue
      event.hints = [activity?.lowercased(), HealthCategory.workout.rawValue].compactMap(\.self)
      event.title = event.title ?? activity
      if let end = event.endDate {
        event.sameness = .moments
        if event.properties["duration"] == nil {
          event.properties["duration"] = .duration(end.timeIntervalSince(event.timestamp))
        }
      }
    case .trip:
      event.source = .trip
      event.sameness = .moments
      event.properties[ExternalEvent.modeKey] = .text("car")
      event.properties["duration"] = event.endDate.map { .duration($0.timeIntervalSince(event.timestamp)) }
    }
  }

  /// Reads the end from its column, from a time of day, or from a duration. Reports an invalid end and omits it.
  private func readEnd(
    _ event: inout ExternalEvent, _ begin: DateStyle.Reading, _ zone: ZoneClock, _ cell: (Int) -> String?,
    _ problems: inout [String]
  ) {
    let durationText = cell(places.duration)
    if let text = cell(places.end) ?? cell(places.endDate) {
      if var finish = end.read(text) {
        if profile.isUTC, finish.secondsFromGMT == nil, finish.secondOfDay != nil { finish.secondsFromGMT = 0 }
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

  /// Returns an end on the date of the start, or on the next date if it would otherwise precede the start.
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

  /// Handles cells beyond the header. If the last column contains notes, they result from separators without quotes and
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
      event.isKeyUnique = profile.isOwn || profile.word != TableProfile.any.word
      return
    }
    if profile.isDayRow {
      event.key = [profile.word, "day", event.typeName, "\(options.zone.wall(at: event.timestamp).day)"]
      if let meal = profile.dayKey { event.key.append(event.properties[meal]?.stringValue ?? "") }
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

  /// Returns a value as part of a natural key, such as `int(5)` or `string("good")`. Must not change: event ids depend
  /// on it.
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
    if let word = property.column?.words[text] { return PropertyValue(type: property.kind, value: .string(word)) }
    switch property.kind {
    case .duration:
      let column = DurationColumn(numbers: property.numbers, unit: .seconds)
      guard let seconds = column.seconds(text) else { return .text(text) }
      let isBare = property.numbers.number(text) != nil
      return .duration(isBare ? seconds * (property.column?.factor ?? 1) : seconds)
    case .number where property.column.map({ $0.factor != 1 }) == true:
      guard let number = property.numbers.number(text), let factor = property.column?.factor else { return .text(text) }
      return .number(integerIfWhole: (number * factor * 1000).rounded() / 1000)
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
