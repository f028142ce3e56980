import TrendyFoundation
public import TrendyModels

/// Writes `.rec` files for OwnTracks Recorder and ``OwnTracksReader``.
///
/// Values are rounded to whole seconds, metres and km/h. Unknown values are omitted, as are fixes with an invalid
/// position.
public enum OwnTracksWriter: Sendable {
  /// Returns a recording of the fixes. A motion sample is written with the fix that has the same timestamp.
  public static func writeRecording(_ fixes: [Location], activities: [MotionActivity] = []) -> [UInt8] {
    let motions = Dictionary(activities.map { ($0.timestamp, $0.state) }, uniquingKeysWith: { _, last in last })
    var text = TextBytes()
    for fix in fixes where fix.coordinate.isValid {
      let seconds = fix.timestamp.timeIntervalSince1970.rounded()
      // Skip other years, which the timestamp format cannot represent.
      guard abs(seconds) < 62_000_000_000 else { continue }
      text.add(RFC3339.string(from: Date(timeIntervalSince1970: seconds), secondsFromGMT: 0, fractionDigits: 0))
      text.add("\t*                 \t{\"_type\":\"location\",\"tst\":\(Int64(seconds))")
      add("lat", fix.coordinate.latitude, digits: 9, to: &text)
      add("lon", fix.coordinate.longitude, digits: 9, to: &text)
      if fix.horizontalAccuracy > 0, let accuracy = DecimalText.finite(fix.horizontalAccuracy) {
        // Write at least 1 m, because an accuracy of 0 would mean that the accuracy is unknown.
        add("acc", max(1, accuracy), to: &text)
      }
      if let altitude = DecimalText.finite(fix.altitude) { add("alt", altitude, to: &text) }
      if let speed = DecimalText.finite(fix.speed), speed >= 0 { add("vel", speed * 3.6, to: &text) }
      if let course = DecimalText.finite(fix.course), course >= 0 { add("cog", course, to: &text) }
      if let state = motions[fix.timestamp], state != .unknown {
        text.add(",\"motionactivities\":[\"\(state.rawValue)\"]")
      }
      text.add("}\n")
    }
    return text.bytes
  }

  private static func add(_ name: String, _ value: Double, digits: Int = 0, to text: inout TextBytes) {
    text.add(",\"\(name)\":")
    text.add(value, digits: digits)
  }
}
