import TrendyFoundation
public import TrendyModels

extension TrackFile {
  /// Separates workouts from the tracks that are used for trip detection.
  ///
  /// The activity named in a GPX file is accepted unless the speeds contradict it. Without a name, only walking and
  /// running are recognised, by the speeds of the track.
  ///
  /// - Parameters:
  ///   - zone: IANA name of the workouts' time zone.
  ///   - distance: Returns the distance between two coordinates in metres.
  /// - Returns: The workouts, and the file with the remaining tracks.
  public func separatingWorkouts(
    zone: String?, using distance: (Coordinate, Coordinate) -> Double
  ) -> (workouts: [ExternalEvent], rest: TrackFile) {
    guard format == .gpx else { return ([], self) }
    var rest = self
    rest.tracks = []
    var workouts: [ExternalEvent] = []
    for track in tracks {
      if let workout = workout(track, zone: zone, using: distance) {
        workouts.append(workout.event)
      } else {
        rest.tracks.append(track)
      }
    }
    return (workouts, rest)
  }

  /// Content that is not imported because it does not belong to a track, with counts.
  public var leftOut: [(what: String, count: Int)] {
    var kinds: [(what: String, count: Int)] = []
    if !waypoints.isEmpty { kinds.append(("waypoint", waypoints.count)) }
    if !routes.isEmpty { kinds.append(("planned route", routes.count)) }
    kinds += skippedMessages.sorted { $0.key < $1.key }.map { ("message '\($0.key)'", $0.value) }
    let untimed = points.count { $0.timestamp == nil }
    if untimed > 0 { kinds.append(("point without a time", untimed)) }
    return kinds
  }

  private func workout(
    _ track: Track, zone: String?, using distance: (Coordinate, Coordinate) -> Double
  ) -> ExternalWorkout? {
    let fixes = track.segments.flatMap(\.locations).enumerated()
      .sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }.map(\.element)
    guard fixes.count >= 10, let first = fixes.first, let last = fixes.last,
      let profile = SpeedProfile(fixes, using: distance)
    else { return nil }
    let activity: String?
    switch track.activity.map(TrackActivity.init) {
    case .sport(let name, let fastest)? where profile.fast <= fastest: activity = name
    case .vehicle?: return nil
    case .sport?, .unknown?, nil:
      guard let name = profile.activityOnFoot else { return nil }
      activity = name
    }
    var workout = ExternalWorkout(
      key: [
        "gpx", RFC3339.string(from: first.timestamp), DecimalText.string(first.coordinate.latitude, 5),
        DecimalText.string(first.coordinate.longitude, 5),
      ], start: first.timestamp, end: last.timestamp)
    workout.activity = activity
    workout.distance = profile.length
    workout.title = track.name
    workout.source = creator
    workout.zone = zone
    workout.track = fixes
    return workout
  }
}

private enum TrackActivity {
  /// Sport with its maximum speed in m/s. Faster tracks are not assigned to this sport.
  case sport(String, fastest: Double)
  case vehicle
  case unknown

  init(_ word: String) {
    let word = word.lowercased().filter { $0.isLetter || $0.isNumber }
    let onFoot = 7.5
    switch word {
    // Numbers are Strava's activity codes.
    case "running", "run", "trailrunning", "trailrun", "jogging", "treadmillrunning", "trackrunning", "9", "laufen":
      self = .sport("Running", fastest: onFoot)
    case "walking", "walk", "nordicwalking", "speedwalking", "10", "gehen", "wandelen":
      self = .sport("Walking", fastest: onFoot)
    case "hiking", "hike", "trekking", "mountaineering", "4", "wandern": self = .sport("Hiking", fastest: onFoot)
    case "cycling", "biking", "bike", "ride", "roadbiking", "roadcycling", "mountainbiking", "mountainbikeride", "mtb",
      "gravelride", "gravelcycling", "ebiking", "ebikeride", "1", "radfahren", "fietsen", "bicycle":
      self = .sport("Cycling", fastest: 22)
    case "swimming", "swim", "openwaterswimming", "16": self = .sport("Swimming", fastest: onFoot)
    case "rowing", "kayaking", "canoeing", "paddling", "standuppaddling", "sup", "sailing", "windsurfing",
      "kitesurfing",
      "surfing":
      self = .sport(word.prefix(1).uppercased() + word.dropFirst(), fastest: 25)
    case "skiing", "alpineskiing", "downhillskiing", "backcountryskiing", "snowboarding", "nordicski",
      "crosscountryskiing",
      "inlineskating", "iceskating", "skating":
      self = .sport(word.prefix(1).uppercased() + word.dropFirst(), fastest: 40)
    case "driving", "drive", "car", "automotive", "motorcycling", "motorcycle", "motorbike", "bus", "train", "tram",
      "flying",
      "flight", "plane", "ferry", "boat", "boating", "transport", "vehicle", "motorsports", "truck", "taxi":
      self = .vehicle
    default: self = .unknown
    }
  }
}

/// Speeds of a track over intervals of at least ten seconds.
private struct SpeedProfile {
  /// Length in metres.
  let length: Double
  /// Speed in m/s that is exceeded for 5 % of the time.
  let fast: Double
  private let mean: Double
  private let longestGap: TimeInterval

  init?(_ fixes: [Location], using distance: (Coordinate, Coordinate) -> Double) {
    var speeds: [Double] = []
    var length = 0.0
    var gap = 0.0
    var from = 0
    var stretch = 0.0
    for index in fixes.indices.dropFirst() {
      let step = distance(fixes[index - 1].coordinate, fixes[index].coordinate)
      length += step
      stretch += step
      gap = max(gap, fixes[index].timestamp.timeIntervalSince(fixes[index - 1].timestamp))
      let seconds = fixes[index].timestamp.timeIntervalSince(fixes[from].timestamp)
      guard seconds >= 10 else { continue }
      speeds.append(stretch / seconds)
      (from, stretch) = (index, 0)
    }
    guard !speeds.isEmpty, let first = fixes.first, let last = fixes.last else { return nil }
    speeds.sort()
    self.length = length
    fast = speeds[min(speeds.count - 1, speeds.count * 19 / 20)]
    mean = length / max(1, last.timestamp.timeIntervalSince(first.timestamp))
    longestGap = gap
  }

  /// `Walking` or `Running`, or `nil` if the track is too short, has long gaps or is too fast for a runner.
  var activityOnFoot: String? {
    guard length >= 500, longestGap <= 300, mean >= 0.8, fast <= 6 else { return nil }
    return mean >= 2.1 ? "Running" : "Walking"
  }
}
