import TrendyFoundation
import TrendyModels

/// Recognises a stationary receiver that jumps between a few positions, as with WiFi positioning after an access point
/// has been moved. Most of the path consists of long steps between positions where the receiver remains.
struct PositionJumpDetector: Hashable, Sendable, Codable {
  private struct Spot: Hashable, Codable {
    var place: Coordinate
    /// Number of consecutive fixes during the most recent visit.
    var fixes = 1
    /// Whether the receiver has ever remained here for several fixes.
    var isStand = false
  }

  private struct Link: Hashable, Codable {
    let from: Int
    let to: Int
    var metres = 0.0
    var count = 0
  }

  /// Visited positions. Emptied as soon as there are too many for a stationary receiver.
  private var spots: [Spot] = []
  private var links: [Link] = []
  private var current = 0
  private var isGoing = false
  private var last: Location
  /// Time of the last recorded fix. Earlier than `last.timestamp` if `last` is an estimated start.
  private var lastSeen: Date
  /// Path length in metres, excluding jumps and the noise around a position.
  private var walked = 0.0
  private var standing: TimeInterval = 0
  /// Total time in seconds between the last fix at one position and the first at the next.
  private var moving: TimeInterval = 0
  private var returns = 0
  /// Number of short displacements, whose fixes an earlier filter has removed.
  private var displacements: Int

  /// Starts at a stay point. `lastSeen` is the time of the last fix there.
  init(at fix: Location, lastSeen: Date, displacements: Int = 0) {
    self.displacements = displacements
    spots = [Spot(place: fix.coordinate, fixes: Self.standingFixes, isStand: true)]
    last = fix
    self.lastSeen = lastSeen
  }

  /// Processes the next fix.
  /// - Parameter error: standard deviation of the position noise per axis, in metres.
  mutating func add(_ fix: Location, error: Double) {
    guard !isGoing else { return }
    defer {
      last = fix
      lastSeen = fix.timestamp
    }
    let radius = max(Self.radius, min(max(fix.horizontalAccuracy, 3 * error), 2 * Self.radius))
    if Geodesic.shortMeters(from: spots[current].place, to: fix.coordinate) <= radius {
      spots[current].fixes += 1
      if spots[current].fixes >= Self.standingFixes { spots[current].isStand = true }
      standing += fix.timestamp.timeIntervalSince(last.timestamp)
      return
    }
    let hop = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    let seconds = fix.timestamp.timeIntervalSince(lastSeen)
    let before = current
    if let known = spots.firstIndex(where: { Geodesic.shortMeters(from: $0.place, to: fix.coordinate) <= radius }) {
      current = known
      spots[known].fixes = 1
      returns += 1
    } else if spots.count < Self.most {
      spots.append(Spot(place: fix.coordinate))
      current = spots.count - 1
    } else {
      isGoing = true
      spots = []
      links = []
      current = 0
      return
    }
    moving += seconds
    guard hop >= max(Self.least, Self.pace * seconds) else {
      walked += Geodesic.shortMeters(from: spots[before].place, to: fix.coordinate)
      return
    }
    let index = links.firstIndex { $0.from == before && $0.to == current } ?? links.endIndex
    if index == links.endIndex { links.append(Link(from: before, to: current)) }
    links[index].metres += hop
    links[index].count += 1
  }

  /// Counts a short displacement, which suggests that the receiver is jumping.
  mutating func noteDisplacement() { displacements += 1 }

  /// Jumps between positions where the receiver remained: their total length in metres, and their number.
  private var thrown: (metres: Double, count: Int) {
    links.reduce(into: (0, 0)) { sum, link in
      guard spots[link.from].isStand, spots[link.to].isStand else { return }
      sum.metres += link.metres
      sum.count += link.count
    }
  }

  /// Evidence that a trip is due to receiver errors.
  enum Reason: Hashable {
    /// Most of the path consists of jumps, with this total length in metres, between positions where the receiver
    /// remained. The receiver returned or was displaced.
    case hops(metres: Double)
    /// All movement took place within this number of seconds, and the receiver was stationary before and after.
    case atOnce(seconds: TimeInterval)
  }

  /// Returns the evidence that a trip is due to receiver errors, or `nil` for a real trip.
  ///
  /// `leaps` is the number of trip ends, 0 to 2, where the receiver jumped, and `least` is the minimum time in seconds
  /// that a real trip spends in motion.
  func reason(distance: Double, seconds: TimeInterval, leaps: Int, least: TimeInterval) -> Reason? {
    guard !isGoing else { return nil }
    let (metres, count) = thrown
    let sudden = links.reduce(0) { $0 + $1.metres }
    let way = min(distance, sudden + walked)
    if returns + displacements >= 1 || count + leaps >= 2, metres >= Self.share * way, standing >= seconds / 2 {
      return .hops(metres: metres)
    }
    let isOneHop = count == 1 && links.count == 1 && moving <= least
    // No vehicle can accelerate and brake fast enough to cover this distance from standstill to standstill.
    let isTooFast = moving < least && sudden > Self.acceleration / 4 * moving * moving
    guard isOneHop || isTooFast, sudden >= Self.share * way else { return nil }
    return .atOnce(seconds: moving)
  }

  /// Radius in metres of a position where the receiver remains.
  private static let radius = 60.0
  /// Minimum length of a jump in metres.
  private static let least = 90.0
  /// Minimum speed of a jump in m/s, faster than walking.
  private static let pace = 3.0
  private static let most = 8
  private static let standingFixes = 2
  private static let share = 0.6
  /// Maximum acceleration and deceleration of a car in m/s².
  private static let acceleration = 2.0
}
