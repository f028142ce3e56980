import TrendyFoundation
import TrendyModels

/// Reads tracks in GeoJSON.
///
/// A line is a track with times in `coordTimes`, `coordinateProperties.times` or `times`. A multi-line is a track with
/// several segments. Points with a `timestamp` or `time` are fixes and are sorted by time. Points without a time are
/// waypoints, as are all points in a file whose lines have times. Times are in RFC 3339 format, or in seconds or
/// milliseconds since 1970.
public enum GeoJSONReader: Sendable {
  /// Reads a file that contains one document, or one document per line.
  ///
  /// - Throws: ``InterchangeError`` if the file does not contain a complete document.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    let documents = try JSONDocuments(bytes)
    var reader = GeoJSONCollector()
    for problem in documents.problems { reader.file.report(problem.place, problem.reason) }
    for (place, value) in documents.values { reader.take(value, at: place.isEmpty ? "" : place + ", ") }
    return reader.finish()
  }
}

private struct GeoJSONCollector {
  var file = TrackFile(format: .geoJSON)
  private var points: [(name: String?, fields: FixFields, place: String)] = []

  mutating func take(_ value: JSONValue, at prefix: String) {
    switch value["type"]?.stringValue {
    case "FeatureCollection":
      guard let features = value["features"]?.arrayValue else {
        file.report(prefix + "features", "expected an array")
        return
      }
      for (index, feature) in features.enumerated() {
        takeFeature(feature, at: "\(prefix)features[\(index)]")
      }
    case "Feature": takeFeature(value, at: prefix + "the feature")
    default: takeGeometry(value, [:], at: prefix + "the geometry")
    }
  }

  private mutating func takeFeature(_ feature: JSONValue, at place: String) {
    guard let geometry = feature["geometry"], feature["type"]?.stringValue == "Feature" else {
      file.report(place, "not a feature with a geometry")
      return
    }
    takeGeometry(geometry, feature["properties"]?.objectValue ?? [:], at: place)
  }

  private mutating func takeGeometry(
    _ geometry: JSONValue, _ properties: [String: JSONValue], at place: String, depth: Int = 0
  ) {
    let name = (properties["name"] ?? properties["title"])?.stringValue
    let coordinates = geometry["coordinates"]?.arrayValue
    switch (geometry["type"]?.stringValue, coordinates) {
    case ("Point", let position?):
      points.append((name, fields(position, properties), place))
    case ("MultiPoint", let positions?), ("LineString", let positions?):
      let segment = segment(positions, times(properties), at: place)
      file.tracks.append(Track(name: name, segments: [segment]))
    case ("MultiLineString", let lines?):
      let times = times(properties)
      // Accept a single list of times for all lines, as some programs write it.
      let isFlat = times?.contains { $0.arrayValue != nil } == false
      var track = Track(name: name)
      var used = 0
      for (index, line) in lines.enumerated() {
        let positions = line.arrayValue ?? []
        let own =
          isFlat ? times.map { Array($0.dropFirst(used).prefix(positions.count)) } : times?.at(index)?.arrayValue
        used += positions.count
        track.segments.append(segment(positions, own, at: "\(place), line \(index)"))
      }
      file.tracks.append(track)
    case ("GeometryCollection", _):
      guard depth < 16, let members = geometry["geometries"]?.arrayValue else {
        file.report(place, "not a collection of geometries")
        return
      }
      for (index, member) in members.enumerated() {
        takeGeometry(member, properties, at: "\(place), geometries[\(index)]", depth: depth + 1)
      }
    case (let type?, _?): file.skip(message: type)
    default: file.report(place, geometry.isNull ? "the geometry is null" : "not a geometry with coordinates")
    }
  }

  private func times(_ properties: [String: JSONValue]) -> [JSONValue]? {
    (properties["coordTimes"] ?? properties["coordinateProperties"]?["times"] ?? properties["times"])?.arrayValue
  }

  private mutating func segment(_ positions: [JSONValue], _ times: [JSONValue]?, at place: String) -> TrackSegment {
    var times = times
    if let count = times?.count, count != positions.count {
      file.report(place, "\(count) times for \(positions.count) positions: the times were ignored")
      times = nil
    }
    var segment = TrackSegment()
    for (index, position) in positions.enumerated() {
      var fields = FixFields()
      fields.longitude = position.arrayValue?.at(0)?.number
      fields.latitude = position.arrayValue?.at(1)?.number
      fields.altitude = position.arrayValue?.at(2)?.number
      let time = times?[index]
      fields.time = time?.moment
      let needsTime = time != nil && time?.isNull == false
      if let point = TrackPoint(
        fields, at: "\(place), coordinates[\(index)]", report: &file, needsTime: needsTime)
      {
        segment.points.append(point)
      }
    }
    return segment
  }

  private func fields(_ position: [JSONValue], _ properties: [String: JSONValue]) -> FixFields {
    func first(_ names: String...) -> JSONValue? { names.lazy.compactMap { properties[$0] }.first { !$0.isNull } }
    var fields = FixFields()
    // Accept numbers as strings, as some programs write them.
    fields.longitude = position.at(0)?.number
    fields.latitude = position.at(1)?.number
    fields.altitude = position.at(2)?.number ?? first("altitude", "ele", "elevation")?.number
    fields.time = first("timestamp", "time", "date", "datetime", "tst", "recorded_at", "when")?.moment
    fields.speed = first("speed")?.number
    fields.course = first("course", "bearing", "heading", "cog")?.number
    fields.accuracy = first("accuracy", "horizontal_accuracy", "acc", "hacc")?.number
    if let word = first("activity")?.stringValue, let state = FieldText.motion(word) {
      fields.motion = (state, first("confidence")?.number.map { FieldText.confidence(percent: $0) } ?? .medium)
    } else if let words = first("motion")?.arrayValue {
      fields.motion = FieldText.motion(words.compactMap(\.stringValue))
    }
    fields.device = first("device_id", "tracker_id")?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    return fields
  }

  func finish() -> TrackFile {
    var collector = FixCollector(.geoJSON, file)
    var waypoints: [Waypoint] = []
    let areFixes = file.pointsWithTime == 0 && points.contains { $0.fields.time != nil }
    for (name, fields, place) in points {
      if areFixes, fields.time != nil || file.tracks.isEmpty {
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

extension Array {
  fileprivate func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
