#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TrendyModels

/// Writes recordings (`.rec`) that OwnTracks' recorder and ``OwnTracksReader`` read.
///
/// Its numbers are whole: seconds, metres and kilometres an hour; what is unknown is left out, and so are fixes off the globe.
public enum OwnTracksWriter: Sendable {
  /// Each of the `activities` is written at the fix of its own time.
  public static func writeRecording(_ fixes: [Location], activities: [MotionActivity] = []) -> [UInt8] {
    let motions = Dictionary(activities.map { ($0.timestamp, $0.state) }, uniquingKeysWith: { _, last in last })
    var text = ""
    for fix in fixes where fix.coordinate.isValid {
      let seconds = fix.timestamp.timeIntervalSince1970.rounded()
      // Years that no recording has: beyond what its own time of receipt can say.
      guard abs(seconds) < 62_000_000_000 else { continue }
      let received = RFC3339.string(
        from: Date(timeIntervalSince1970: seconds), secondsFromGMT: 0, fractionDigits: 0)
      text += received + "\t*" + String(repeating: " ", count: 17) + "\t{\"_type\":\"location\""
      text += ",\"tst\":\(Int64(seconds))"
      text += ",\"lat\":\(DecimalText.string(fix.coordinate.latitude, 9))"
      text += ",\"lon\":\(DecimalText.string(fix.coordinate.longitude, 9))"
      if fix.horizontalAccuracy > 0, let accuracy = DecimalText.finite(fix.horizontalAccuracy) {
        // Better than a metre is still not unknown.
        text += ",\"acc\":\(DecimalText.string(max(1, accuracy), 0))"
      }
      if let altitude = DecimalText.finite(fix.altitude) { text += ",\"alt\":\(DecimalText.string(altitude, 0))" }
      if let speed = DecimalText.finite(fix.speed), speed >= 0 {
        text += ",\"vel\":\(DecimalText.string(speed * 3.6, 0))"
      }
      if let course = DecimalText.finite(fix.course), course >= 0 {
        text += ",\"cog\":\(DecimalText.string(course, 0))"
      }
      if let state = motions[fix.timestamp], state != .unknown {
        text += ",\"motionactivities\":[\"\(state.rawValue)\"]"
      }
      text += "}\n"
    }
    return Array(text.utf8)
  }
}
