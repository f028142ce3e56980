#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Writes GeoJSON (RFC 7946) that ``GeoJSONReader`` and the programs of the world read.
///
/// Times are UTC with milliseconds, places have nine decimals. Fixes off the globe are left out.
public enum GeoJSONWriter: Sendable {
  /// One feature, its lines broken where a gap is longer than `gapSeconds`, with `coordTimes` in lists of the same shape: what
  /// programs that draw tracks read. Speeds and accuracies have no place in it; ``writePoints(_:activities:)`` keeps them.
  public static func writeLines(_ fixes: [Location], name: String? = nil, gapSeconds: TimeInterval = 300) -> [UInt8] {
    var lines: [[Location]] = []
    for fix in fixes where fix.coordinate.isValid {
      if let last = lines.last?.last, fix.timestamp.timeIntervalSince(last.timestamp) <= gapSeconds {
        lines[lines.count - 1].append(fix)
      } else {
        lines.append([fix])
      }
    }
    return Array((beginning + (feature(lines, name: name) ?? "") + "]}\n").utf8)
  }

  static let beginning = "{\"type\":\"FeatureCollection\",\"features\":["

  /// One feature of several lines; `nil` for none. Fixes off the globe are left out.
  static func feature(_ lines: [[Location]], name: String?) -> String? {
    let lines = lines.map { $0.filter(\.coordinate.isValid) }.filter { !$0.isEmpty }
    guard !lines.isEmpty else { return nil }
    let places = lines.map { "[" + $0.map(position).joined(separator: ",") + "]" }.joined(separator: ",")
    let times = lines.map {
      "[" + $0.map { "\"\(RFC3339.string(from: $0.timestamp))\"" }.joined(separator: ",") + "]"
    }
    var text = "{\"type\":\"Feature\",\"properties\":{"
    if let name { text += "\"name\":\(quoted(name))," }
    text += "\"coordTimes\":[\(times.joined(separator: ","))]},"
    return text + "\"geometry\":{\"type\":\"MultiLineString\",\"coordinates\":[\(places)]}}"
  }

  /// One point for each fix, with all that is known of it. A motion is written at the fix of its own time.
  public static func writePoints(_ fixes: [Location], activities: [MotionActivity] = []) -> [UInt8] {
    let motions = Dictionary(activities.map { ($0.timestamp, $0) }, uniquingKeysWith: { _, last in last })
    let features = fixes.filter(\.coordinate.isValid).map { fix in
      var properties = ["\"timestamp\":\"\(RFC3339.string(from: fix.timestamp))\""]
      if fix.horizontalAccuracy > 0, let accuracy = DecimalText.finite(fix.horizontalAccuracy) {
        properties.append("\"accuracy\":\(DecimalText.string(accuracy, 2))")
      }
      if let speed = DecimalText.finite(fix.speed) { properties.append("\"speed\":\(DecimalText.string(speed, 3))") }
      if let course = DecimalText.finite(fix.course) {
        properties.append("\"course\":\(DecimalText.string(course, 2))")
      }
      if let motion = motions[fix.timestamp], motion.state != .unknown {
        let percent = [MotionActivity.Confidence.low: 0, .medium: 50, .high: 100][motion.confidence] ?? 50
        properties.append("\"activity\":\"\(motion.state.rawValue)\",\"confidence\":\(percent)")
      }
      return "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":\(position(fix))},"
        + "\"properties\":{\(properties.joined(separator: ","))}}"
    }
    return Array(("{\"type\":\"FeatureCollection\",\"features\":[" + features.joined(separator: ",\n") + "]}\n").utf8)
  }

  private static func position(_ fix: Location) -> String {
    var parts = [fix.coordinate.longitude, fix.coordinate.latitude].map { DecimalText.string($0, 9) }
    if let altitude = DecimalText.finite(fix.altitude) { parts.append(DecimalText.string(altitude, 3)) }
    return "[" + parts.joined(separator: ",") + "]"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
