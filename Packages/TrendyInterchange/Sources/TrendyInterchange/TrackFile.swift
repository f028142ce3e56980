#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
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

  public init(format: ImportFormat) { self.format = format }

  /// Reads a file of whatever format it turns out to be.
  /// - Throws: ``InterchangeError``; nothing of a broken file is returned.
  public init(reading bytes: [UInt8]) throws(InterchangeError) {
    switch ImportFormat.detect(bytes) {
    case .gpx: self = try GPXReader.read(bytes)
    case nil: throw .unknownFormat(seen: ImportFormat.describe(bytes))
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
    return nil
  }
}
