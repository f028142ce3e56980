import TrendyFoundation
import TrendyModels

/// Parses fields of Google's location files. Their spelling differs between exports.
enum GoogleField {
  /// Converts units of 1e-7 degrees to a coordinate. Returns `nil` if the coordinate is invalid.
  ///
  /// Exports from 2019 contain negative values as unsigned 32-bit numbers.
  static func coordinate(_ latitude: Int64, _ longitude: Int64) -> Coordinate? {
    let latitude = latitude > 900_000_000 ? latitude - 4_294_967_296 : latitude
    let longitude = longitude > 1_800_000_000 ? longitude - 4_294_967_296 : longitude
    let coordinate = Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    return coordinate.isValid ? coordinate : nil
  }

  /// Parses an object with the members `latitudeE7` and `longitudeE7`, or with the given member names.
  static func coordinate(
    _ value: JSONValue?, _ latitude: String = "latitudeE7", _ longitude: String = "longitudeE7"
  ) -> Coordinate? {
    guard let latitude = value?[latitude]?.number, let longitude = value?[longitude]?.number,
      let latitude = Int64(exactly: latitude.rounded()), let longitude = Int64(exactly: longitude.rounded())
    else { return nil }
    return coordinate(latitude, longitude)
  }

  /// Parses a coordinate in a string, or in the member `latLng` of an object.
  ///
  /// Accepts `52.0907°, 5.1214°`, even if the degree signs are missing or garbled, and `geo:52.0907,5.1214`.
  static func place(_ value: JSONValue?) -> Coordinate? {
    guard let text = value?.stringValue ?? (value?["latLng"] ?? value?["LatLng"])?.stringValue else { return nil }
    let kept = text.utf8.drop { !isOfNumber($0) }.filter { isOfNumber($0) || $0 == UInt8(ascii: ",") }
    let parts = kept.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count >= 2, let latitude = FieldText.number(parts[0]), let longitude = FieldText.number(parts[1])
    else { return nil }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    return coordinate.isValid ? coordinate : nil
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// Returns the UTC offset of a timestamp in seconds, or `nil` for `Z`, which does not reveal the zone.
  static func offset(of text: String?) -> Int? {
    guard let tail = text?.utf8.suffix(6), tail.count == 6, let sign = tail.first, sign == 0x2B || sign == 0x2D else {
      return nil
    }
    let digits = tail.dropFirst().filter { $0 != 0x3A }.map { Int($0) - 0x30 }
    guard digits.count == 4, digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return minutes <= 14 * 60 ? (sign == 0x2D ? -minutes : minutes) * 60 : nil
  }
}

/// Google's name for a mode of movement, such as `IN_PASSENGER_VEHICLE` or `in passenger vehicle`.
struct GoogleActivity: Hashable {
  /// Lower-case words separated by spaces, or an empty string if the mode is unknown.
  let words: String

  init(_ word: String?) {
    let words = (word ?? "").lowercased().replacing("_", with: " ")
    self.words = ["unknown", "unknown activity type", "still", "tilting"].contains(words) ? "" : words
  }

  var isVehicle: Bool {
    words.hasPrefix("in ") || ["flying", "motorcycling", "boating", "driving", "in vehicle", "sailing"].contains(words)
  }

  var typeName: String {
    if isVehicle { return "Trip" }
    switch words {
    case "": return "Movement"
    case "on foot": return "Walking"
    case "on bicycle": return "Cycling"
    default: return words.prefix(1).uppercased() + words.dropFirst()
    }
  }

  var vehicle: String { words.hasPrefix("in ") ? String(words.dropFirst(3)) : words }
}
