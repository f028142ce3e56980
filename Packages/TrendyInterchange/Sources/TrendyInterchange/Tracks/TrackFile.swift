public import TrendyFoundation
public import TrendyModels

/// Point of a track in a file.
public struct TrackPoint: Hashable, Sendable {
  public var coordinate: Coordinate
  /// Time of the fix, or `nil` if it is missing or invalid.
  public var timestamp: Date?
  /// Altitude in metres.
  public var altitude: Double?
  /// Ground speed in metres per second.
  public var speed: Double?
  /// Heading in degrees clockwise from true north.
  public var course: Double?
  /// Radius with a confidence of 68 %, or the dilution of precision times five, in metres.
  public var horizontalAccuracy: Double?

  /// Creates a point.
  public init(
    coordinate: Coordinate, timestamp: Date? = nil, altitude: Double? = nil, speed: Double? = nil,
    course: Double? = nil, horizontalAccuracy: Double? = nil
  ) {
    self.coordinate = coordinate
    self.timestamp = timestamp
    self.altitude = altitude
    self.speed = speed
    self.course = course
    self.horizontalAccuracy = horizontalAccuracy
  }

  /// Creates a point from a fix. A negative accuracy becomes `nil`.
  public init(_ location: Location) {
    self.init(
      coordinate: location.coordinate, timestamp: location.timestamp, altitude: location.altitude,
      speed: location.speed, course: location.course,
      horizontalAccuracy: location.horizontalAccuracy >= 0 ? location.horizontalAccuracy : nil)
  }

  /// The point as a fix, or `nil` if it has no time.
  public var location: Location? {
    timestamp.map {
      Location(
        coordinate: coordinate, horizontalAccuracy: horizontalAccuracy ?? -1, timestamp: $0, altitude: altitude,
        speed: speed, course: course)
    }
  }
}

/// Points recorded without a loss of reception.
public struct TrackSegment: Hashable, Sendable {
  public var points: [TrackPoint]

  /// Creates a segment.
  public init(points: [TrackPoint] = []) { self.points = points }

  /// Points that have a time, as fixes in file order.
  public var locations: [Location] { points.compactMap(\.location) }
}

/// Recorded track of one or more segments.
public struct Track: Hashable, Sendable {
  public var name: String?
  /// Activity that the file names, such as `running` or `driving`.
  public var activity: String?
  public var segments: [TrackSegment]

  /// Creates a track without an activity.
  public init(name: String? = nil, segments: [TrackSegment] = []) {
    self.name = name
    self.segments = segments
  }
}

/// Named point that is not part of a track.
public struct Waypoint: Hashable, Sendable {
  public var name: String?
  public var point: TrackPoint

  /// Creates a waypoint.
  public init(name: String? = nil, point: TrackPoint) {
    self.name = name
    self.point = point
  }
}

/// Content of a track file.
public struct TrackFile: Hashable, Sendable {
  public var format: ImportFormat
  /// Program that wrote the file, or `nil` if unknown.
  public var creator: String?
  /// Recorded tracks.
  public var tracks: [Track] = []
  /// Planned routes, with one segment each.
  public var routes: [Track] = []
  public var waypoints: [Waypoint] = []
  /// Number of track points with a missing or invalid position. These points do not belong to any segment.
  public var skippedPoints = 0
  /// Number of ``skippedPoints`` that have a time.
  public var skippedPointsWithTime = 0
  /// Number of track points whose time is missing or invalid. These points are part of their segments.
  public var unreadableTimes = 0
  /// Motion samples in chronological order, if the format contains any.
  public var activities: [MotionActivity] = []
  /// Problems with the first 100 rejected items, in file order.
  public internal(set) var problems: [ImportProblem] = []
  /// Total number of rejected items.
  public internal(set) var problemCount = 0
  /// Number of messages that are not positions, by type: OwnTracks types, Overland actions or NMEA sentences.
  public internal(set) var skippedMessages: [String: Int] = [:]
  /// Number of invalid lines, or of lines without a correct checksum in NMEA logs.
  public internal(set) var rejectedLines = 0
  /// Sentences about assumptions made by the reader, for example that times without a zone are in UTC.
  public internal(set) var remarks: [String] = []

  /// Creates a file without tracks.
  public init(format: ImportFormat) { self.format = format }

  /// Detects the format of a file and reads it.
  ///
  /// If `options` names a latitude or longitude column, the file is read as CSV.
  ///
  /// - Throws: ``InterchangeError``. No points are returned for a malformed file.
  public init(reading bytes: [UInt8], _ options: ImportOptions? = nil) throws(InterchangeError) {
    let isMapped = options.map { !TableProfile.Role.places.isDisjoint(with: $0.columns.keys) } ?? false
    switch isMapped ? .csv : ImportFormat.detect(bytes) {
    case .gpx: self = try GPXReader.read(bytes)
    case .ownTracks: self = try OwnTracksReader.read(bytes)
    case .ownTracksRecording: self = try OwnTracksReader.readRecording(bytes)
    case .overland: self = try OverlandReader.read(bytes)
    case .geoJSON: self = try GeoJSONReader.read(bytes)
    case .kml: self = try KMLReader.read(bytes)
    case .nmea: self = try NMEAReader.read(bytes)
    case .csv: self = try CSVTrackReader.read(bytes, options)
    case nil:
      if let reason = FileToSkip.refusal(bytes.prefix(1 << 16)) { throw .notTheData(reason: reason) }
      throw ImportFormat.refusal(bytes)
    }
  }
}

extension TrackFile {
  /// Segments of all tracks.
  public var segments: [TrackSegment] { tracks.flatMap(\.segments) }
  /// Points of all tracks. Each point has a valid position.
  public var points: [TrackPoint] { segments.flatMap(\.points) }
  /// Fixes of all tracks in file order.
  public var locations: [Location] { points.compactMap(\.location) }

  /// Number of track points in the file, including skipped points.
  public var pointCount: Int {
    tracks.reduce(0) { $0 + $1.segments.reduce(0) { $0 + $1.points.count } } + skippedPoints
  }
  /// Number of track points with a valid time, including skipped points.
  public var pointsWithTime: Int { points.count { $0.timestamp != nil } + skippedPointsWithTime }
  /// Earliest time of a point, or `nil` if no point has a time.
  public var firstTime: Date? { points.lazy.compactMap(\.timestamp).min() }
  /// Latest time of a point, or `nil` if no point has a time.
  public var lastTime: Date? { points.lazy.compactMap(\.timestamp).max() }

  /// Returns the total length of the segments in metres, without the gaps between them.
  ///
  /// - Parameter distance: Returns the distance between two coordinates in metres, for example
  ///   `Geodesic.distanceMeters(from:to:)` in TrendyTrips.
  public func lengthMeters(using distance: (Coordinate, Coordinate) -> Double) -> Double {
    segments.reduce(0) { sum, segment in
      zip(segment.points, segment.points.dropFirst()).reduce(sum) { $0 + distance($1.0.coordinate, $1.1.coordinate) }
    }
  }

  /// Sentence about missing or implausible times, or `nil` if all points have a plausible time.
  public var timeRemark: String? {
    let all = points.count
    let timed = points.count { $0.timestamp != nil }
    if all == 0 { return "the file contains no track points, so no trip can be detected" }
    if timed == 0 { return "none of the \(all) points has a time, so no trip can be detected" }
    if timed < all { return "\(all - timed) of \(all) points have no time and were not used for trips" }
    let early = points.count { $0.timestamp.map { $0 < TrackFile.earliestTime } ?? false }
    if early > 0 { return "\(early) of \(all) points have an invalid time before 1970" }
    let late = points.count { $0.timestamp.map { $0 >= TrackFile.latestTime } ?? false }
    if late > 0 { return "\(late) of \(all) points have an invalid time after 2099" }
    return nil
  }

  /// Returns the fixes before 1970 and the fixes more than a day after `now`. ``locations`` includes these fixes.
  public func locationsOutOfTime(now: Date) -> [Location] {
    let latest = now.addingTimeInterval(86_400)
    return locations.filter { $0.timestamp < Self.earliestTime || $0.timestamp > latest }
  }

  private static let earliestTime = Date(timeIntervalSince1970: 0)
  private static let latestTime = Date(timeIntervalSince1970: 4_102_444_800)
}

extension TrackFile {
  mutating func report(_ place: String, _ reason: String) {
    problemCount += 1
    if problems.count < 100 { problems.append(ImportProblem(place: place, reason: reason)) }
  }

  /// Counts a skipped message. The number of types is limited, because message types are untrusted input.
  mutating func skip(message kind: String, count: Int = 1) {
    let kind = String(kind.prefix(32))
    let isKept = skippedMessages.count < 64 || skippedMessages[kind] != nil
    skippedMessages[isKept ? kind : "other", default: 0] += count
  }
}
