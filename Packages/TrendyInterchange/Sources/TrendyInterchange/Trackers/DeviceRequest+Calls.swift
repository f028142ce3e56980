public import TrendyFoundation
import TrendyModels

extension DeviceRequest {
  /// Parses a trip command from a car or phone, with time and position in the query, in a form or in a flat JSON
  /// object.
  ///
  /// The time defaults to `receivedAt`. Without a position, the batch contains no fix.
  ///
  /// - Returns: The batch and the time of the command. The time is `nil` if it is invalid.
  /// - Throws: ``InterchangeError`` for a body that starts like JSON but is invalid.
  public static func call(
    query: String, body: [UInt8] = [], receivedAt: Date
  ) throws(InterchangeError) -> (batch: DeviceBatch, time: Date?) {
    var fields = Fields(query: query)
    fields.add(try Fields(body: body))
    let names = ["time", "timestamp", "tst"]
    let name = names.first { fields[$0] != nil }
    let time = name == nil ? receivedAt : name.flatMap { fields.moment($0) }
    let device = fields.first("device_id", "device", "deviceid", "car", "id")
    var fix = FixFields()
    fix.latitude = fields.number("lat", "latitude")
    fix.longitude = fields.number("lng", "lon", "longitude")
    fix.time = time
    fix.altitude = fields.number("alt", "altitude")
    fix.accuracy = fields.number("acc", "accuracy")
    fix.course = fields.number("dir", "bearing", "course", "heading")
    fix.speed = fields.number("spd", "speed")
    fix.device = device
    guard fields.first("lat", "latitude", "lng", "lon", "longitude") != nil else {
      var batch = DeviceBatch()
      batch.device = device
      return (batch, time)
    }
    return (self.batch(of: [("the call", fix)], format: .csv), time)
  }

  /// Parses one line of gpsd's JSON protocol (gpsd_json(5)).
  ///
  /// `TPV` reports with a 2D or 3D fix contain a position. The batch of any other line is empty.
  ///
  /// - Throws: ``InterchangeError`` for invalid JSON.
  public static func gpsd(_ line: [UInt8]) throws(InterchangeError) -> DeviceBatch {
    guard let (_, value) = try JSONDocuments(line).values.first else { return DeviceBatch() }
    guard value["class"]?.stringValue == "TPV", (value["mode"]?.number ?? 0) >= 2 else {
      var batch = DeviceBatch()
      batch.skippedMessages[String((value["class"]?.stringValue ?? "unknown").prefix(32))] = 1
      return batch
    }
    var fix = FixFields()
    fix.latitude = value["lat"]?.number
    fix.longitude = value["lon"]?.number
    fix.time = value["time"]?.moment
    fix.altitude = value["altHAE"]?.number ?? value["alt"]?.number
    // Halve the errors, because gpsd reports them at 95 % confidence, about twice the standard deviation.
    let sides = value["epx"]?.number.flatMap { x in value["epy"]?.number.map { y in (x * x + y * y).squareRoot() } }
    fix.accuracy = (value["eph"]?.number ?? sides).map { $0 / 2 }
    fix.speed = value["speed"]?.number
    fix.course = value["track"]?.number
    return batch(of: [("the report", fix)], format: .csv)
  }
}
