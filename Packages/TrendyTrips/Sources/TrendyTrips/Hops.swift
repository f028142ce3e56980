#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Tells a receiver that is thrown about from one that goes: most of its way lies in a few large hops between places at which it
/// stands still and to which it comes back. WiFi makes such hops where an access point was carried elsewhere.
struct Hops: Hashable, Sendable, Codable {
  private struct Spot: Hashable, Codable {
    var place: Coordinate
    /// Fixes in a row.
    var fixes = 1
  }

  /// The places it was at; none once they are more than a receiver is thrown between.
  private var spots: [Spot] = []
  private var current = 0
  private var isGoing = false
  private var last: Location
  /// Metres of the sudden hops from a place at which it stood to another at which it then stood, and how many they were.
  private(set) var metres = 0.0
  private var count = 0
  /// Metres from place to place in any other way. What it scatters about a place is no way.
  private var walked = 0.0
  /// Metres of a sudden hop to a place at which it has not stood yet.
  private var pending: Double?
  private var standing: TimeInterval = 0
  private var returns = 0

  /// Begins at a place of rest.
  init(at fix: Location) {
    spots = [Spot(place: fix.coordinate, fixes: Self.standingFixes)]
    last = fix
  }

  /// - Parameter error: metres along one axis by which the fix errs on its own.
  mutating func add(_ fix: Location, error: Double) {
    guard !isGoing else { return }
    defer { last = fix }
    let radius = max(Self.radius, min(max(fix.horizontalAccuracy, 3 * error), 2 * Self.radius))
    if Geodesic.shortMeters(from: spots[current].place, to: fix.coordinate) <= radius {
      spots[current].fixes += 1
      if let hop = pending, spots[current].fixes >= Self.standingFixes {
        metres += hop
        count += 1
        pending = nil
      }
      standing += fix.timestamp.timeIntervalSince(last.timestamp)
      return
    }
    let hop = Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate)
    let isSudden = hop >= max(Self.least, Self.pace * fix.timestamp.timeIntervalSince(last.timestamp))
    if let hop = pending { walked += hop }
    pending = spots[current].fixes >= Self.standingFixes && isSudden ? hop : nil
    if pending == nil { walked += Geodesic.shortMeters(from: spots[current].place, to: fix.coordinate) }
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
      current = 0
    }
  }

  /// Whether a trip of so many metres and seconds is the receiver's.
  /// - Parameter leaps: how many of its ends are leaps, by which it came there or left.
  func isThrown(distance: Double, seconds: TimeInterval, leaps: Int) -> Bool {
    !isGoing && (returns >= 1 || count + leaps >= 2) && metres >= Self.share * min(distance, metres + walked)
      && standing >= seconds / 2
  }

  /// Metres about a place at which it stands.
  private static let radius = 60.0
  /// Metres of a large hop, and metres a second of one that nobody makes on foot.
  private static let least = 90.0
  private static let pace = 3.0
  private static let most = 8
  private static let standingFixes = 2
  private static let share = 0.6
}
