import TrendyFoundation
import TrendyModels

/// Reads GPX 1.0 and 1.1 with common variations.
///
/// Within a point, elements are matched by local name at any depth, so that speed, course and accuracy are found in the
/// extensions of any vendor. Malformed XML is an error, whereas points with an invalid position or time are only
/// counted.
public enum GPXReader: Sendable {
  /// Reads a file.
  ///
  /// - Throws: ``InterchangeError`` with the line and column, without returning the points before the error.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    let (file, error) = readPart(bytes)
    if let error { throw error }
    return file
  }

  /// Reads a file up to its end or to an error. An error is a truncation or a syntax error.
  public static func readPart(_ bytes: [UInt8]) -> (file: TrackFile, error: InterchangeError?) {
    var parser = GPXParser()
    do throws(XMLProblem) {
      var reader = try XMLReader(bytes)
      while true {
        let event = try reader.next()
        if case .finished = event { return (parser.file, nil) }
        if let reason = parser.take(event) {
          let place = reader.place
          throw XMLProblem(line: place.line, column: place.column, reason: reason)
        }
      }
    } catch {
      let file = parser.wholePart
      return (file, InterchangeError(error, pointsRead: file.pointCount))
    }
  }
}

private struct GPXParser {
  private(set) var file = TrackFile(format: .gpx)
  private var path: [String] = []
  private var text = ""
  private var point: Point?
  private var track: Track?
  private var segment: TrackSegment?
  private var route: Track?
  /// Number of points in all tracks, including skipped points.
  private var trackPoints = 0

  private struct Point {
    var depth: Int
    var latitude: String?
    var longitude: String?
    var name: String?
    var time: String?
    var altitude: Double?
    var speed: Double?
    var course: Double?
    var accuracy: Double?
    var dilution: Double?
  }

  /// The file with the tracks so far, including the track that is still incomplete.
  var wholePart: TrackFile {
    var file = file
    if var track {
      if let segment { track.segments.append(segment) }
      file.tracks.append(track)
    }
    if let route { file.routes.append(route) }
    return file
  }

  /// Processes an event. Returns an error message if the document is not GPX.
  mutating func take(_ event: XMLReader.Event) -> String? {
    switch event {
    case .start(let name, let attributes):
      if path.isEmpty, name != "gpx" { return "the root element is <\(name)> instead of <gpx>" }
      path.append(name)
      text = ""
      start(name, attributes)
    case .text(let run):
      // Discard the rest of a longer text, because only names and times are needed.
      if text.utf8.count < 4096 { text += run }
    case .end(let name):
      end(name)
      path.removeLast()
      text = ""
    case .finished:
      break
    }
    return nil
  }

  private mutating func start(_ name: String, _ attributes: [XMLAttribute]) {
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    guard point == nil else { return }
    switch name {
    case "gpx" where path.count == 1:
      file.creator = attribute("creator")
    case "trk" where path.count == 2:
      track = Track()
    case "trkseg" where track != nil:
      segment = TrackSegment()
    case "rte" where path.count == 2:
      route = Track(segments: [TrackSegment()])
    case "trkpt" where segment != nil, "rtept" where route != nil, "wpt" where path.count == 2:
      point = Point(depth: path.count, latitude: attribute("lat"), longitude: attribute("lon"))
    default:
      break
    }
  }

  private mutating func end(_ name: String) {
    if var open = point {
      if path.count > open.depth {
        read(name, into: &open)
        point = open
      } else {
        point = nil
        finish(open, name)
      }
      return
    }
    switch name {
    case "name" where path.count == 3 && path[1] == "trk":
      let text = trimmed
      track?.name = text
    case "type" where path.count == 3 && path[1] == "trk":
      let text = trimmed
      track?.activity = text.isEmpty ? nil : text
    case "name" where path.count == 3 && path[1] == "rte":
      let text = trimmed
      route?.name = text
    case "trkseg":
      if let segment { track?.segments.append(segment) }
      segment = nil
    case "trk" where path.count == 2:
      if let track { file.tracks.append(track) }
      track = nil
    case "rte" where path.count == 2:
      if let route { file.routes.append(route) }
      route = nil
    default:
      break
    }
  }

  private mutating func read(_ name: String, into point: inout Point) {
    let isDirect = path.count == point.depth + 1
    switch name {
    case "time" where isDirect: point.time = trimmed
    case "name" where isDirect: point.name = trimmed
    case "ele" where isDirect: point.altitude = number(name)
    case "speed": point.speed = number(name).flatMap { $0 >= 0 ? $0 : nil }
    case "course": point.course = number(name).flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }
    case "accuracy", "hacc", "hAcc", "acc": point.accuracy = number(name).flatMap { $0 >= 0 ? $0 : nil }
    case "hdop": point.dilution = number(name).flatMap { $0 >= 0 ? $0 : nil }
    default: break
    }
  }

  private mutating func finish(_ read: Point, _ name: String) {
    let time = read.time.flatMap { $0.isEmpty ? nil : FieldText.date(FieldText.trim($0)) }
    if name == "trkpt" { trackPoints += 1 }
    if name == "trkpt", let text = read.time, !text.isEmpty, time == nil {
      file.unreadableTimes += 1
      file.report("track point \(trackPoints)", "invalid time \"\(text.prefix(40))\"")
    }
    guard let latitude = read.latitude.flatMap({ FieldText.number($0) }),
      let longitude = read.longitude.flatMap({ FieldText.number($0) }),
      Coordinate(latitude: latitude, longitude: longitude).isValid
    else {
      if name == "trkpt" {
        file.skippedPoints += 1
        if time != nil { file.skippedPointsWithTime += 1 }
      }
      let place = "latitude \(read.latitude?.prefix(24) ?? "-"), longitude \(read.longitude?.prefix(24) ?? "-")"
      file.report(name == "trkpt" ? "track point \(trackPoints)" : "<\(name)>", "invalid coordinates (\(place))")
      return
    }
    let point = TrackPoint(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), timestamp: time, altitude: read.altitude,
      speed: read.speed, course: read.course,
      // Multiply the dilution by the range error, about five metres with a clear view of the sky (GPS SPS Performance
      // Standard).
      horizontalAccuracy: read.accuracy ?? read.dilution.map { $0 * 5 })
    switch name {
    case "trkpt": segment?.points.append(point)
    case "rtept": route?.segments[0].points.append(point)
    default: file.waypoints.append(Waypoint(name: read.name, point: point))
    }
  }

  private var trimmed: String { FieldText.trim(text) }

  /// Returns the number in the current element, and reports any other text. `NaN` means that the value is unknown.
  private mutating func number(_ name: String) -> Double? {
    let number = FieldText.number(text)
    let text = FieldText.trim(text)
    if number == nil, !text.isEmpty, text.lowercased() != "nan" {
      file.report("track point \(trackPoints + 1)", "invalid <\(name)> '\(text.prefix(40))': ignored")
    }
    return number
  }
}
