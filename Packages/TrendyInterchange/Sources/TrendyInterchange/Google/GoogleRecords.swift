import TrendyFoundation
import TrendyModels

/// Reads `Records.json` from a Google Takeout archive. The file contains the fixes of all the user's devices and is
/// often several gigabytes long.
///
/// The member names follow the Records schema in CarlosBergillos/LocationHistoryFormat.
enum GoogleRecords {
  private static let array = "locations"

  /// Whether a document with these members is `Records.json`. Its first entry may be a network scan without a position.
  static func isBeginning(_ outline: JSONOutline) -> Bool {
    outline.members[array] != nil
      && !outline.innerMembers.isDisjoint(with: ["latitudeE7", "longitudeE7", "timestampMs", "deviceTag"])
  }

  static func read(_ input: ByteInput, _ body: InterchangeFormat.Handler) throws {
    var withoutPlace = 0
    // Name of the last device, cached because most consecutive entries have the same device.
    var last: (tag: Int64, name: String)?
    do {
      try JSONElements.read(input, arrays: [array]) { _, index, bytes in
        var entry = Entry()
        guard entry.take(bytes) else {
          return try body(.bad(reason: "incomplete JSON object"), "locations[\(index)]")
        }
        guard entry.latitude != nil || entry.longitude != nil else {
          withoutPlace += 1
          return
        }
        guard let fix = entry.location else { return try body(.bad(reason: entry.problem), "locations[\(index)]") }
        if let tag = entry.deviceTag, tag != last?.tag { last = (tag, "Google \(tag)") }
        if !entry.invalid.isEmpty {
          try body(.bad(reason: "invalid \(entry.invalid.joined(separator: ", ")): ignored"), "locations[\(index)]")
        }
        // The position in the file is not used for fixes, so it is not formatted for each of millions of them.
        try body(.fix(fix, device: entry.deviceTag == nil ? "Google" : last?.name ?? "Google"), "locations")
      }
    } catch {
      try tell(withoutPlace, body)
      throw error
    }
    try tell(withoutPlace, body)
  }

  private static func tell(_ withoutPlace: Int, _ body: InterchangeFormat.Handler) throws {
    if withoutPlace > 0 { try body(.skip(what: "entry without a position", count: withoutPlace), array) }
  }

  private struct Entry {
    var latitude: Int64?
    var longitude: Int64?
    var time: Date?
    var accuracy: Double?
    var altitude: Double?
    var speed: Double?
    var course: Double?
    var deviceTag: Int64?
    /// Names of optional members with an invalid value.
    var invalid: [String] = []

    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      JSONFields.forEach(in: bytes) { name, value in
        func checked<Number>(_ number: Number?) -> Number? {
          if number == nil, !value.isNull { invalid.append(String(decoding: name, as: UTF8.self)) }
          return number
        }
        switch name.count {
        case 8 where name.isEqual("accuracy"): accuracy = checked(value.number)
        case 8 where name.isEqual("altitude"): altitude = checked(value.number)
        case 8 where name.isEqual("velocity"): speed = checked(value.number)
        case 7 where name.isEqual("heading"): course = checked(value.number)
        case 9 where name.isEqual("timestamp"): time = value.moment
        case 9 where name.isEqual("deviceTag"): deviceTag = checked(value.integer)
        case 10 where name.isEqual("latitudeE7"): latitude = value.integer
        case 11 where name.isEqual("longitudeE7"): longitude = value.integer
        case 11 where name.isEqual("timestampMs"):
          time = value.integer.flatMap { FieldText.moment(Double($0) / 1000) }
        default: break
        }
      }
    }

    var coordinate: Coordinate? {
      guard let latitude, let longitude else { return nil }
      return GoogleField.coordinate(latitude, longitude)
    }

    var location: Location? {
      guard let time, let coordinate else { return nil }
      return Location(
        coordinate: coordinate, horizontalAccuracy: accuracy.flatMap { $0 > 0 ? $0 : nil } ?? -1, timestamp: time,
        altitude: altitude.flatMap { abs($0) < 1e6 ? $0 : nil },
        speed: speed.flatMap { $0 >= 0 && $0 < 1e5 ? $0 : nil },
        course: course.flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil })
    }

    var problem: String {
      guard coordinate != nil else {
        let parts = [latitude, longitude].map { $0.map { "\($0)" } ?? "-" }
        return "invalid coordinates (latitudeE7 \(parts[0]), longitudeE7 \(parts[1]))"
      }
      return "missing or invalid time"
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  func isEqual(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }
}
