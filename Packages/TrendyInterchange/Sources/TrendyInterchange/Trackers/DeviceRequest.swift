public import TrendyFoundation
import TrendyModels

/// Parses requests from tracking apps into fixes.
///
/// A batch contains the valid parts of a request and reports the invalid parts. Only a malformed document causes an
/// error. Queries are percent-encoded, as in the part of the URL after the question mark.
public enum DeviceRequest: Sendable {
  /// Parses a request from OwnTracks in HTTP mode.
  ///
  /// An empty body is a ping without a fix. The device is the topic of the message, or `u` and `d` in the query.
  ///
  /// - Throws: ``InterchangeError`` for a body that is not JSON.
  public static func ownTracks(query: String = "", body: [UInt8]) throws(InterchangeError) -> DeviceBatch {
    guard body.contains(where: { !$0.isSpace }) else { return DeviceBatch() }
    var batch = DeviceBatch(try OwnTracksReader.read(body))
    if batch.device == nil {
      let fields = Fields(query: query)
      let name = [fields["u"], fields["d"]].compactMap(\.self).joined(separator: "/")
      batch.device = name.isEmpty ? nil : name
    }
    return batch
  }

  /// Parses a request from Overland. The device is the first `device_id`.
  ///
  /// - Throws: ``InterchangeError`` for a body that is not JSON.
  public static func overland(body: [UInt8]) throws(InterchangeError) -> DeviceBatch {
    DeviceBatch(try OverlandReader.read(body))
  }

  /// Parses a request to GPSLogger's custom URL, with fields in the query, in a form or in a flat JSON object.
  ///
  /// The speed is `spd` in m/s or `spd_kph` in km/h. Fixes without a time are rejected, because the time of receipt
  /// would be wrong if the app resends an old fix.
  ///
  /// - Throws: ``InterchangeError`` for a body that starts like JSON but is invalid.
  public static func gpsLogger(query: String, body: [UInt8] = []) throws(InterchangeError) -> DeviceBatch {
    var fields = Fields(query: query)
    fields.add(try Fields(body: body))
    var fix = FixFields()
    fix.latitude = fields.number("lat", "latitude")
    fix.longitude = fields.number("lon", "longitude", "lng")
    fix.time = fields.moment("time") ?? fields.moment("timestamp")
    fix.altitude = fields.number("alt", "altitude")
    fix.accuracy = fields.number("acc", "accuracy") ?? fields.number("hdop").map { $0 * 5 }
    fix.course = fields.number("dir", "bearing", "course")
    fix.speed = fields.number("spd", "speed") ?? fields.number("spd_kph").map { $0 / 3.6 }
    fix.device = fields.first("aid", "device", "id", "ser")
    return batch(of: [("the query", fix)], format: .csv)
  }

  /// Parses a request in Traccar's OsmAnd protocol: a query with a speed in knots, or JSON with a speed in m/s.
  ///
  /// The time of a query defaults to `receivedAt`. JSON contains its own timestamps.
  ///
  /// - Throws: ``InterchangeError`` for a body that starts like JSON but is invalid.
  public static func osmAnd(query: String, body: [UInt8] = [], receivedAt: Date) throws(InterchangeError) -> DeviceBatch
  {
    if body.first(where: { !$0.isSpace }) == UInt8(ascii: "{") { return try osmAndJSON(body) }
    var fields = Fields(query: query)
    fields.add(try Fields(body: body))
    if fields["valid"]?.lowercased() == "false" {
      var batch = DeviceBatch()
      batch.device = fields.first("id", "deviceid")
      batch.problems = [ImportProblem(place: "valid", reason: "the device marked the position as invalid")]
      batch.problemCount = 1
      return batch
    }
    var fix = FixFields()
    let pair = fields["location"]?.split(separator: ",").map { FieldText.number($0) } ?? []
    fix.latitude = fields.number("lat", "latitude") ?? (pair.count == 2 ? pair[0] : nil)
    fix.longitude = fields.number("lon", "longitude") ?? (pair.count == 2 ? pair[1] : nil)
    fix.time = fields["timestamp"] == nil ? receivedAt : fields.moment("timestamp")
    fix.altitude = fields.number("altitude")
    fix.accuracy = fields.number("accuracy") ?? fields.number("hdop").map { $0 * 5 }
    fix.course = fields.number("bearing", "heading")
    fix.speed = fields.number("speed").map { $0 * 1852 / 3600 }
    fix.device = fields.first("id", "deviceid")
    return batch(of: [("the query", fix)], format: .csv)
  }

  private static func osmAndJSON(_ body: [UInt8]) throws(InterchangeError) -> DeviceBatch {
    var fixes: [(String, FixFields)] = []
    for (place, value) in try JSONDocuments(body).values {
      let prefix = place.isEmpty ? "" : place + ", "
      // In a batch, this member is an array of locations.
      let locations = value["location"]?.arrayValue ?? value["location"].map { [$0] } ?? []
      for (index, location) in locations.enumerated() {
        let coords = location["coords"]
        var fix = FixFields()
        fix.latitude = coords?["latitude"]?.number
        fix.longitude = coords?["longitude"]?.number
        fix.time = location["timestamp"]?.moment
        fix.altitude = coords?["altitude"]?.number.flatMap { $0 == -1 ? nil : $0 }
        fix.accuracy = coords?["accuracy"]?.number
        fix.speed = coords?["speed"]?.number
        fix.course = coords?["heading"]?.number
        fix.device = value["device_id"]?.stringValue
        if let state = location["activity"]?["type"]?.stringValue.flatMap({ FieldText.motion($0) }) {
          let percent = location["activity"]?["confidence"]?.number
          fix.motion = (state, percent.map { FieldText.confidence(percent: $0) } ?? .medium)
        }
        fixes.append((locations.count == 1 ? prefix + "location" : "\(prefix)location[\(index)]", fix))
      }
      if locations.isEmpty { fixes.append((prefix + "location", FixFields())) }
    }
    return batch(of: fixes, format: .csv)
  }

  static func batch(of fixes: [(place: String, fields: FixFields)], format: ImportFormat) -> DeviceBatch {
    var collector = FixCollector(format)
    for (place, fields) in fixes { collector.take(fields, at: place) }
    return DeviceBatch(collector.finish())
  }

  /// Fields of a request. Their names are case-insensitive.
  struct Fields {
    private var values: [String: String] = [:]

    init(query: some StringProtocol) {
      for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
        let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? Self.unescape(Array(parts[1])) : ""
        if !value.isEmpty { values[Self.unescape(Array(parts[0])).lowercased()] = value }
      }
    }

    init(body: [UInt8]) throws(InterchangeError) {
      guard body.first(where: { !$0.isSpace }) == UInt8(ascii: "{") else {
        self.init(query: FieldText.trim(String(decoding: body, as: UTF8.self)))
        return
      }
      self.init(query: "")
      for (_, value) in try JSONDocuments(body).values {
        for (name, member) in value.objectValue ?? [:] {
          switch member {
          case .string(let text): values[name.lowercased()] = text
          case .int(let number): values[name.lowercased()] = String(number)
          case .double(let number): values[name.lowercased()] = String(number)
          case .bool(let flag): values[name.lowercased()] = String(flag)
          default: break
          }
        }
      }
    }

    mutating func add(_ other: Fields) { values.merge(other.values) { mine, _ in mine } }

    subscript(_ name: String) -> String? { values[name] }

    func first(_ names: String...) -> String? { names.lazy.compactMap { values[$0] }.first }

    func number(_ names: String...) -> Double? {
      names.lazy.compactMap { values[$0] }.first.flatMap { FieldText.number($0) }
    }

    func moment(_ name: String) -> Date? {
      guard let text = values[name] else { return nil }
      if let moment = FieldText.moment(text) { return moment }
      // Restore the plus sign of a UTC offset, which becomes a space if it was not percent-encoded.
      guard let space = text.lastIndex(of: " ") else { return nil }
      return FieldText.moment(text[..<space] + "+" + text[text.index(after: space)...])
    }

    private static func unescape(_ bytes: [UInt8]) -> String {
      var result: [UInt8] = []
      var index = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
          let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
          let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
        {
          result.append(UInt8(high << 4 | low))
          index += 3
        } else {
          result.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
          index += 1
        }
      }
      return String(decoding: result, as: UTF8.self)
    }
  }
}
