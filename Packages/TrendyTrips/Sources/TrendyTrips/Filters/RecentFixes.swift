import TrendyFoundation
import TrendyModels

/// Thinned fixes from the last ten minutes. When a trip is detected, its beginning is found among them.
struct RecentFixes: Hashable, Sendable, Codable {
  /// Newest fix, even if it was omitted by thinning.
  private(set) var latest: Location?
  private var kept: [Location] = []

  /// Adds a fix that is newer than all others.
  mutating func add(_ fix: Location) {
    latest = fix
    if let last = kept.last, fix.timestamp.timeIntervalSince(last.timestamp) < Self.spacing { return }
    kept.append(fix)
    kept.removeAll { fix.timestamp.timeIntervalSince($0.timestamp) > Self.span }
  }

  mutating func forget() { kept = [] }

  /// Returns the fixes since the beginning of the current movement, oldest first, or `nil` if the receiver is not
  /// moving.
  ///
  /// A phone detects driving only minutes after departure, so the beginning is among earlier fixes. Fast steps at most
  /// two minutes apart belong to one movement. Walking to the car is too slow to count.
  /// - Parameters:
  ///   - date: time when the movement must still have been in progress.
  ///   - earliest: earliest timestamp of a fix to use.
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
    // Ignore steps shorter than the accuracy, which may be noise.
    return metres >= max(25, from.horizontalAccuracy, to.horizontalAccuracy) && metres >= 2.5 * seconds
  }

  private static let span: TimeInterval = 600
  private static let spacing: TimeInterval = 8
  private static let pause: TimeInterval = 120
}

extension Location {
  /// The fix without its invalid optional values, or `nil` if its position, timestamp or accuracy is invalid.
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
