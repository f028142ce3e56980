import TrendyFoundation
public import TrendyModels

/// Writes tracks as text, a segment at a time, so that a file of any length takes the memory of a segment.
public protocol TrackStreamWriter {
  func beginning() -> String
  /// - Parameters:
  ///   - fixes: in the order of time, without a gap; not empty.
  ///   - name: of the track that it belongs to: of a trip, or of a device.
  mutating func segment(_ fixes: [Location], name: String) -> String
  func ending() -> String
}

/// Parts the fixes of one device, as they come in the order of time, into the segments that a ``TrackStreamWriter`` takes.
public struct TrackSegmenter: Sendable {
  /// Seconds without a fix that end a segment.
  private static let gap: TimeInterval = 300
  /// Fixes of a segment, so that memory does not grow with the track.
  private static let longest = 20_000

  private var fixes: [Location] = []

  public init() {}

  /// - Returns: the segment that ended before this fix; `nil` where it goes on, or this fix is the first.
  public mutating func take(_ fix: Location) -> [Location]? {
    var ended: [Location]?
    if let last = fixes.last,
      fix.timestamp.timeIntervalSince(last.timestamp) > Self.gap || fixes.count >= Self.longest
    {
      ended = finish()
    }
    fixes.append(fix)
    return ended
  }

  /// Ends the segment that goes on.
  /// - Returns: it; `nil` where there is none.
  public mutating func finish() -> [Location]? {
    guard !fixes.isEmpty else { return nil }
    defer { fixes = [] }
    return fixes
  }
}

/// GPX 1.1, a track for each segment.
struct GPXStreamWriter: TrackStreamWriter {
  func beginning() -> String { GPXWriter.beginning }

  func segment(_ fixes: [Location], name: String) -> String {
    GPXWriter.text(of: Track(name: name, segments: [TrackSegment(points: fixes.map { TrackPoint($0) })]))
  }

  func ending() -> String { GPXWriter.ending }
}

/// GeoJSON, a feature with `coordTimes` for each segment.
struct GeoJSONStreamWriter: TrackStreamWriter {
  private var isFirst = true

  func beginning() -> String { GeoJSONWriter.beginning }

  mutating func segment(_ fixes: [Location], name: String) -> String {
    guard let feature = GeoJSONWriter.feature([fixes], name: name) else { return "" }
    defer { isFirst = false }
    return (isFirst ? "\n" : ",\n") + feature
  }

  func ending() -> String { "\n]}\n" }
}

/// KML 2.2 with Google's tracks, a placemark for each segment; speed, bearing and accuracy in the arrays that ``KMLReader`` reads.
struct KMLStreamWriter: TrackStreamWriter {
  func beginning() -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
    <Document>
    <Schema id="fix"><gx:SimpleArrayField name="speed" type="float"/><gx:SimpleArrayField name="bearing" type="float"/>\
    <gx:SimpleArrayField name="accuracy" type="float"/></Schema>

    """
  }

  func segment(_ fixes: [Location], name: String) -> String {
    let fixes = fixes.filter(\.coordinate.isValid)
    guard !fixes.isEmpty else { return "" }
    var text = TextBytes()
    text.add("<Placemark><name>\(GPXWriter.escaped(name))</name><gx:Track><altitudeMode>clampToGround</altitudeMode>\n")
    for fix in fixes {
      text.add("<when>")
      text.add(fix.timestamp)
      text.add("</when>\n")
    }
    for fix in fixes {
      text.add("<gx:coord>")
      text.addPlace(of: fix, separator: " ")
      text.add("</gx:coord>\n")
    }
    text.add("<ExtendedData><SchemaData schemaUrl=\"#fix\">\n")
    Self.add("speed", fixes.map { DecimalText.finite($0.speed) }, to: &text)
    Self.add("bearing", fixes.map { DecimalText.finite($0.course) }, to: &text)
    Self.add(
      "accuracy", fixes.map { $0.horizontalAccuracy > 0 ? DecimalText.finite($0.horizontalAccuracy) : nil }, to: &text)
    text.add("</SchemaData></ExtendedData>\n</gx:Track></Placemark>\n")
    return text.text
  }

  func ending() -> String { "</Document>\n</kml>\n" }

  /// A value that is not known stands as an empty element, so that all arrays are as long as the track.
  private static func add(_ name: String, _ values: [Double?], to text: inout TextBytes) {
    guard values.contains(where: { $0 != nil }) else { return }
    text.add("<gx:SimpleArrayData name=\"\(name)\">\n")
    for value in values {
      text.add("<gx:value>")
      if let value { text.add(value, digits: 3) }
      text.add("</gx:value>\n")
    }
    text.add("</gx:SimpleArrayData>\n")
  }
}

/// OwnTracks' recordings.
struct OwnTracksStreamWriter: TrackStreamWriter {
  func beginning() -> String { "" }

  func segment(_ fixes: [Location], name: String) -> String {
    String(decoding: OwnTracksWriter.writeRecording(fixes), as: UTF8.self)
  }

  func ending() -> String { "" }
}
