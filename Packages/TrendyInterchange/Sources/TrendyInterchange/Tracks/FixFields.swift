import TrendyFoundation
import TrendyModels

struct FixFields {
  var latitude: Double?
  var longitude: Double?
  var time: Date?
  /// Altitude in metres.
  var altitude: Double?
  /// Ground speed in metres per second.
  var speed: Double?
  /// Heading in degrees.
  var course: Double?
  /// Horizontal accuracy in metres.
  var accuracy: Double?
  var motion: (state: MotionState, confidence: MotionActivity.Confidence)?
  /// Device that recorded the fix, if the file contains several.
  var device: String?
}

/// Collects fixes from logs and messages. Each device has one track, sorted by time, because messages may arrive late.
struct FixCollector {
  private(set) var file: TrackFile
  private var trackOfDevice: [String: Int] = [:]

  init(_ format: ImportFormat, _ file: TrackFile? = nil) { self.file = file ?? TrackFile(format: format) }

  mutating func report(_ place: String, _ reason: String) { file.report(place, reason) }

  mutating func skip(message kind: String) { file.skip(message: kind) }

  mutating func remark(_ text: String) { if !file.remarks.contains(text) { file.remarks.append(text) } }

  /// Adds a fix. Reports and skips a fix with an invalid position; reports but keeps a fix with an invalid time.
  mutating func take(
    _ fields: FixFields, at place: @autoclosure () -> String, _ check: FieldCheck = FieldCheck()
  ) {
    for reason in check.reasons { report(place(), reason) }
    guard let point = TrackPoint(fields, at: place(), report: &file) else { return }
    if let time = point.timestamp, let motion = fields.motion {
      file.activities.append(MotionActivity(state: motion.state, confidence: motion.confidence, timestamp: time))
    }
    let device = fields.device ?? ""
    let index: Int
    if let known = trackOfDevice[device] {
      index = known
    } else {
      index = file.tracks.count
      trackOfDevice[device] = index
      file.tracks.append(Track(name: fields.device, segments: [TrackSegment()]))
    }
    file.tracks[index].segments[0].points.append(point)
  }

  /// Returns a point that is not part of a track. The point's time is optional.
  mutating func point(_ fields: FixFields, at place: @autoclosure () -> String) -> TrackPoint? {
    guard let latitude = fields.latitude, let longitude = fields.longitude,
      Coordinate(latitude: latitude, longitude: longitude).isValid
    else {
      report(place(), "the waypoint has invalid coordinates")
      return nil
    }
    return TrackPoint(fields, at: place(), report: &file, needsTime: false)
  }

  mutating func reject(_ place: String, _ reason: String) {
    file.rejectedLines += 1
    report(place, reason)
  }

  mutating func countSkippedPoint() { file.skippedPoints += 1 }

  func finish() -> TrackFile {
    var file = file
    // Sort only the tracks of this collector. The other tracks of the file keep their order.
    for index in trackOfDevice.values {
      file.tracks[index].segments[0].points = file.tracks[index].segments[0].points.inOrderOfTime
    }
    if !zip(file.activities, file.activities.dropFirst()).allSatisfy({ $0.timestamp <= $1.timestamp }) {
      file.activities = file.activities.enumerated()
        .sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }.map(\.element)
    }
    return file
  }
}

extension [TrackPoint] {
  /// Points in chronological order. Points with equal times keep their order, and points without a time are last.
  var inOrderOfTime: [TrackPoint] {
    var last = Date.distantPast
    for point in self {
      let time = point.timestamp ?? .distantFuture
      if time < last {
        return enumerated().sorted {
          ($0.element.timestamp ?? .distantFuture, $0.offset) < ($1.element.timestamp ?? .distantFuture, $1.offset)
        }.map(\.element)
      }
      last = time
    }
    return self
  }
}

extension TrackPoint {
  /// Creates a point. Returns `nil` for an invalid position, which is counted and reported. Reports a missing time.
  init?(_ fields: FixFields, at place: @autoclosure () -> String, report file: inout TrackFile, needsTime: Bool = true)
  {
    guard let latitude = fields.latitude, let longitude = fields.longitude else {
      file.skippedPoints += 1
      if fields.time != nil { file.skippedPointsWithTime += 1 }
      file.report(place(), "missing or invalid coordinates")
      return nil
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else {
      file.skippedPoints += 1
      if fields.time != nil { file.skippedPointsWithTime += 1 }
      file.report(place(), "invalid coordinates (latitude \(latitude), longitude \(longitude))")
      return nil
    }
    if fields.time == nil, needsTime {
      file.unreadableTimes += 1
      file.report(place(), "missing or invalid time")
    }
    self.init(
      coordinate: coordinate, timestamp: fields.time, altitude: fields.altitude.flatMap { abs($0) < 1e6 ? $0 : nil },
      // Discard such values, because programs write -1 for an unknown value and 0 for an accuracy that was not set.
      speed: fields.speed.flatMap { $0 >= 0 && $0 < 1e5 ? $0 : nil },
      course: fields.course.flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil },
      horizontalAccuracy: fields.accuracy.flatMap { $0 > 0 && $0.isFinite ? $0 : nil })
  }
}
