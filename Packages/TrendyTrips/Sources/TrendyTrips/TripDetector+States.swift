#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

extension TripDetector {
  /// At a place, with what may be the beginning of a departure.
  struct Rest: Hashable, Sendable, Codable {
    /// Where it rests.
    private(set) var center: Coordinate
    private let since: Date
    /// Metres that the fixes are away from it, on average: a receiver under a roof scatters more than one in the open.
    private var noise = 0.0
    /// The fixes at the place, of the last minutes.
    private var here: [Location]
    /// The fixes outside it since it was left, if it was.
    private var outside: [Location] = []

    init(at fix: Location) {
      center = fix.coordinate
      since = fix.timestamp
      here = [fix]
    }

    /// - Parameter fixes: those taken there so far, not empty.
    init(at place: Coordinate, fixes: [Location]) {
      center = place
      since = fixes[0].timestamp
      here = Array(fixes.suffix(Self.limit))
    }

    /// Metres about the very place within which a resting receiver's fixes mostly are.
    static let scatter = 15.0

    /// From where it left, and the fixes since, the last one at rest first.
    struct Departure {
      var place: Coordinate
      var fixes: [Location]
    }

    /// - Returns: the departure, once there is one.
    mutating func add(_ fix: Location, _ configuration: Configuration) -> Departure? {
      let away = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      if away <= max(configuration.restRadius, fix.horizontalAccuracy, 4 * noise) {
        // Known after a quarter of an hour, so that a slow departure is not taken for noise.
        let seconds = fix.timestamp.timeIntervalSince(here[here.count - 1].timestamp)
        noise += (min(away, configuration.restRadius) - noise) * min(1, seconds / 900)
        outside = []
        here.append(fix)
        if here.count > Self.limit || fix.timestamp.timeIntervalSince(here[0].timestamp) > 600 { here.removeFirst() }
        settle(fix, away)
        return nil
      }
      outside.append(fix)
      if isDeparture(away, configuration) { return departure(configuration) }
      // They stayed together at another place: the receiver was wrong before, or is now.
      if let first = outside.first,
        fix.timestamp.timeIntervalSince(first.timestamp) >= configuration.stopSeconds
          || outside.count > Self.limit
      {
        let recent = Array(outside.suffix(outside.count / 2))
        self = Rest(at: recent.first ?? fix)
        for fix in recent.dropFirst() {
          if let departed = add(fix, configuration) { return departed }
        }
      }
      return nil
    }

    /// A place known for two minutes gets better known; one just come to must not follow a slow departure.
    private mutating func settle(_ fix: Location, _ away: Double) {
      guard fix.timestamp.timeIntervalSince(since) > 120, away <= max(30, 2 * noise) else { return }
      let east = (fix.coordinate.longitude - center.longitude).remainder(dividingBy: 360)
      center.latitude += (fix.coordinate.latitude - center.latitude) / 50
      center.longitude = (center.longitude + east / 50).remainder(dividingBy: 360)
    }

    private func isDeparture(_ away: Double, _ configuration: Configuration) -> Bool {
      guard outside.count >= 3, let first = outside.first, let last = outside.last,
        away >= max(configuration.departureDistance, 8 * noise),
        last.timestamp.timeIntervalSince(first.timestamp) >= configuration.departureSeconds
      else { return false }
      // Scattered outliers go to and fro; a reflection stands still elsewhere; who leaves gets on.
      var walked = Geodesic.distanceMeters(from: center, to: first.coordinate)
      var from = first
      for to in outside.dropFirst()
      where to.timestamp.timeIntervalSince(from.timestamp) >= 8 || to.timestamp == last.timestamp {
        walked += Geodesic.distanceMeters(from: from.coordinate, to: to.coordinate)
        from = to
      }
      let gained = Geodesic.distanceMeters(from: first.coordinate, to: last.coordinate)
      let middle = outside[outside.count / 2].coordinate
      let gainedEarly = Geodesic.distanceMeters(from: first.coordinate, to: middle)
      // Slower than a stroll is drift.
      let seconds = last.timestamp.timeIntervalSince(first.timestamp)
      return walked <= 2 * away && walked >= 0.6 * seconds && gained >= configuration.departureDistance / 3
        && gainedEarly >= gained / 10 && gainedEarly <= gained
    }

    /// From the last fix that is at the very place on; those of a departure that was slow at first come after it.
    private func departure(_ configuration: Configuration) -> Departure {
      let index = here.lastIndex { Geodesic.distanceMeters(from: center, to: $0.coordinate) <= Self.scatter }
      let slow = here[(index ?? here.count - 1)...]
      guard let last = slow.last,
        outside[0].timestamp.timeIntervalSince(last.timestamp) <= configuration.gapSeconds
      else {
        // A place last seen long ago says nothing of when it was left, or by which way.
        return Departure(place: outside[0].coordinate, fixes: outside)
      }
      return Departure(place: index == nil ? slow[slow.startIndex].coordinate : center, fixes: slow + outside)
    }

    private static let limit = 600
  }
}
