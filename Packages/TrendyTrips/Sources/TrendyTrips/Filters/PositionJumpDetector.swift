import TrendyFoundation
import TrendyModels

/// Tells a receiver that is thrown about from one that goes: most of its way lies in a few large hops between places at which it
/// stands still. WiFi makes such hops where an access point was carried elsewhere.
struct PositionJumpDetector: Hashable, Sendable, Codable {
  private struct Spot: Hashable, Codable {
    var place: Coordinate
    /// Fixes in a row, of the last time that it was here.
    var fixes = 1
    /// Whether it stood here at any time.
    var isStand = false
  }

  /// All sudden hops from one place to another.
  private struct Link: Hashable, Codable {
    let from: Int
    let to: Int
    var metres = 0.0
    var count = 0
  }

  /// The places it was at; none once they are more than a receiver is thrown between.
  private var spots: [Spot] = []
  private var links: [Link] = []
  private var current = 0
  private var isGoing = false
  private var last: Location
  /// When it was last seen before the next hop: earlier than ``last`` where that is a start that was reckoned back.
  private var lastSeen: Date
  /// Metres from place to place in any other way. What it scatters about a place is no way.
  private var walked = 0.0
  private var standing: TimeInterval = 0
  /// Seconds from the last fix at one place to the first at the next.
  private var moving: TimeInterval = 0
  private var returns = 0
  /// How often it was elsewhere for seconds only, in fixes that were passed over.
  private var displacements: Int

  /// Begins at a place of rest.
  /// - Parameters:
  ///   - lastSeen: when it was seen there last.
  ///   - displacements: how often it was displaced while it rested there.
  init(at fix: Location, lastSeen: Date, displacements: Int = 0) {
    self.displacements = displacements
    spots = [Spot(place: fix.coordinate, fixes: Self.standingFixes, isStand: true)]
    last = fix
    self.lastSeen = lastSeen
  }

  /// - Parameter error: metres along one axis by which the fix errs on its own.
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

  /// Takes it that the receiver was elsewhere for seconds: one that is thrown about, though the fixes that show it are passed over.
  mutating func noteDisplacement() { displacements += 1 }

  /// Metres of the sudden hops from a place at which it stood to another at which it stood, and how many they were.
  private var thrown: (metres: Double, count: Int) {
    links.reduce(into: (0, 0)) { sum, link in
      guard spots[link.from].isStand, spots[link.to].isStand else { return }
      sum.metres += link.metres
      sum.count += link.count
    }
  }

  /// Why a trip is the receiver's, and not a person's.
  enum Reason: Hashable {
    /// So many metres are hops between places at which it stood still; it is one that is thrown about, as it came back or was displaced.
    case hops(metres: Double)
    /// All of it took place in so many seconds, and it stood still before and after.
    case atOnce(seconds: TimeInterval)
  }

  /// Why a trip of so many metres and seconds is the receiver's; `nil` if it is not.
  /// - Parameters:
  ///   - leaps: how many of its ends are leaps, by which it came there or left.
  ///   - least: seconds of going that a trip takes.
  func reason(distance: Double, seconds: TimeInterval, leaps: Int, least: TimeInterval) -> Reason? {
    guard !isGoing else { return nil }
    let (metres, count) = thrown
    let sudden = links.reduce(0) { $0 + $1.metres }
    let way = min(distance, sudden + walked)
    if returns + displacements >= 1 || count + leaps >= 2, metres >= Self.share * way, standing >= seconds / 2 {
      return .hops(metres: metres)
    }
    let isOneHop = count == 1 && links.count == 1 && moving <= least
    // From standing to standing nobody gets farther than that.
    let isTooFast = moving < least && sudden > Self.acceleration / 4 * moving * moving
    guard isOneHop || isTooFast, sudden >= Self.share * way else { return nil }
    return .atOnce(seconds: moving)
  }

  /// Metres about a place at which it stands.
  private static let radius = 60.0
  /// Metres of a large hop, and metres a second of one that nobody makes on foot.
  private static let least = 90.0
  private static let pace = 3.0
  private static let most = 8
  private static let standingFixes = 2
  private static let share = 0.6
  /// Metres a second, each second, of a car that goes as fast as it can and then brakes as hard.
  private static let acceleration = 2.0
}
