import TrendyFoundation
import TrendyModels

/// The last ten minutes of fixes, thinned: where a trip is found to have begun before anybody noticed.
struct RecentFixes: Hashable, Sendable, Codable {
  /// The newest of all, thinned or not.
  private(set) var latest: Location?
  private var kept: [Location] = []

  /// Takes a fix newer than every one before.
  mutating func add(_ fix: Location) {
    latest = fix
    if let last = kept.last, fix.timestamp.timeIntervalSince(last.timestamp) < Self.spacing { return }
    kept.append(fix)
    kept.removeAll { fix.timestamp.timeIntervalSince($0.timestamp) > Self.span }
  }

  mutating func forget() { kept = [] }

  /// The fixes from the one at which a movement that still goes on began, the newest last; `nil` if nothing moves.
  ///
  /// The first automotive reading of a phone comes minutes after the car moved off, so the way back is looked through:
  /// as long as fast hops follow one another with no more than two minutes between them, the movement is one. Walking to
  /// the car is slower than a fast hop.
  /// - Parameter earliest: fixes before it belong to something else.
  func movement(endingAt date: Date, notBefore earliest: Date = .distantPast) -> [Location]? {
    guard let latest else { return nil }
    var way = kept.filter { $0.timestamp >= earliest }
    if latest != way.last, latest.timestamp >= earliest { way.append(latest) }
    var origin: Int?
    var lastMoving = date
    for index in way.indices.dropFirst().reversed() {
      let from = way[index - 1]
      let to = way[index]
      guard lastMoving.timeIntervalSince(to.timestamp) <= Self.pause else { break }
      if isFast(from, to) {
        origin = index - 1
        lastMoving = from.timestamp
      }
    }
    return origin.map { Array(way[$0...]) }
  }

  private func isFast(_ from: Location, _ to: Location) -> Bool {
    let metres = Geodesic.distanceMeters(from: from.coordinate, to: to.coordinate)
    let seconds = to.timestamp.timeIntervalSince(from.timestamp)
    // Shorter than the fixes are uncertain, it may be none at all.
    return metres >= max(25, from.horizontalAccuracy, to.horizontalAccuracy) && metres >= 2.5 * seconds
  }

  private static let span: TimeInterval = 600
  private static let spacing: TimeInterval = 8
  private static let pause: TimeInterval = 120
}

extension Location {
  /// What a machine can rely on: a place, a moment, and a number for every number; `nil` if there is no such thing in it.
  var checked: Location? {
    guard coordinate.isValid, timestamp.timeIntervalSinceReferenceDate.isFinite,
      horizontalAccuracy < .infinity || horizontalAccuracy.isNaN
    else { return nil }
    var fix = self
    if !horizontalAccuracy.isFinite { fix.horizontalAccuracy = -1 }
    if altitude?.isFinite == false { fix.altitude = nil }
    if speed.map({ !$0.isFinite || $0 < 0 }) == true { fix.speed = nil }
    if course?.isFinite == false { fix.course = nil }
    return fix
  }
}
