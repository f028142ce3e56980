public import TrendyFoundation
public import TrendyModels

/// Writes GPX 1.1.
///
/// Speed and course are written in Garmin's track point extension, and accuracy in metres in an extension of this
/// product. Times are in UTC with milliseconds. Coordinates have nine decimal places (0.1 mm).
public enum GPXWriter: Sendable {
  /// Returns a file with one track.
  /// - Parameters:
  ///   - fixes: Fixes in chronological order.
  ///   - name: Name of the track.
  ///   - creator: Name of the program that writes the file.
  ///   - gapSeconds: Maximum time between fixes in the same segment.
  public static func write(
    _ fixes: [Location], name: String? = nil, creator: String = "Trendy", gapSeconds: TimeInterval = 300
  ) -> [UInt8] {
    var segments: [TrackSegment] = []
    var last: Location?
    for fix in fixes {
      if let last, fix.timestamp.timeIntervalSince(last.timestamp) <= gapSeconds {
        segments[segments.count - 1].points.append(TrackPoint(fix))
      } else {
        segments.append(TrackSegment(points: [TrackPoint(fix)]))
      }
      last = fix
    }
    return write([Track(name: name, segments: segments)], creator: creator)
  }

  /// Returns a file with tracks, waypoints and routes.
  public static func write(
    _ tracks: [Track], waypoints: [Waypoint] = [], routes: [Track] = [], creator: String = "Trendy"
  ) -> [UInt8] {
    var out = GPXText()
    out.addBeginning(creator: creator)
    // Write waypoints, routes and tracks in this order, which the schema requires.
    for waypoint in waypoints { out.add("wpt", waypoint.point, name: waypoint.name) }
    for route in routes {
      out.add("<rte>\n")
      out.addName(route.name)
      for point in route.segments.flatMap(\.points) { out.add("rtept", point) }
      out.add("</rte>\n")
    }
    for track in tracks { out.add(track) }
    out.add(ending)
    return out.bytes
  }

  static var beginning: String {
    var out = GPXText()
    out.addBeginning(creator: "Trendy")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  static func text(of track: Track) -> String {
    var out = GPXText()
    out.add(track)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  static func escaped(_ text: String) -> String {
    var out = GPXText()
    out.addEscaped(text)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  static let ending = "</gpx>\n"
}

private struct GPXText {
  private var text = TextBytes()

  var bytes: [UInt8] { text.bytes }

  mutating func addBeginning(creator: String) {
    add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    add("<gpx version=\"1.1\" creator=\"")
    addEscaped(creator)
    add("\" xmlns=\"http://www.topografix.com/GPX/1/1\"")
    add(" xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\"")
    add(" xmlns:trendy=\"urn:trendy:gpx:1\">\n")
  }

  mutating func add(_ track: Track) {
    add("<trk>\n")
    addName(track.name)
    for segment in track.segments {
      add("<trkseg>\n")
      for point in segment.points { add("trkpt", point) }
      add("</trkseg>\n")
    }
    add("</trk>\n")
  }

  mutating func add(_ text: String) { self.text.add(text) }

  mutating func add(_ element: String, _ point: TrackPoint, name: String? = nil) {
    add("<")
    add(element)
    add(" lat=\"", point.coordinate.latitude, digits: 9, "\"")
    add(" lon=\"", point.coordinate.longitude, digits: 9, "\">")
    add("<ele>", point.altitude, digits: 3, "</ele>")
    if let time = point.timestamp {
      add("<time>")
      text.add(time)
      add("</time>")
    }
    addName(name)
    let speed = DecimalText.finite(point.speed)
    let course = DecimalText.finite(point.course)
    let accuracy = DecimalText.finite(point.horizontalAccuracy)
    if speed != nil || course != nil || accuracy != nil {
      add("<extensions>")
      if speed != nil || course != nil {
        add("<gpxtpx:TrackPointExtension>")
        add("<gpxtpx:speed>", speed, digits: 3, "</gpxtpx:speed>")
        add("<gpxtpx:course>", course, digits: 2, "</gpxtpx:course>")
        add("</gpxtpx:TrackPointExtension>")
      }
      add("<trendy:accuracy>", accuracy, digits: 2, "</trendy:accuracy>")
      add("</extensions>")
    }
    add("</")
    add(element)
    add(">\n")
  }

  private mutating func add(_ before: String, _ value: Double?, digits: Int, _ after: String) {
    guard let value = DecimalText.finite(value) else { return }
    add(before)
    text.add(value, digits: digits)
    add(after)
  }

  mutating func addName(_ name: String?) {
    guard let name, !name.isEmpty else { return }
    add("<name>")
    addEscaped(name)
    add("</name>")
  }

  mutating func addEscaped(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": add("&amp;")
      case "<": add("&lt;")
      case ">": add("&gt;")
      case "\"": add("&quot;")
      case "\t", "\n", "\r": add("&#\(scalar.value);")
      // XML does not allow these characters, not even as references.
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": add("\u{FFFD}")
      default: self.text.add(scalar)
      }
    }
  }
}
