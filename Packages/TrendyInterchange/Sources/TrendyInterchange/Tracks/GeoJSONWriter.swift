public import TrendyFoundation
public import TrendyModels

/// Writes GeoJSON (RFC 7946).
///
/// Times are in UTC with milliseconds. Coordinates have nine decimal places. Fixes with an invalid position are
/// omitted.
public enum GeoJSONWriter: Sendable {
  /// Returns a file with a single feature that contains one or more lines and their `coordTimes`, as most map programs
  /// expect.
  ///
  /// Speed and accuracy are lost. Use ``writePoints(_:activities:)`` to preserve them.
  /// - Parameters:
  ///   - fixes: Fixes in chronological order.
  ///   - name: Name of the feature.
  ///   - gapSeconds: Maximum time between fixes in the same line.
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

  /// Returns a feature that contains the lines, or `nil` if there are none. Omits fixes with an invalid position.
  static func feature(_ lines: [[Location]], name: String?) -> String? {
    let lines = lines.map { $0.filter(\.coordinate.isValid) }.filter { !$0.isEmpty }
    guard !lines.isEmpty else { return nil }
    var text = TextBytes()
    text.add("{\"type\":\"Feature\",\"properties\":{")
    if let name { text.add("\"name\":\(quoted(name)),") }
    text.add("\"coordTimes\":")
    addLists(lines, to: &text) { fix, text in
      text.add("\"")
      text.add(fix.timestamp)
      text.add("\"")
    }
    text.add("},\"geometry\":{\"type\":\"MultiLineString\",\"coordinates\":")
    addLists(lines, to: &text, addPosition)
    text.add("}}")
    return text.text
  }

  private static func addLists(
    _ lines: [[Location]], to text: inout TextBytes, _ add: (Location, inout TextBytes) -> Void
  ) {
    for (index, line) in lines.enumerated() {
      text.add(index == 0 ? "[[" : ",[")
      for (place, fix) in line.enumerated() {
        if place > 0 { text.add(",") }
        add(fix, &text)
      }
      text.add("]")
    }
    text.add("]")
  }

  /// Returns a file with one point per fix. Each point has all values of its fix.
  ///
  /// A motion sample is written with the fix that has the same timestamp.
  public static func writePoints(_ fixes: [Location], activities: [MotionActivity] = []) -> [UInt8] {
    let motions = Dictionary(activities.map { ($0.timestamp, $0) }, uniquingKeysWith: { _, last in last })
    var text = TextBytes()
    text.add(beginning)
    for (index, fix) in fixes.filter(\.coordinate.isValid).enumerated() {
      text.add(index == 0 ? "" : ",\n")
      text.add("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
      addPosition(fix, to: &text)
      text.add("},\"properties\":{\"timestamp\":\"")
      text.add(fix.timestamp)
      text.add("\"")
      if fix.horizontalAccuracy > 0 { add("accuracy", fix.horizontalAccuracy, digits: 2, to: &text) }
      add("speed", fix.speed, digits: 3, to: &text)
      add("course", fix.course, digits: 2, to: &text)
      if let motion = motions[fix.timestamp], motion.state != .unknown {
        let percent = [MotionActivity.Confidence.low: 0, .medium: 50, .high: 100][motion.confidence] ?? 50
        text.add(",\"activity\":\"\(motion.state.rawValue)\",\"confidence\":\(percent)")
      }
      text.add("}}")
    }
    text.add("]}\n")
    return text.bytes
  }

  private static func add(_ name: String, _ value: Double?, digits: Int, to text: inout TextBytes) {
    guard let value = DecimalText.finite(value) else { return }
    text.add(",\"\(name)\":")
    text.add(value, digits: digits)
  }

  private static func addPosition(_ fix: Location, to text: inout TextBytes) {
    text.add("[")
    text.addPlace(of: fix, separator: ",")
    text.add("]")
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
