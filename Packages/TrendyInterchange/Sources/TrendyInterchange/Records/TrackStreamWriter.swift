import TrendyFoundation
public import TrendyModels

/// Serializes tracks one segment at a time. Memory use does not depend on the length of the file.
public protocol TrackStreamWriter {
  /// Returns the text before the first segment.
  func beginning() -> String
  /// Returns the text of a segment.
  ///
  /// - Parameters:
  ///   - fixes: One or more fixes in chronological order without a gap.
  ///   - name: Name of the trip or device.
  mutating func segment(_ fixes: [Location], name: String) -> String
  /// Returns the text after the last segment.
  func ending() -> String
}

/// Splits the fixes of one device into the segments that a ``TrackStreamWriter`` expects.
public struct TrackSegmenter: Sendable {
  /// Minimum duration of a gap that ends a segment, in seconds.
  private static let gap: TimeInterval = 300
  /// Maximum number of fixes in a segment, to bound memory use.
  private static let longest = 20_000

  private var fixes: [Location] = []

  /// Creates a segmenter without fixes.
  public init() {}

  /// Adds a fix, which must not be earlier than the last one.
  ///
  /// - Returns: The completed segment, or `nil` if this fix does not start a new segment.
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

  /// Returns the last segment, or `nil` if there are no more fixes.
  public mutating func finish() -> [Location]? {
    guard !fixes.isEmpty else { return nil }
    defer { fixes = [] }
    return fixes
  }
}

/// Writes GPX 1.1 with one track per segment.
struct GPXStreamWriter: TrackStreamWriter {
  func beginning() -> String { GPXWriter.beginning }

  func segment(_ fixes: [Location], name: String) -> String {
    GPXWriter.text(of: Track(name: name, segments: [TrackSegment(points: fixes.map { TrackPoint($0) })]))
  }

  func ending() -> String { GPXWriter.ending }
}

/// Writes GeoJSON with one feature per segment. Each feature has `coordTimes`.
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

/// Writes KML 2.2 with one placemark per segment. Each placemark contains a `gx:Track`.
///
/// Speed, bearing and accuracy are written to the arrays that ``KMLReader`` reads.
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

  /// Adds an array of values. An unknown value becomes an empty element, so that every array is as long as the track.
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

struct OwnTracksStreamWriter: TrackStreamWriter {
  func beginning() -> String { "" }

  func segment(_ fixes: [Location], name: String) -> String {
    String(decoding: OwnTracksWriter.writeRecording(fixes), as: UTF8.self)
  }

  func ending() -> String { "" }
}
