import TrendyFoundation
import TrendyModels

/// Reads tables of fixes. Columns are recognised by name.
///
/// Latitude, longitude and time are required. Coordinates may be in units of 1e-7 degrees (`latitudeE7`), and the
/// hemisphere may be a letter in the cell or in a separate column. Date and time of day may be in two columns. As in
/// tables of events, all cells of a column determine the format of its dates or numbers. Speeds are in m/s unless the
/// column name contains a unit or Traccar wrote the table (knots). An accuracy of 0 is unknown. Times without a zone
/// are in UTC or in the zone that the user has chosen, as ``TrackFile/remarks`` reports. Each user or device has a
/// separate track.
public enum CSVTrackReader: Sendable {
  /// Reads a table.
  ///
  /// - Throws: ``InterchangeError`` if no row contains the column names, if the options name a column that does not
  ///   exist, or if the order of day and month is ambiguous.
  public static func read(_ bytes: [UInt8], _ options: ImportOptions? = nil) throws(InterchangeError) -> TrackFile {
    do {
      return try readTable(bytes, options)
    } catch let error as InterchangeError {
      throw error
    } catch {
      throw .unreadable(reason: "\(error)")
    }
  }

  private static func readTable(_ bytes: [UInt8], _ options: ImportOptions?) throws -> TrackFile {
    var rows = try TableRows(ByteInput(bytes))
    guard var columns = try Columns.find(&rows, options?.columns ?? [:]) else {
      throw InterchangeError.unreadable(reason: "no header with columns for latitude, longitude and time")
    }
    columns.separator = rows.separator
    var collector = FixCollector(.csv)
    func take(_ cells: [String], at place: String) {
      guard cells.count >= columns.neededCount else {
        collector.report(place, "the row has \(cells.count) of \(columns.count) columns")
        collector.countSkippedPoint()
        return
      }
      let extra = cells.dropFirst(columns.count).filter { !$0.isEmpty }
      if !extra.isEmpty, columns.address == nil {
        collector.report(place, "the row has more cells than the header: '\(extra.joined(separator: ", ").prefix(60))'")
      }
      let reading = columns.reading(cells)
      collector.take(columns.fields(of: cells, at: reading), at: place)
      if let reading, reading.secondsFromGMT == nil { collector.remark(columns.zoneRemark) }
    }
    // Without quotes, each line is one row, and rows of plain numbers can be parsed without creating strings.
    let lines = bytes.contains(UInt8(ascii: "\"")) || bytes.prefix(512).contains(0) ? [] : bytes[...].textLines[...]
    let body = lines.drop { $0.number <= columns.headerLine }
    if columns.isPlain, !body.isEmpty, body.prefix(1000).allSatisfy({ columns.plainFields(of: $0.bytes) != nil }) {
      for line in body {
        if let fields = columns.plainFields(of: line.bytes) {
          collector.take(fields, at: "line \(line.number)")
        } else {
          var row = TableRows(ByteInput(Array(line.bytes)), separator: columns.separator)
          if let cells = try row.next()?.cells { take(cells, at: "line \(line.number)") }
        }
      }
      return collector.finish()
    }
    try columns.decide(bytes, options)
    while let (line, cells) = try rows.next() {
      if let problem = rows.problem { collector.report("line \(line)", problem) }
      take(cells, at: "line \(line)")
    }
    return collector.finish()
  }

  /// Whether the beginning of a file contains a header with latitude, longitude and time.
  static func isTable(_ head: ArraySlice<UInt8>) -> Bool {
    guard var rows = try? TableRows(ByteInput(Array(head.prefix(1 << 16)))),
      let columns = try? Columns.find(&rows, [:])
    else { return false }
    // Tables of events may have a column `date` too.
    return !columns.isTimeWeak || !EventTableReader.isTable(head)
  }

  private struct Columns {
    let count: Int
    var headerLine = 0
    var separator = UInt8(ascii: ",")
    /// Whether the name of the time column also occurs in event tables.
    private(set) var isTimeWeak = false
    /// Whether rows of plain numbers can be parsed without creating strings.
    private(set) var isPlain = true
    /// Address column, in which Traccar does not quote commas.
    private(set) var address: Int?
    private var time = 0
    /// Date column, if the time column contains only a time of day.
    private var date: Int?
    /// Factor that converts a coordinate to degrees.
    private var placeUnit = 1.0
    private var latitude = 0
    private var longitude = 0
    private var north: Int?
    private var east: Int?
    private var altitude: (index: Int, factor: Double)?
    private var accuracy: Int?
    private var speed: (index: Int, factor: Double)?
    private var course: Int?
    private var activity: Int?
    private var confidence: Int?
    private var device: Int?
    private var dates = DateColumn()
    private var places = NumberColumn()
    private var numbers: [Int: NumberColumn] = [:]
    private var zone: ZoneClock?

    /// Finds the first row with the names of the required columns. Consumes the rows up to and including this row.
    static func find(_ rows: inout TableRows, _ chosen: [String: String]) throws -> Columns? {
      var first: [String]?
      for _ in 0..<TableHeader.searched {
        guard let row = try rows.next() else { break }
        let isHeader = row.cells.count > 2
        if isHeader, first == nil { first = row.cells }
        if isHeader, var columns = try Columns(row.cells, chosen) {
          columns.headerLine = row.line
          return columns
        }
      }
      if let (_, name) = chosen.min(by: { $0.key < $1.key }), let first {
        throw InterchangeError.noSuchColumn(name, first)
      }
      return nil
    }

    private init?(_ header: [String], _ chosen: [String: String]) throws {
      let names = header.map(TableHeader.normal)
      let bases = names.map(TableHeader.base)
      count = names.count
      func index(_ name: String) -> Int? { names.firstIndex(of: name) ?? bases.firstIndex(of: name) }
      func first(_ wanted: String...) -> Int? { wanted.lazy.compactMap(index).first }
      var mapped: [TableProfile.Role: Int] = [:]
      for (word, name) in chosen {
        guard let role = TableProfile.Role(rawValue: word) else { continue }
        // A later row may be the header.
        guard let found = index(TableHeader.normal(name)) else { return nil }
        mapped[role] = found
      }
      let strong = first(
        "t", "timestamp ms", "timestamp", "time", "tracked at", "datetime", "date time", "tst", "recorded at",
        "fix time",
        "gps time", "ts", "device time", "utc time", "time utc", "gps timestamp", "gpstime", "fixtime", "local time",
        "recorded", "logged at", "zeit", "uhrzeit", "tijd", "heure", "hora")
      guard
        let time = mapped[.start] ?? mapped[.startTime] ?? strong
          ?? first("date", "utc", "utc date", "gps date", "when", "created at", "datum", "zeitpunkt", "fecha", "data"),
        let latitude = mapped[.latitude]
          ?? first(
            "lat", "latitude", "latitude deg", "lat deg", "gps lat", "gps latitude", "latitude n/s", "latitude e7",
            "breite", "breitengrad", "breedtegraad", "latitud", "latitudine"),
        let longitude = mapped[.longitude]
          ?? first(
            "lon", "lng", "long", "longitude", "longitude deg", "lon deg", "gps lon", "gps lng", "gps long",
            "gps longitude", "longitude e/w", "longitude e7", "länge", "längengrad", "lengtegraad", "longitud",
            "longitudine")
      else { return nil }
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
      isTimeWeak = strong == nil && mapped[.start] == nil
      date =
        mapped[.startDate]
        ?? first("date", "utc date", "gps date", "date utc", "local date", "datum", "fecha", "data", "day")
        .flatMap { $0 == time ? nil : $0 }
      if names[latitude] == "latitude e7" { placeUnit = 1e-7 }
      // Detect Columbus loggers, which use this name.
      let isColumbus = names[latitude] == "latitude n/s"
      north =
        first("n/s", "ns", "n s", "lat dir", "lat ref", "lat ns", "lat hemisphere", "ns indicator", "latitude ref")
        ?? first("latitude n/s").flatMap { $0 == latitude ? nil : $0 }
      east =
        first("e/w", "ew", "e w", "lon dir", "lon ref", "lon ew", "lon hemisphere", "ew indicator", "longitude ref")
        ?? first("longitude e/w").flatMap { $0 == longitude ? nil : $0 }
      isPlain = date == nil && placeUnit == 1 && !isColumbus && north == nil && east == nil
      let isTraccar = names.contains("device id") && names.contains("fix time") && names.contains("protocol")
      if isTraccar { address = names.firstIndex(of: "address") }
      if let index = first(
        "alt m", "altitude", "alt", "elevation", "ele", "elevation m", "height", "altitude m", "höhe", "hoogte")
      {
        altitude = (index, Self.words(names[index]).contains(where: { ["ft", "feet"].contains($0) }) ? 0.3048 : 1)
      }
      accuracy = first("acc m", "accuracy", "acc", "horizontal accuracy", "accuracy m", "hacc", "h acc")
      let speedIndex =
        first("speed mps", "speed ms", "speed", "spd", "velocity", "geschwindigkeit", "snelheid", "vitesse")
        ?? names.firstIndex {
          $0.hasPrefix("speed ") || $0.hasPrefix("spd ") || $0.hasPrefix("velocity ") || $0.hasPrefix("speed(")
        }
      speed = speedIndex.map {
        ($0, Self.speedFactor(names[$0]) ?? (isColumbus ? 1 / 3.6 : isTraccar ? 1852.0 / 3600 : 1))
      }
      course = first("course deg", "course", "bearing", "heading", "dir", "direction", "cog")
      activity = first("activity", "motion")
      confidence = first("confidence")
      device = first("user id", "device id", "user", "device")
      if altitude?.factor != 1, altitude != nil { isPlain = false }
    }

    private static func words(_ name: String) -> [Substring] { name.split { "()[] _".contains($0) } }

    private static func speedFactor(_ name: String) -> Double? {
      for word in words(name) {
        switch word {
        case "km/h", "kmh", "kph", "kmph": return 1 / 3.6
        case "mph", "mi/h": return 0.44704
        case "knots", "kn", "kt", "kts", "knot": return 1852.0 / 3600
        case "m/s", "mps", "ms", "meters/second": return 1
        default: continue
        }
      }
      return nil
    }

    var neededCount: Int { max(time, latitude, longitude, date ?? 0) + 1 }

    mutating func decide(_ bytes: [UInt8], _ options: ImportOptions?) throws {
      var rows = try TableRows(ByteInput(bytes))
      while let row = try rows.next(), row.line < headerLine {}
      var timeEvidence = DateEvidence()
      var dateEvidence = DateEvidence()
      var place = NumberEvidence()
      let measured = [altitude?.index, accuracy, speed?.index, course, confidence].compactMap(\.self)
      var measures = [NumberEvidence](repeating: NumberEvidence(), count: measured.count)
      var hasDates = false
      while let row = try rows.next() {
        func cell(_ index: Int) -> String? {
          index < row.cells.count && !row.cells[index].isEmpty ? row.cells[index] : nil
        }
        if let text = cell(time) {
          timeEvidence.add(text)
          if date != nil, !hasDates { hasDates = DateStyle.clock(text[...]) == nil }
        }
        if let text = date.flatMap(cell) { dateEvidence.add(text) }
        for text in [cell(latitude), cell(longitude)].compactMap(\.self) { place.add(text) }
        for (number, index) in measured.enumerated() { if let text = cell(index) { measures[number].add(text) } }
      }
      // If the time column contains the date, a date column is not needed.
      if hasDates { date = nil }
      let isContinental = separator == UInt8(ascii: ";")
      dates = try (date == nil ? timeEvidence : dateEvidence).decide(
        chosen: options?.isDayFirst, other: nil, isContinental: isContinental)
      if let options, options.isZoneChosen { zone = options.zone }
      if place.sign == .comma { places.sign = .comma }
      let sign = options?.decimalSign ?? place.sign
      for (number, index) in measured.enumerated() {
        // For a column without evidence, assume the decimal separator of the coordinates.
        numbers[index] = NumberColumn(sign: measures[number].sign ?? sign ?? .point)
      }
    }

    /// Parses a row of plain numbers, words and dates without creating a string for each cell.
    ///
    /// Returns `nil` for all other rows, which ``fields(of:at:)`` parses. If both methods can parse a row, their
    /// results are equal.
    func plainFields(of row: ArraySlice<UInt8>) -> FixFields? {
      guard isPlain else { return nil }
      var fields = FixFields()
      var percent: Double?
      var state: MotionState?
      var hasState = false
      var column = 0
      var start = row.startIndex
      while true {
        var end = start
        while end < row.endIndex, row[end] != separator {
          guard row[end] < 0x80, row[end] != UInt8(ascii: "\"") else { return nil }
          end += 1
        }
        let field = row[start..<end]
        switch column {
        case time:
          if let number = DecimalField(field) {
            // Exclude numbers of 8, 12 or 14 digits, which may be compact dates rather than seconds.
            guard field.count != 8, field.count != 14, field.count != 12 else { return nil }
            fields.time = number.value.flatMap { FieldText.moment($0) }
          } else {
            fields.time = RFC3339.date(from: String(decoding: field, as: UTF8.self))
          }
          // Leave an invalid time to the general parser, which reports it.
          guard fields.time != nil else { return nil }
        case latitude, longitude, altitude?.index, accuracy, speed?.index, course, confidence:
          guard let number = DecimalField(field) else { return nil }
          if column == latitude { fields.latitude = number.value }
          if column == longitude { fields.longitude = number.value }
          if column == altitude?.index { fields.altitude = number.value }
          if column == accuracy { fields.accuracy = number.value }
          if let speed, column == speed.index { fields.speed = number.value.map { $0 * speed.factor } }
          if column == course { fields.course = number.value }
          if column == confidence { percent = number.value }
        case activity where !field.isEmpty:
          hasState = true
          state = FieldText.motion(FieldText.trim(String(decoding: field, as: UTF8.self)))
        case device where !field.isEmpty:
          let name = FieldText.trim(String(decoding: field, as: UTF8.self))
          if !name.isEmpty { fields.device = name }
        default: break
        }
        column += 1
        guard end < row.endIndex else { break }
        start = end + 1
      }
      guard column >= neededCount, column <= count else { return nil }
      if hasState, let state {
        fields.motion = (state, percent.map { FieldText.confidence(percent: $0) } ?? .medium)
      }
      return fields
    }

    /// Remark about the zone that is assumed for times without a zone.
    var zoneRemark: String {
      guard let zone else { return "times without a zone are read as UTC" }
      return "times without a zone are read as \(zone.name ?? "times of the chosen zone")"
    }

    func reading(_ row: [String]) -> DateStyle.Reading? {
      guard let date else { return dates.read(row[time]) }
      guard date < row.count else { return nil }
      let (day, clock) = (row[date], row[time])
      func isSixDigits(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
      if isSixDigits(day), isSixDigits(clock) {
        // Loggers that write this notation use UTC.
        var reading = DateStyle.compact.read("20" + day + clock)
        reading?.secondsFromGMT = 0
        return reading
      }
      guard var reading = dates.read(day), let (second, offset) = DateStyle.clock(clock[...]) else { return nil }
      reading.secondOfDay = second
      reading.secondsFromGMT = offset
      return reading
    }

    private func moment(_ row: [String], _ reading: DateStyle.Reading?) -> Date? {
      // Reject dates without a time of day, which are not precise enough for a fix.
      guard let reading else { return date == nil ? FieldText.moment(row[time]) : nil }
      return reading.secondOfDay == nil ? nil : reading.moment(in: zone ?? .utc)
    }

    /// Returns the fields of a row, given the result of ``reading(_:)`` for it.
    func fields(of row: [String], at reading: DateStyle.Reading?) -> FixFields {
      // If a row has more cells than the header, the cells after the address are shifted.
      func cell(_ index: Int?) -> String? {
        guard let index, index < row.count, row.count <= count || index < address ?? count else { return nil }
        return row[index]
      }
      func number(_ index: Int?) -> Double? {
        cell(index).flatMap { text in
          let numbers = index.flatMap { self.numbers[$0] } ?? NumberColumn()
          return numbers.number(text) ?? FieldText.number(text)
        }
      }
      func degrees(_ index: Int, _ hemisphere: Int?) -> Double? {
        guard let value = Degrees.read(row[index], places) ?? FieldText.number(row[index]) else { return nil }
        guard let letter = cell(hemisphere)?.first, let isNegative = Degrees.hemisphere(letter) else {
          return value * placeUnit
        }
        return abs(value) * placeUnit * (isNegative ? -1 : 1)
      }
      var fields = FixFields()
      fields.latitude = degrees(latitude, north)
      fields.longitude = degrees(longitude, east)
      fields.time = moment(row, reading)
      fields.altitude = altitude.flatMap { altitude in number(altitude.index).map { $0 * altitude.factor } }
      fields.accuracy = number(accuracy)
      fields.speed = speed.flatMap { speed in number(speed.index).map { $0 * speed.factor } }
      fields.course = number(course)
      if let word = cell(activity), let state = FieldText.motion(word) {
        fields.motion = (state, number(confidence).map { FieldText.confidence(percent: $0) } ?? .medium)
      }
      if let name = cell(device), !name.isEmpty { fields.device = name }
      return fields
    }
  }
}
