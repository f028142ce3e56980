public import TrendyModels

/// Encodes routes in Google's encoded polyline format: coordinate differences in units of 1e-5 degrees, five bits per
/// character.
public enum Polyline: Sendable {
  /// Encodes a route. Coordinates are rounded to 1e-5 degrees, about a metre.
  public static func encode(_ way: [Coordinate]) -> String {
    var text: [UInt8] = []
    var last = (latitude: Int64(0), longitude: Int64(0))
    for place in way {
      let next = (latitude: units(place.latitude), longitude: units(place.longitude))
      append(next.latitude - last.latitude, to: &text)
      append(next.longitude - last.longitude, to: &text)
      last = next
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a route. Returns `nil` if the string is malformed or a coordinate is out of range.
  public static func decode(_ text: String) -> [Coordinate]? {
    var way: [Coordinate] = []
    var bytes = Array(text.utf8)[...]
    var latitude: Int64 = 0
    var longitude: Int64 = 0
    while !bytes.isEmpty {
      guard let north = number(&bytes), let east = number(&bytes) else { return nil }
      latitude += north
      longitude += east
      let place = Coordinate(latitude: Double(latitude) / 1e5, longitude: Double(longitude) / 1e5)
      guard place.isValid else { return nil }
      way.append(place)
    }
    return way
  }

  /// Returns the coordinate rounded to the precision of an encoded route.
  static func rounded(_ place: Coordinate) -> Coordinate {
    Coordinate(latitude: Double(units(place.latitude)) / 1e5, longitude: Double(units(place.longitude)) / 1e5)
  }

  /// Converts degrees to units of 1e-5. Clamps values that are out of range, because converting them would trap.
  private static func units(_ degrees: Double) -> Int64 {
    degrees.isNaN ? 0 : Int64((min(max(degrees, -180), 180) * 1e5).rounded())
  }

  private static func append(_ value: Int64, to text: inout [UInt8]) {
    var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
    while rest >= 0x20 {
      text.append(UInt8(rest & 0x1F | 0x20) + 63)
      rest >>= 5
    }
    text.append(UInt8(rest) + 63)
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      // Six characters can represent every difference between two coordinates.
      guard (63...126).contains(byte), shift < 30 else { return nil }
      value |= UInt64((byte - 63) & 0x1F) << shift
      shift += 5
      if byte - 63 < 0x20 { return Int64(value >> 1) ^ -Int64(value & 1) }
    }
    return nil
  }
}
