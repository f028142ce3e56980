import TrendyFoundation
import TrendyModels

/// Reads the `locations.json` of one trip in a Polarsteps archive: `{"locations":[{"lat":…,"lon":…,"time":…}]}`.
enum PolarstepsReader {
  private static let array = "locations"

  static func isBeginning(_ outline: JSONOutline) -> Bool {
    let inner = outline.innerMembers
    return outline.members[array] != nil && inner.contains("lat") && (inner.contains("lon") || inner.contains("lng"))
      && inner.contains("time") && !inner.contains("geometry")
  }

  static func read(_ input: ByteInput, _ body: InterchangeFormat.Handler) throws {
    try JSONElements.read(input, arrays: [array]) { _, index, bytes in
      let place = "\(array)[\(index)]"
      guard let value = JSONValue(element: bytes) else { return try body(.bad(reason: "invalid JSON"), place) }
      guard let latitude = value["lat"]?.number, let longitude = (value["lon"] ?? value["lng"])?.number,
        case let coordinate = Coordinate(latitude: latitude, longitude: longitude), coordinate.isValid
      else { return try body(.bad(reason: "invalid coordinates"), place) }
      guard let time = value["time"]?.moment else {
        return try body(.bad(reason: "missing or invalid time"), place)
      }
      try body(
        .fix(Location(coordinate: coordinate, horizontalAccuracy: -1, timestamp: time), device: "Polarsteps"), place)
    }
  }
}
