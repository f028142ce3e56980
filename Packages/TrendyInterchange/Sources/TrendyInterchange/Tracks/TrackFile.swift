public import TrendyFoundation
public import TrendyModels

/// One point of a track as a file gives it.
public struct TrackPoint: Hashable, Sendable {
  public var coordinate: Coordinate
  /// `nil` where the file gives none or one that cannot be read.
  public var timestamp: Date?
  /// Metres.
  public var altitude: Double?
  /// Metres a second.
  public var speed: Double?
  /// Degrees clockwise from true north.
  public var course: Double?
  /// Metres, the radius of 68 % confidence; where a file gives a dilution of precision, five metres times that.
  public var horizontalAccuracy: Double?

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

  public init(_ location: Location) {
    self.init(
      coordinate: location.coordinate, timestamp: location.timestamp, altitude: location.altitude,
      speed: location.speed, course: location.course,
      horizontalAccuracy: location.horizontalAccuracy >= 0 ? location.horizontalAccuracy : nil)
  }

  /// The fix it is; `nil` without a time.
  public var location: Location? {
    timestamp.map {
      Location(
        coordinate: coordinate, horizontalAccuracy: horizontalAccuracy ?? -1, timestamp: $0, altitude: altitude,
        speed: speed, course: course)
    }
  }
}

/// Points that the receiver recorded without losing touch.
public struct TrackSegment: Hashable, Sendable {
  public var points: [TrackPoint]

  public init(points: [TrackPoint] = []) { self.points = points }

  /// The points that have a time, in the order of the file.
  public var locations: [Location] { points.compactMap(\.location) }
}

public struct Track: Hashable, Sendable {
  public var name: String?
  /// What the recorder says was done, such as `running` or `driving`.
  public var activity: String?
  public var segments: [TrackSegment]

  public init(name: String? = nil, segments: [TrackSegment] = []) {
    self.name = name
    self.segments = segments
  }
}

public struct Waypoint: Hashable, Sendable {
  public var name: String?
  public var point: TrackPoint

  public init(name: String? = nil, point: TrackPoint) {
    self.name = name
    self.point = point
  }
}

/// What a file of tracks holds.
public struct TrackFile: Hashable, Sendable {
  public var format: ImportFormat
  /// The program that wrote it, as it calls itself.
  public var creator: String?
  public var tracks: [Track] = []
  /// Ways that were planned, not gone; one segment each.
  public var routes: [Track] = []
  public var waypoints: [Waypoint] = []
  /// Points of tracks whose place is missing, unreadable or off the globe; they are in no segment.
  public var skippedPoints = 0
  /// How many of ``skippedPoints`` had a time.
  public var skippedPointsWithTime = 0
  /// Points of tracks whose time could not be read; they stay, without it.
  public var unreadableTimes = 0
  /// What the device's motion sensor said beside the fixes, where the format carries it; in the order of time.
  public var activities: [MotionActivity] = []
  /// The first hundred things that could not be taken, in the order of the file.
  public internal(set) var problems: [ImportProblem] = []
  /// How many there were in all.
  public internal(set) var problemCount = 0
  /// Messages that are no positions, by their kind: OwnTracks' other types, Overland's actions, NMEA's other sentences.
  public internal(set) var skippedMessages: [String: Int] = [:]
  /// Lines that are broken: of NMEA, those whose checksum is wrong or missing.
  public internal(set) var rejectedLines = 0
  /// In words, what a reader assumed: such as that times without a zone are UTC.
  public internal(set) var remarks: [String] = []

  public init(format: ImportFormat) { self.format = format }

  /// Reads a file of whatever format it turns out to be.
  /// - Throws: ``InterchangeError``; nothing of a broken file is returned.
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
      if let reason = NotTheData.refusal(bytes.prefix(1 << 16)) { throw .notTheData(reason: reason) }
      throw ImportFormat.refusal(bytes)
    }
  }
}

extension TrackFile {
  public var segments: [TrackSegment] { tracks.flatMap(\.segments) }
  /// Every point of the tracks that has a place.
  public var points: [TrackPoint] { segments.flatMap(\.points) }
  /// Every fix of the tracks, in the order of the file.
  public var locations: [Location] { points.compactMap(\.location) }

  /// Points of tracks that the file holds, skipped ones included.
  public var pointCount: Int {
    tracks.reduce(0) { $0 + $1.segments.reduce(0) { $0 + $1.points.count } } + skippedPoints
  }
  /// Of ``pointCount``, those with a readable time.
  public var pointsWithTime: Int { points.count { $0.timestamp != nil } + skippedPointsWithTime }
  public var firstTime: Date? { points.lazy.compactMap(\.timestamp).min() }
  public var lastTime: Date? { points.lazy.compactMap(\.timestamp).max() }

  /// Metres along all segments; the gaps between segments do not count.
  /// - Parameter distance: metres between two places, such as TrendyTrips' `Geodesic.distanceMeters(from:to:)`.
  public func lengthMeters(using distance: (Coordinate, Coordinate) -> Double) -> Double {
    segments.reduce(0) { sum, segment in
      zip(segment.points, segment.points.dropFirst()).reduce(sum) { $0 + distance($1.0.coordinate, $1.1.coordinate) }
    }
  }

  /// In words, what missing times mean for trips; `nil` where every point has its time.
  public var timeRemark: String? {
    let all = points.count
    let timed = points.count { $0.timestamp != nil }
    if all == 0 { return "there is no point of a track in the file, so no trip can be found" }
    if timed == 0 { return "none of the \(all) points has a time, so no trip can be found" }
    if timed < all { return "\(all - timed) of \(all) points have no time and are part of no trip" }
    let early = points.count { $0.timestamp.map { $0 < TrackFile.earliestTime } ?? false }
    if early > 0 { return "\(early) of \(all) points have a time before 1970, which no receiver's clock shows" }
    let late = points.count { $0.timestamp.map { $0 >= TrackFile.latestTime } ?? false }
    if late > 0 { return "\(late) of \(all) points have a time after 2099, which no receiver's clock shows" }
    return nil
  }

  /// Fixes whose time cannot be that of a fix: before 1970, or more than a day after `now`. They are not dropped.
  public func locationsOutOfTime(now: Date) -> [Location] {
    let latest = now.addingTimeInterval(86_400)
    return locations.filter { $0.timestamp < Self.earliestTime || $0.timestamp > latest }
  }

  private static let earliestTime = Date(timeIntervalSince1970: 0)
  /// 2100-01-01.
  private static let latestTime = Date(timeIntervalSince1970: 4_102_444_800)
}

extension TrackFile {
  mutating func report(_ place: String, _ reason: String) {
    problemCount += 1
    if problems.count < 100 { problems.append(ImportProblem(place: place, reason: reason)) }
  }

  /// What others wrote must not make the list of kinds endless.
  mutating func skip(message kind: String, count: Int = 1) {
    let kind = String(kind.prefix(32))
    let isKept = skippedMessages.count < 64 || skippedMessages[kind] != nil
    skippedMessages[isKept ? kind : "other", default: 0] += count
  }
}
