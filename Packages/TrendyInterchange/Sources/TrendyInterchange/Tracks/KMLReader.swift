import TrendyFoundation
import TrendyModels

/// Reads KML 2.2: Google's track extension, and placemarks that have a time.
///
/// A `gx:Track` is a segment, and a `gx:MultiTrack` is a track with several segments. The arrays of speed (m/s),
/// accuracy and bearing in a track are read. A line with a time span has times only at its ends. A point with a time
/// span is a stop: two fixes at one position. A point with a time stamp is a fix if no track in the file has times, or
/// a waypoint otherwise.
public enum KMLReader: Sendable {
  /// Reads a file.
  ///
  /// - Throws: ``InterchangeError`` with the line and column, without returning the points before the error.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    var parser = KMLParser()
    do throws(XMLProblem) {
      var reader = try XMLReader(bytes)
      while true {
        let event = try reader.next()
        if case .finished = event { return parser.finish() }
        if let reason = parser.take(event) {
          let place = reader.place
          throw XMLProblem(line: place.line, column: place.column, reason: reason)
        }
      }
    } catch {
      throw InterchangeError(error, pointsRead: parser.file.pointCount)
    }
  }
}

private struct KMLParser {
  private(set) var file = TrackFile(format: .kml)
  private var path: [String] = []
  private var text = ""
  private var placemark: Placemark?
  private var placemarkCount = 0
  private var track: GoogleTrack?
  private var arrayName: String?
  /// Points with a time stamp. Only the end of the file shows whether they are fixes or waypoints.
  private var stamped: [(name: String?, fields: FixFields, place: String)] = []

  private struct Placemark {
    var name: String?
    var segments: [TrackSegment] = []
    var lines: [[FixFields]] = []
    var points: [FixFields] = []
    var stamp: Date?
    var begin: Date?
    var end: Date?
    var hasBrokenTime = false
  }

  private struct GoogleTrack {
    var whens: [String] = []
    var places: [FixFields] = []
    var speeds: [Double?] = []
    var accuracies: [Double?] = []
    var bearings: [Double?] = []
  }

  /// Processes an event. Returns an error message if the document is not KML.
  mutating func take(_ event: XMLReader.Event) -> String? {
    switch event {
    case .start(let name, let attributes):
      if path.isEmpty, name != "kml" { return "the root element is <\(name)> instead of <kml>" }
      path.append(name)
      text = ""
      switch name {
      case "Placemark" where placemark == nil:
        placemark = Placemark()
        placemarkCount += 1
      case "Track" where placemark != nil: track = GoogleTrack()
      case "SimpleArrayData": arrayName = attributes.first { $0.name == "name" }?.value.lowercased()
      default: break
      }
    case .text(let run):
      // The coordinates of a line may be long. Only the beginning of any other text is needed.
      if text.utf8.count < 4096 || path.last == "coordinates" { text += run }
    case .end(let name):
      end(name)
      path.removeLast()
      text = ""
    case .finished:
      break
    }
    return nil
  }

  private mutating func end(_ name: String) {
    let parent = path.dropLast().last
    switch name {
    case "generator" where file.creator == nil: file.creator = FieldText.trim(text)
    case "name" where parent == "Placemark": placemark?.name = FieldText.trim(text)
    case "when" where track != nil: track?.whens.append(FieldText.trim(text))
    case "when" where parent == "TimeStamp": readTime { $0.stamp = $1 }
    case "begin" where parent == "TimeSpan": readTime { $0.begin = $1 }
    case "end" where parent == "TimeSpan": readTime { $0.end = $1 }
    case "coord" where track != nil: track?.places.append(Self.fields(text.split(separator: " ")))
    case "value" where track != nil && parent == "SimpleArrayData":
      let value = FieldText.number(text)
      switch arrayName {
      case "speed": track?.speeds.append(value)
      case "accuracy": track?.accuracies.append(value)
      case "bearing", "course": track?.bearings.append(value)
      default: break
      }
    case "SimpleArrayData": arrayName = nil
    case "Track":
      if let track { finish(track) }
      track = nil
    case "coordinates":
      let positions = text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        .map { Self.fields($0.split(separator: ",", omittingEmptySubsequences: false)) }
      if parent == "Point" { placemark?.points += positions.prefix(1) }
      if parent == "LineString" { placemark?.lines.append(positions) }
    case "Placemark":
      if let placemark, !path.dropLast().contains("Placemark") {
        finish(placemark)
        self.placemark = nil
      }
    default: break
    }
  }

  private mutating func readTime(_ set: (inout Placemark, Date) -> Void) {
    guard var open = placemark else { return }
    if let time = Self.moment(text) { set(&open, time) } else { open.hasBrokenTime = true }
    placemark = open
  }

  /// Parses a date with a time. A day, month or year alone is not precise enough.
  private static func moment(_ text: String) -> Date? { FieldText.date(FieldText.trim(text)) }

  private static func fields(_ parts: [Substring]) -> FixFields {
    var fields = FixFields()
    fields.longitude = parts.first.flatMap { FieldText.number($0) }
    fields.latitude = parts.dropFirst().first.flatMap { FieldText.number($0) }
    fields.altitude = parts.dropFirst(2).first.flatMap { FieldText.number($0) }
    return fields
  }

  private mutating func finish(_ track: GoogleTrack) {
    let place = "placemark \(placemarkCount)"
    let isPaired = track.whens.count == track.places.count
    if !isPaired {
      file.report(
        place, "\(track.whens.count) times for \(track.places.count) positions: the times were ignored")
    }
    func value(_ list: [Double?], _ index: Int) -> Double? { list.count == track.places.count ? list[index] : nil }
    var segment = TrackSegment()
    for (index, position) in track.places.enumerated() {
      var fields = position
      if isPaired { fields.time = Self.moment(track.whens[index]) }
      fields.speed = value(track.speeds, index)
      fields.accuracy = value(track.accuracies, index)
      fields.course = value(track.bearings, index)
      if let point = TrackPoint(fields, at: "\(place), coord \(index)", report: &file, needsTime: isPaired) {
        segment.points.append(point)
      }
    }
    placemark?.segments.append(segment)
  }

  private mutating func finish(_ placemark: Placemark) {
    let place = "placemark \(placemarkCount)"
    if placemark.hasBrokenTime {
      file.unreadableTimes += 1
      file.report(place, "invalid time")
    }
    var segments = placemark.segments
    for line in placemark.lines {
      var segment = TrackSegment()
      for (index, position) in line.enumerated() {
        var fields = position
        if index == 0 { fields.time = placemark.begin } else if index == line.count - 1 { fields.time = placemark.end }
        if let point = TrackPoint(fields, at: "\(place), coordinates \(index)", report: &file, needsTime: false) {
          segment.points.append(point)
        }
      }
      segments.append(segment)
    }
    for position in placemark.points {
      if let begin = placemark.begin, let end = placemark.end {
        var segment = TrackSegment()
        for time in [begin, end] {
          var fields = position
          fields.time = time
          if let point = TrackPoint(fields, at: place, report: &file) { segment.points.append(point) }
        }
        segments.append(segment)
      } else {
        var fields = position
        fields.time = placemark.stamp ?? placemark.begin ?? placemark.end
        stamped.append((placemark.name, fields, place))
      }
    }
    if !segments.isEmpty { file.tracks.append(Track(name: placemark.name, segments: segments)) }
  }

  func finish() -> TrackFile {
    var collector = FixCollector(.kml, file)
    let areFixes = file.pointsWithTime == 0 && stamped.contains { $0.fields.time != nil }
    var waypoints: [Waypoint] = []
    for (name, fields, place) in stamped {
      if areFixes, fields.time != nil {
        collector.take(fields, at: place)
      } else if let point = collector.point(fields, at: place) {
        waypoints.append(Waypoint(name: name, point: point))
      }
    }
    var file = areFixes ? collector.finish() : collector.file
    file.waypoints = waypoints
    return file
  }
}
