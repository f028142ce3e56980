#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Writes GPX 1.1 that ``GPXReader`` and the programs of the world read.
///
/// Speed and course stand in Garmin's track point extension, an accuracy in metres in one of our own; a program that
/// knows neither loses nothing else. Times are UTC with milliseconds, places have nine decimals, a tenth of a
/// millimetre.
public enum GPXWriter: Sendable {
  /// Writes fixes, which stand in the order of their time, as one track; a gap longer than `gapSeconds` begins a new segment.
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

  public static func write(
    _ tracks: [Track], waypoints: [Waypoint] = [], routes: [Track] = [], creator: String = "Trendy"
  ) -> [UInt8] {
    var out = GPXText()
    out.addBeginning(creator: creator)
    // The order of the schema: way points, routes, tracks.
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

  // MARK: In pieces

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
  private(set) var bytes: [UInt8] = []

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

  mutating func add(_ text: String) { bytes += text.utf8 }

  mutating func add(_ element: String, _ point: TrackPoint, name: String? = nil) {
    add(
      "<\(element) lat=\"\(decimal(point.coordinate.latitude, 9))\" lon=\"\(decimal(point.coordinate.longitude, 9))\">")
    if let altitude = finite(point.altitude) { add("<ele>\(decimal(altitude, 3))</ele>") }
    if let time = point.timestamp { add("<time>\(RFC3339.string(from: time))</time>") }
    addName(name)
    let speed = finite(point.speed)
    let course = finite(point.course)
    let accuracy = finite(point.horizontalAccuracy)
    if speed != nil || course != nil || accuracy != nil {
      add("<extensions>")
      if speed != nil || course != nil {
        add("<gpxtpx:TrackPointExtension>")
        if let speed { add("<gpxtpx:speed>\(decimal(speed, 3))</gpxtpx:speed>") }
        if let course { add("<gpxtpx:course>\(decimal(course, 2))</gpxtpx:course>") }
        add("</gpxtpx:TrackPointExtension>")
      }
      if let accuracy { add("<trendy:accuracy>\(decimal(accuracy, 2))</trendy:accuracy>") }
      add("</extensions>")
    }
    add("</\(element)>\n")
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
      // Characters that no XML document may hold, not even by reference.
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": add("\u{FFFD}")
      default: bytes += String(scalar).utf8
      }
    }
  }

  private func finite(_ value: Double?) -> Double? { DecimalText.finite(value) }
  private func decimal(_ value: Double, _ digits: Int) -> String { DecimalText.string(value, digits) }
}
