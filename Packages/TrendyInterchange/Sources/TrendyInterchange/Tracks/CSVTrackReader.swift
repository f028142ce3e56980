import TrendyFoundation
import TrendyModels

/// Reads tables of fixes, their columns known by their names in the first line, parted by comma, semicolon or tab.
///
/// Latitude, longitude and time must be there; places may be in ten millionths of a degree (`latitudeE7`), or have their hemisphere
/// behind them (`31.765931S`), and the time in two columns. Between semicolons or tabs a comma is a decimal point. Speeds are metres a second unless the column's name says otherwise; an
/// accuracy of zero is unknown. A time without a zone is UTC, and ``TrackFile/remarks`` says so. One track for each user or device.
public enum CSVTrackReader: Sendable {
  /// - Throws: ``InterchangeError`` if the first line does not name the columns, or no row is whole.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    let lines = bytes[...].textLines
    guard let header = lines.first, let columns = Columns(header.bytes.withoutLeadingSpace) else {
      throw .malformed(
        line: 1, column: 1, reason: "the first line does not name columns of latitude, longitude and time",
        pointsRead: 0)
    }
    var collector = FixCollector(.csv)
    for line in lines.dropFirst() {
      if let fields = columns.plainFields(of: line.bytes) {
        collector.take(fields, at: "line \(line.number)")
        continue
      }
      let place = "line \(line.number)"
      guard let text = String(validating: line.bytes, as: UTF8.self) else {
        collector.report(place, "the text is not UTF-8")
        continue
      }
      let row = Self.fields(text, separator: columns.separator)
      guard row.count >= columns.neededCount else {
        collector.report(place, "the row has \(row.count) of \(columns.count) columns")
        collector.countSkippedPoint()
        continue
      }
      collector.take(columns.fields(of: row), at: place)
      if columns.isWithoutZone(row) { collector.remark("times without a zone are read as UTC") }
    }
    return collector.finish()
  }

  static func isHeader(_ line: ArraySlice<UInt8>) -> Bool { Columns(line.withoutLeadingSpace) != nil }

  /// The fields of a row; quotes as in RFC 4180, but no line break inside them.
  static func fields(_ row: String, separator: Character) -> [String] {
    guard row.utf8.contains(UInt8(ascii: "\"")) else {
      return row.split(separator: separator, omittingEmptySubsequences: false).map { FieldText.trim($0) }
    }
    var fields: [String] = []
    var field = ""
    var isQuoted = false
    for character in row {
      if character == "\"" {
        isQuoted.toggle()
        // Two quotes inside quotes are one; the toggles cancel out.
        if isQuoted, !field.isEmpty { field.append(character) }
      } else if character == separator, !isQuoted {
        fields.append(FieldText.trim(field))
        field = ""
      } else {
        field.append(character)
      }
    }
    fields.append(FieldText.trim(field))
    return fields
  }

  private struct Columns {
    let separator: Character
    let count: Int
    private var time = 0
    /// Of the day, where that has a column of its own.
    private var date: Int?
    /// Degrees that a place's number counts.
    private var placeUnit = 1.0
    /// Whether rows of plain numbers are read from their bytes.
    private var isPlain = true
    private var latitude = 0
    private var longitude = 0
    private var altitude: Int?
    private var accuracy: Int?
    private var speed: (index: Int, factor: Double)?
    private var course: Int?
    private var activity: Int?
    private var confidence: Int?
    private var device: Int?

    init?(_ line: ArraySlice<UInt8>) {
      guard line.count < 4096, let text = String(validating: line, as: UTF8.self) else { return nil }
      let separators: [Character] = [",", ";", "\t"]
      guard
        let separator = separators.max(by: { left, right in text.count { $0 == left } < text.count { $0 == right } })
      else { return nil }
      self.separator = separator
      let names = CSVTrackReader.fields(text, separator: separator).map { $0.lowercased() }
      count = names.count
      func first(_ wanted: String...) -> Int? { wanted.lazy.compactMap { names.firstIndex(of: $0) }.first }
      guard
        let time = first(
          "t", "timestamp_ms", "timestamp", "time", "tracked_at", "datetime", "date_time", "tst", "recorded_at"),
        let latitude = first("lat", "latitude", "latitude_deg", "latitude n/s", "latitudee7"),
        let longitude = first("lon", "lng", "long", "longitude", "longitude e/w", "longitudee7")
      else { return nil }
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
      date = names[time] == "time" ? first("date") : nil
      if names[latitude] == "latitudee7" { placeUnit = 1e-7 }
      // Loggers of Columbus.
      let hasHemispheres = names[latitude] == "latitude n/s"
      isPlain = date == nil && placeUnit == 1 && !hasHemispheres
      altitude = first("alt_m", "altitude", "alt", "elevation", "ele", "elevation_m", "height")
      accuracy = first("acc_m", "accuracy", "acc", "horizontal_accuracy", "accuracy_m", "hacc")
      speed =
        first("speed_mps", "speed_ms", "speed", "spd", "velocity").map { ($0, hasHemispheres ? 1 / 3.6 : 1) }
        ?? first("speed_kmh", "speed_kph", "spd_kph").map { ($0, 1 / 3.6) }
        ?? first("speed_knots", "speed_kn").map { ($0, 1852.0 / 3600) }
      course = first("course_deg", "course", "bearing", "heading", "dir")
      activity = first("activity", "motion")
      confidence = first("confidence")
      device = first("user_id", "device_id", "user", "device")
    }

    /// Up to the last of the columns that must be there.
    var neededCount: Int { max(time, latitude, longitude) + 1 }

    /// The fields of a row of plain numbers, words and dates, read without making text of all of it; `nil` for any other row, a date
    /// without a zone included, which ``fields(of:)`` then reads, the same for those that both read.
    func plainFields(of row: ArraySlice<UInt8>) -> FixFields? {
      guard isPlain, let parter = separator.asciiValue else { return nil }
      var fields = FixFields()
      var percent: Double?
      var state: MotionState?
      var hasState = false
      var column = 0
      var start = row.startIndex
      while true {
        var end = start
        while end < row.endIndex, row[end] != parter {
          // Quotes, and what is no ASCII, have rules of their own.
          guard row[end] < 0x80, row[end] != UInt8(ascii: "\"") else { return nil }
          end += 1
        }
        let field = row[start..<end]
        switch column {
        case time:
          if let number = DecimalField(field) {
            fields.time = number.value.flatMap { FieldText.moment($0) }
          } else {
            fields.time = RFC3339.date(from: String(decoding: field, as: UTF8.self))
          }
          // What cannot be read is told of there.
          guard fields.time != nil else { return nil }
        case latitude, longitude, altitude, accuracy, speed?.index, course, confidence:
          guard let number = DecimalField(field) else { return nil }
          if column == latitude { fields.latitude = number.value }
          if column == longitude { fields.longitude = number.value }
          if column == altitude { fields.altitude = number.value }
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
      guard column >= neededCount else { return nil }
      if hasState, let state {
        fields.motion = (state, percent.map { FieldText.confidence(percent: $0) } ?? .medium)
      }
      return fields
    }

    func isWithoutZone(_ row: [String]) -> Bool {
      moment(row).map { FieldText.lacksZone($0) } ?? false
    }

    /// The time of a row as text.
    private func moment(_ row: [String]) -> String? {
      guard let date else { return row[time] }
      guard date < row.count else { return nil }
      let (day, clock) = (row[date], row[time])
      guard [day, clock].allSatisfy({ $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
        return "\(day)T\(clock)"
      }
      func pairs(_ text: String, _ separator: String) -> String {
        stride(from: 0, to: 6, by: 2).map { text.dropFirst($0).prefix(2) }.joined(separator: separator)
      }
      // Such loggers keep UTC.
      return "20\(pairs(day, "-"))T\(pairs(clock, ":"))Z"
    }

    /// - Parameter below: the letter behind the number that puts the place south or west.
    private func degrees(_ text: String, below: Character) -> Double? {
      guard let last = text.last, "NSEWnsew".contains(last) else { return number(text).map { $0 * placeUnit } }
      return number(String(text.dropLast())).map { last.uppercased() == String(below) ? -$0 : $0 }
    }

    private func number(_ text: String) -> Double? {
      FieldText.number(separator == "," ? text : text.replacing(",", with: "."))
    }

    func fields(of row: [String]) -> FixFields {
      func number(_ index: Int?) -> Double? { index.flatMap { $0 < row.count ? self.number(row[$0]) : nil } }
      var fields = FixFields()
      fields.latitude = degrees(row[latitude], below: "S")
      fields.longitude = degrees(row[longitude], below: "W")
      fields.time = moment(row).flatMap { FieldText.moment($0) }
      fields.altitude = number(altitude)
      fields.accuracy = number(accuracy)
      fields.speed = speed.flatMap { speed in number(speed.index).map { $0 * speed.factor } }
      fields.course = number(course)
      if let activity, activity < row.count, let state = FieldText.motion(row[activity]) {
        fields.motion = (state, number(confidence).map { FieldText.confidence(percent: $0) } ?? .medium)
      }
      if let device, device < row.count, !row[device].isEmpty { fields.device = row[device] }
      return fields
    }
  }
}
