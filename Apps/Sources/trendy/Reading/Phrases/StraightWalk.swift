import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyModels

/// Simulated straight path through a place from west to east, with a stay in the middle.
///
/// Each end is twice the radius plus 300 m from the middle.
struct StraightWalk {
  static let options = [
    OptionSpec("--speed", value: "m/s", kind: .number, help: "speed on the path (default 1.4)"),
    OptionSpec("--every", value: "seconds", kind: .number, help: "sampling interval (default 10)"),
    OptionSpec("--accuracy", value: "metres", kind: .number, help: "accuracy of the positions (default 10)"),
    OptionSpec("--stay", value: "duration", kind: .duration, help: "stay in the centre of the place (default 10m)"),
    OptionSpec("--beside", value: "metres", kind: .number, help: "distance from the centre (default 0)"),
  ]

  /// Speed in metres per second.
  private let speed: Double
  /// Sampling interval in seconds.
  private let every: Double
  /// Horizontal accuracy in metres.
  private let accuracy: Double
  /// Distance from the centre of the place to the path, in metres to the north.
  private let beside: Double
  /// Duration of the stay in seconds.
  private let stay: Double

  init(_ session: Session) throws(CommandError) {
    speed = try session.number(option: "--speed", in: 0.1...70) ?? 1.4
    every = try session.number(option: "--every", in: 1...3600) ?? 10
    accuracy = try session.number(option: "--accuracy", in: 0...10_000) ?? 10
    beside = try session.number(option: "--beside", in: -100_000...100_000) ?? 0
    stay = try session.seconds(option: "--stay", in: 0...86_400) ?? 600
  }

  func fixes(through place: Geofence, from start: Date) -> [Location] {
    let reach = 2 * place.radius + 300
    let time = reach / speed
    return stride(from: 0.0, through: 2 * time + stay + 60, by: every).map { second in
      let east = second < time ? second * speed - reach : max(0, second - time - stay) * speed
      let degree = 111_320 * cos(place.latitude * .pi / 180)
      return Location(
        coordinate: Coordinate(
          latitude: min(90, max(-90, place.latitude + beside / 111_200)),
          longitude: (place.longitude + east / max(1, degree)).remainder(dividingBy: 360)),
        horizontalAccuracy: accuracy, timestamp: start.addingTimeInterval(second))
    }
  }
}
