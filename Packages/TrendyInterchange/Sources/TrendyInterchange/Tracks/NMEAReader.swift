import TrendyFoundation
import TrendyModels

/// Reads logs of NMEA 0183 sentences.
///
/// RMC provides position, date, speed and course, and GGA with the same time provides altitude and dilution of
/// precision. A position that occurs only in GGA, GNS or GLL is a point as well. Its date is the date of the last RMC
/// or ZDA, incremented at midnight, or missing. Sentences without a correct checksum and runs of binary data are
/// rejected and counted. Other sentences are skipped and counted by type.
public enum NMEAReader: Sendable {
  /// Reads a file, which may also contain binary messages from the receiver.
  ///
  /// - Throws: ``InterchangeError`` if the file does not contain a valid sentence.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    var decoder = NMEADecoder()
    var lineNumber = 1
    var from = bytes.startIndex
    // Binary messages may contain line breaks, so all bytes between two sentences count as one rejected run.
    var isInGarbage = false
    while from < bytes.endIndex {
      let end = bytes[from...].firstIndex(of: 0xA) ?? bytes.endIndex
      var line = bytes[from..<end]
      while line.last == 0xD { line = line.dropLast() }
      let isText = line.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x9 }
      if line.allSatisfy(\.isSpace) {
      } else if let start = sentenceStart(in: line) {
        if start > line.startIndex, !isInGarbage {
          decoder.reject("line \(lineNumber)", "\(start - line.startIndex) invalid bytes before the sentence")
        }
        isInGarbage = false
        decoder.take(sentence: line[start...], at: lineNumber)
      } else if isText {
        isInGarbage = false
        decoder.reject("line \(lineNumber)", wrong(line))
      } else {
        if !isInGarbage { decoder.reject("line \(lineNumber)", "bytes that are not a sentence") }
        isInGarbage = true
      }
      lineNumber += 1
      from = end + 1
    }
    guard decoder.sentences > 0 else {
      throw .malformed(line: 1, column: 1, reason: "no sentence has a valid checksum", pointsRead: 0)
    }
    return decoder.finish()
  }

  static func holdsSentence(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.split { $0 == 0xA || $0 == 0xD }.contains { sentenceStart(in: $0) != nil }
  }

  /// Returns the start of a sentence that ends the line and has a correct checksum, or `nil`.
  fileprivate static func sentenceStart(in line: ArraySlice<UInt8>) -> Int? {
    var line = line
    while line.last?.isSpace == true { line = line.dropLast() }
    guard line.count >= 9, line[line.endIndex - 3] == UInt8(ascii: "*"),
      let high = hexadecimal(line[line.endIndex - 2]),
      let low = hexadecimal(line[line.endIndex - 1])
    else { return nil }
    let wanted = high << 4 | low
    let body = line[max(line.startIndex, line.endIndex - 1024)..<line.endIndex - 3]
    var sum: UInt8 = 0
    for index in body.indices.reversed() {
      if body[index] == UInt8(ascii: "$") || body[index] == UInt8(ascii: "!") {
        if sum == wanted { return index }
        return nil
      }
      sum ^= body[index]
    }
    return nil
  }

  fileprivate static func wrong(_ line: ArraySlice<UInt8>) -> String {
    guard line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!") else { return "not a sentence" }
    return line.contains(UInt8(ascii: "*")) ? "wrong checksum" : "the sentence has no checksum"
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Incremental reader for NMEA sentences from a receiver.
///
/// Interprets sentences like ``NMEAReader``. A fix is returned when the first sentence with a later time arrives.
public struct NMEAStream: Sendable {
  private var decoder = NMEADecoder()
  private var line: [UInt8] = []
  private var lineNumber = 0

  /// Creates a reader that expects the start of a line.
  public init() {}

  /// Parses received bytes and returns the fixes that they complete.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> DeviceBatch {
    for byte in bytes {
      if byte == 0xA || byte == 0xD {
        endLine()
      } else if line.count < Self.longestLine {
        line.append(byte)
      }
    }
    return DeviceBatch(decoder.drain())
  }

  /// Returns the last fix at the end of the input.
  public mutating func finish() -> DeviceBatch {
    endLine()
    decoder.end()
    return DeviceBatch(decoder.drain())
  }

  private mutating func endLine() {
    guard !line.isEmpty else { return }
    lineNumber += 1
    if let start = NMEAReader.sentenceStart(in: line[...]) {
      decoder.take(sentence: line[start...], at: lineNumber)
    } else {
      decoder.reject("line \(lineNumber)", NMEAReader.wrong(line[...]))
    }
    line.removeAll(keepingCapacity: true)
  }

  /// Maximum length of a line in bytes. The rest is discarded.
  private static let longestLine = 4096
}

private struct NMEADecoder {
  private var collector = FixCollector(.nmea)
  private(set) var sentences = 0
  private var day: Day?
  private var open: Epoch?

  /// Date, and the latest time of day on that date.
  private struct Day {
    /// Start of the date in seconds since 1970.
    var start: Double
    var clock: Double
  }

  /// Combined content of all sentences with the same time of day.
  private struct Epoch {
    var clock: Double
    var date: Double?
    var fields = FixFields()
    var hasRecommended = false
    var line: Int
  }

  mutating func reject(_ place: String, _ reason: String) { collector.reject(place, reason) }

  mutating func take(sentence: ArraySlice<UInt8>, at line: Int) {
    sentences += 1
    let body = sentence.dropFirst().prefix { $0 != UInt8(ascii: "*") }
    let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let address = fields[0]
    // The address consists of two letters for the talker and three for the type. Proprietary sentences start with P.
    let kind = address.utf8.count == 5 && address.utf8.first != UInt8(ascii: "P") ? String(address.suffix(3)) : address
    func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }
    switch kind {
    case "RMC":
      // Status V is a warning that the position is old or missing.
      guard field(2) == "A", let clock = Self.clock(field(1)) else {
        noteDate(field(9), clock: Self.clock(field(1)))
        collector.skip(message: "RMC without a fix")
        return
      }
      var epoch = epoch(at: clock, line: line)
      noteDate(field(9), clock: clock)
      epoch.date = Self.date(field(9))
      let place = Self.place(field(3), field(4), field(5), field(6))
      if epoch.hasRecommended == false {
        if let latitude = epoch.fields.latitude, let other = place.latitude, let longitude = epoch.fields.longitude,
          let otherLongitude = place.longitude, abs(latitude - other) + abs(longitude - otherLongitude) > 0.001
        {
          collector.report(
            "line \(line)", "position differs from earlier sentences of the same time, which were ignored")
          epoch.fields = FixFields()
        }
        epoch.fields.latitude = place.latitude
        epoch.fields.longitude = place.longitude
        epoch.hasRecommended = true
      }
      epoch.fields.speed = FieldText.number(field(7)).map { $0 * 1852 / 3600 }
      epoch.fields.course = FieldText.number(field(8))
      open = epoch
    case "GGA", "GNS", "GLL":
      let isGLL = kind == "GLL"
      guard let clock = Self.clock(field(isGLL ? 5 : 1)), hasFix(kind, field(6)) else {
        collector.skip(message: "\(kind) without a fix")
        return
      }
      let place =
        isGLL ? Self.place(field(1), field(2), field(3), field(4)) : Self.place(field(2), field(3), field(4), field(5))
      var epoch = epoch(at: clock, line: line)
      if let latitude = epoch.fields.latitude, let longitude = epoch.fields.longitude,
        let other = place.latitude, let otherLongitude = place.longitude,
        abs(latitude - other) + abs(longitude - otherLongitude) > 0.001
      {
        collector.report("line \(line)", "position differs from an earlier sentence of the same time: ignored")
        open = epoch
        return
      }
      if epoch.fields.latitude == nil {
        epoch.fields.latitude = place.latitude
        epoch.fields.longitude = place.longitude
      }
      if !isGLL {
        // Height above the ellipsoid: altitude above sea level plus geoid separation.
        let separation = FieldText.number(field(kind == "GGA" ? 11 : 10)) ?? 0
        if let altitude = FieldText.number(field(9)) { epoch.fields.altitude = altitude + separation }
        // Multiply the dilution by the range error, about five metres with a clear view of the sky (GPS SPS Performance
        // Standard).
        if let dilution = FieldText.number(field(8)) { epoch.fields.accuracy = dilution * 5 }
      }
      open = epoch
    case "ZDA":
      if let clock = Self.clock(field(1)), let dayOfMonth = Self.digits(field(2)), let month = Self.digits(field(3)),
        let year = Self.digits(field(4)), let start = Self.start(year: year, month: month, day: dayOfMonth)
      {
        note(Day(start: start, clock: clock))
      }
      collector.skip(message: kind)
    default:
      collector.skip(message: kind)
    }
  }

  private func hasFix(_ kind: String, _ status: String) -> Bool {
    switch kind {
    // Reject 0, which means that there is no fix, and 6 to 8, which are estimated, manual and simulated positions.
    case "GGA": ["1", "2", "3", "4", "5", "9"].contains(status)
    case "GNS": status.contains { !"NEMS".contains($0) }
    default: status == "A"
    }
  }

  /// Returns the open epoch if it has this time of day. Otherwise, closes the open epoch and returns a new one.
  private mutating func epoch(at clock: Double, line: Int) -> Epoch {
    if let open, abs(open.clock - clock) < 0.005 { return open }
    close()
    return Epoch(clock: clock, line: line)
  }

  private mutating func close() {
    guard let open else { return }
    self.open = nil
    var fields = open.fields
    if let start = open.date {
      fields.time = Date(timeIntervalSince1970: start + open.clock)
      day = Day(start: start, clock: open.clock)
    } else if var day {
      // Without a date in the sentences, assume that midnight has passed if the clock goes back by more than half a
      // day.
      if open.clock < day.clock - 43_200 { day.start += 86_400 }
      day.clock = open.clock
      self.day = day
      fields.time = Date(timeIntervalSince1970: day.start + open.clock)
    }
    collector.take(fields, at: "line \(open.line)")
  }

  private mutating func noteDate(_ text: String, clock: Double?) {
    if let start = Self.date(text), let clock { note(Day(start: start, clock: clock)) }
  }

  /// Sets the date. An open epoch with another time belongs to the previous date.
  private mutating func note(_ day: Day) {
    if let open, abs(open.clock - day.clock) >= 0.005 { close() }
    self.day = day
  }

  mutating func finish() -> TrackFile {
    close()
    return collector.finish()
  }

  mutating func end() { close() }

  /// Returns the fixes since the last call, without the open epoch.
  mutating func drain() -> TrackFile {
    defer { collector = FixCollector(.nmea) }
    return collector.finish()
  }

  /// Parses a time of day such as `hhmmss.sss` to seconds since midnight.
  private static func clock(_ text: String) -> Double? {
    guard text.utf8.count >= 6, let hours = digits(text.prefix(2)), let minutes = digits(text.dropFirst(2).prefix(2)),
      let seconds = FieldText.number(text.dropFirst(4)), hours < 24, minutes < 60, seconds >= 0, seconds < 61
    else { return nil }
    return Double(hours * 3600 + minutes * 60) + seconds
  }

  /// Parses `ddmmyy` to the start of the date in seconds since 1970. Years from 80 are in the 20th century.
  private static func date(_ text: String) -> Double? {
    guard text.utf8.count == 6, let day = digits(text.prefix(2)), let month = digits(text.dropFirst(2).prefix(2)),
      let year = digits(text.suffix(2))
    else { return nil }
    return start(year: year >= 80 ? 1900 + year : 2000 + year, month: month, day: day)
  }

  private static func start(year: Int, month: Int, day: Int) -> Double? {
    func padded(_ value: Int, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return RFC3339.date(from: "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T00:00:00Z")?
      .timeIntervalSince1970
  }

  private static func digits(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func place(
    _ latitude: String, _ north: String, _ longitude: String, _ east: String
  ) -> (latitude: Double?, longitude: Double?) {
    (angle(latitude, positive: "N", negative: "S", north), angle(longitude, positive: "E", negative: "W", east))
  }

  /// Parses an angle such as `ddmm.mmmm` and its hemisphere letter to degrees.
  private static func angle(_ text: String, positive: String, negative: String, _ side: String) -> Double? {
    guard let value = FieldText.number(text), value >= 0, value < 100_000, side == positive || side == negative else {
      return nil
    }
    let degrees = (value / 100).rounded(.down)
    let minutes = value - degrees * 100
    guard minutes < 60 else { return nil }
    return (degrees + minutes / 60) * (side == negative ? -1 : 1)
  }
}
