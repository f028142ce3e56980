import TrendyFoundation
import TrendyModels

extension TripDetector {
  /// State of the detector at a stay point, including fixes that may be the beginning of a departure.
  struct StationaryState: Hashable, Sendable, Codable {
    private(set) var center: Coordinate
    private let since: Date
    /// Mean distance in metres of the fixes from the stay point. Usually larger indoors.
    private(set) var noise = 0.0
    /// Recent fixes at the stay point, at most 600, oldest first.
    private var here: [Location]
    /// Fixes outside the stay point since the last fix within it.
    private var outside: [Location] = []
    /// Whether the fixes in `outside` follow an implausibly fast jump.
    private var hasLeapt = false
    /// Whether the motion sensor currently suppresses a departure.
    private var isHeldBack = false
    /// Detects laps near the stay point.
    private var course: DirectionalPersistence
    /// Detects a departure slower than 1 m/s.
    private var slowCourse: SlowDepartureDetector
    private(set) var decisions = DecisionLog()

    init(at fix: Location) {
      center = fix.coordinate
      since = fix.timestamp
      here = [fix]
      course = DirectionalPersistence(at: fix)
      slowCourse = SlowDepartureDetector(at: fix)
    }

    /// Creates a stay point from one or more existing fixes.
    ///
    /// If `isNoisy`, the fixes are known to scatter widely, and the noise is estimated from them, up to 60 m. `course`
    /// is the directional persistence up to the last fix, if the path continues here.
    init(
      at place: Coordinate, fixes: [Location], isNoisy: Bool = false, noise: Double = 0,
      course: DirectionalPersistence? = nil
    ) {
      center = place
      since = fixes[0].timestamp
      here = Array(fixes.suffix(Self.limit))
      self.course = course ?? DirectionalPersistence(at: fixes[fixes.count - 1])
      slowCourse = SlowDepartureDetector(at: fixes[fixes.count - 1])
      if isNoisy {
        let away = fixes.map { Geodesic.shortMeters(from: place, to: $0.coordinate) }.sorted()
        self.noise = min(max(noise, away[away.count / 2]), 60)
      } else {
        self.noise = noise
      }
    }

    /// Radius in metres that contains most fixes of a stationary receiver.
    static let scatter = 15.0

    struct Departure {
      /// Start position of the trip.
      var place: Coordinate
      /// Fixes of the trip so far. The first one is the last stationary fix, or an estimated start.
      var fixes: [Location]
      /// Recorded (never estimated) fix from which the trip's id is derived.
      var name: Location
      /// Time of the last fix before the departure. Earlier than the first fix in `fixes` if that fix is estimated.
      var lastSeen: Date
      /// Noise at the stay point, in metres.
      var noise: Double
      var decisions: DecisionLog
    }

    var last: Location { here[here.count - 1] }

    mutating func note(_ decision: TripDecision) {
      decisions.forget(before: decision.time.addingTimeInterval(-1800))
      decisions.add(decision)
    }

    /// Processes the next fix.
    /// - Returns: an array with the departure once it is confirmed, or an empty array before.
    mutating func add(
      _ fix: Location, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool = false
    ) -> [Departure] {
      departure(with: fix, configuration, motion, isLeap: isLeap).map { [$0] } ?? []
    }

    private mutating func departure(
      with fix: Location, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool
    ) -> Departure? {
      let away = Geodesic.shortMeters(from: center, to: fix.coordinate)
      if let departed = detectLaps(fix, away, configuration, motion, isLeap: isLeap) { return departed }
      if let departed = detectSlowDeparture(fix, away, configuration, motion) { return departed }
      if away <= max(configuration.restRadius, fix.horizontalAccuracy, 4 * noise) {
        // The noise increases slowly, over 15 min, so that a slow departure does not count as noise.
        let seconds = fix.timestamp.timeIntervalSince(here[here.count - 1].timestamp)
        // The noise decreases four times more slowly, because a receiver that was noisy once is likely to be noisy
        // again.
        let scatter = min(away, configuration.restRadius)
        noise += (scatter - noise) * min(0.1, seconds / (scatter > noise ? 900 : 3600))
        // These fixes belong to the route if a departure follows before the next fix close to the centre.
        if !hasLeapt { here += outside }
        outside = []
        hasLeapt = false
        isHeldBack = false
        here.append(fix)
        if here.count > Self.limit { here.removeFirst(Self.limit / 2) }
        settle(fix, away)
        return nil
      }
      if isLeap {
        // The fix cannot be reached from the last one. If the fix can be reached from an older one, the fixes of the
        // last few seconds were errors, because a waking phone first reports the position of its cell tower. Otherwise,
        // the route to the fix is unknown, and the fix itself may be an error.
        let before = outside.prefix {
          fix.timestamp.timeIntervalSince($0.timestamp) >= configuration.departureSeconds
        }
        if before.count < outside.count, let last = before.last, isReachable(fix, from: last, configuration) {
          outside = Array(before)
        } else {
          outside = []
          hasLeapt = true
        }
      }
      outside.append(fix)
      if isDeparture(away, configuration) {
        guard isSuppressed(fix, away, configuration, motion) else { return departure(configuration) }
        if !isHeldBack {
          note(
            TripDecision(.heldByMotion, at: fix.timestamp, meters: away, limit: configuration.undeniableDistance))
        }
        isHeldBack = true
      }
      let isFull = outside.count > Self.limit
      guard let first = outside.first,
        isFull || fix.timestamp.timeIntervalSince(first.timestamp) >= configuration.errorSeconds
      else { return nil }
      if let departed = unseenTrip(to: first, configuration) { return departed }
      // The fixes stayed together at another position without a departure, so one of the two positions is wrong.
      if isFull || secondsOutside >= configuration.errorSeconds {
        let recent = Array(outside.suffix(outside.count / 2))
        let before = self
        self = StationaryState(at: recent.first ?? fix)
        decisions = before.decisions
        course = before.course
        slowCourse = before.slowCourse
        let moved = Geodesic.shortMeters(from: before.center, to: center)
        // Treat a short move without a route as noise, because the receiver is likely to jump back.
        if moved <= 2 * configuration.departureDistance, !slowCourse.isBegun { noise = max(before.noise, moved / 4) }
        for fix in recent.dropFirst() {
          if let departed = departure(with: fix, configuration, motion, isLeap: false) { return departed }
        }
      }
      return nil
    }

    /// Detects laps near the stay point that never lead far enough away to count as a departure.
    /// - Returns: the departure, once the route is as long as a round trip must be (`minimumLoopReach`).
    private mutating func detectLaps(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool
    ) -> Departure? {
      guard !isLeap else {
        course = DirectionalPersistence(at: fix)
        return nil
      }
      course.add(fix)
      guard away < max(configuration.departureDistance, 8 * noise), course.run.isKept,
        course.run.metres >= configuration.minimumLoopReach, !isSuppressed(fix, away, configuration, motion)
      else { return nil }
      let first = course.fixes[0]
      return departure(
        from: first.coordinate, course.fixes + (course.fixes.last == fix ? [] : [fix]),
        TripDecision(
          .rounds, at: first.timestamp, seconds: fix.timestamp.timeIntervalSince(first.timestamp),
          meters: course.run.metres, limit: away))
    }

    /// Detects a departure so slow that the centre of the stay point follows it.
    /// - Returns: the departure, once the route leads far enough away from the stay point.
    private mutating func detectSlowDeparture(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory
    ) -> Departure? {
      guard slowCourse.add(fix, radius: max(configuration.stopRadius, 4 * noise)), let metres = slowCourse.metresAway,
        metres >= max(configuration.departureDistance, 8 * noise), !isSuppressed(fix, away, configuration, motion)
      else { return nil }
      let fixes = slowCourse.fixes
      let first = fixes[0]
      let decision = TripDecision(
        .slowly, at: first.timestamp, seconds: fix.timestamp.timeIntervalSince(first.timestamp), meters: metres,
        limit: max(configuration.departureDistance, 8 * noise))
      guard let origin = slowCourse.origin,
        Self.isNear(
          origin.coordinate, fixes, after: first.timestamp.timeIntervalSince(origin.timestamp), configuration)
      else { return departure(from: first.coordinate, fixes, decision) }
      return departure(
        from: origin.coordinate,
        Self.addingStart(origin.coordinate, for: fixes, after: origin.timestamp, configuration), decision,
        name: first, lastSeen: origin.timestamp)
    }

    /// Time spent outside the stay point in seconds. Each interval between fixes counts at most 60 s.
    private var secondsOutside: TimeInterval {
      zip(outside, outside.dropFirst()).reduce(0) { $0 + min(60, $1.1.timestamp.timeIntervalSince($1.0.timestamp)) }
    }

    /// Returns whether a fix can be reached from another fix at `maximumSpeed`, without a gap.
    private func isReachable(_ fix: Location, from last: Location, _ configuration: Configuration) -> Bool {
      let seconds = fix.timestamp.timeIntervalSince(last.timestamp)
      return seconds <= configuration.gapSeconds
        && Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate) <= configuration.maximumSpeed * seconds
    }

    /// Moves the centre slightly toward a nearby fix.
    ///
    /// Waits for two minutes at the stay point, because the centre would otherwise follow a slow departure.
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
      // Require progress, because outliers jump back and forth, and a reflected signal stays at one wrong position.
      var walked = hasLeapt ? 0 : Geodesic.shortMeters(from: center, to: first.coordinate)
      var from = first
      var places = 1
      var lastPlace = first.coordinate
      for to in outside.dropFirst() {
        if Geodesic.shortMeters(from: lastPlace, to: to.coordinate) >= max(Self.scatter, 2 * noise) {
          places += 1
          lastPlace = to.coordinate
        }
        let hop = Geodesic.shortMeters(from: from.coordinate, to: to.coordinate)
        guard to.timestamp.timeIntervalSince(from.timestamp) >= 8 || to.timestamp == last.timestamp,
          configuration.counts(to, hop: hop)
        else { continue }
        walked += hop
        from = to
      }
      let gained = Geodesic.shortMeters(from: first.coordinate, to: last.coordinate)
      let middle = outside[outside.count / 2].coordinate
      let gainedEarly = Geodesic.shortMeters(from: first.coordinate, to: middle)
      // Below 0.6 m/s the movement is drift.
      let seconds = last.timestamp.timeIntervalSince(first.timestamp)
      return walked <= 2 * away && walked >= 0.6 * seconds
        && gained >= max(configuration.departureDistance / 3, 4 * noise) && places >= 3
        && gainedEarly >= gained / 10 && gainedEarly <= gained
    }

    /// Returns whether a departure is suppressed: the motion sensor reports that the user is stationary, and the fixes
    /// are only weak evidence.
    ///
    /// A measured speed of 3 m/s or a distance of `undeniableDistance` outweighs the sensor.
    private func isSuppressed(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory
    ) -> Bool {
      guard away < configuration.undeniableDistance, let activity = motion.activity(at: fix.timestamp),
        activity.state == .stationary, activity.confidence >= .medium
      else { return false }
      return !outside.contains { $0.speed ?? 0 >= 3 }
    }

    /// Returns the departure of a trip without fixes: the user was stationary here before a gap, and at a distant
    /// position after it.
    ///
    /// The start and end times of the departure are only bounds. Below the speed of a ride, the movement may have been
    /// a drive with a stop, so three fixes must confirm the new position.
    private func unseenTrip(to fix: Location, _ configuration: Configuration) -> Departure? {
      guard !hasLeapt else { return nil }
      let latest = here[here.count - 1]
      let seconds = fix.timestamp.timeIntervalSince(latest.timestamp)
      let metres = Geodesic.shortMeters(from: center, to: fix.coordinate)
      guard seconds > configuration.gapSeconds, seconds <= configuration.maximumUnseenSeconds,
        metres >= configuration.minimumUnseenDistance,
        outside.count >= 3 || metres >= configuration.rideSpeed * seconds
      else { return nil }
      let start = Location(
        coordinate: center, horizontalAccuracy: latest.horizontalAccuracy, timestamp: latest.timestamp)
      return departure(
        from: center, [start] + outside, TripDecision(.unseen, at: latest.timestamp, seconds: seconds, meters: metres),
        name: latest, lastSeen: latest.timestamp)
    }

    /// Returns whether the receiver moved far during a gap, faster than on foot, as in an aircraft or a tunnel.
    private func hasMovedUnseen(to fix: Location, _ configuration: Configuration) -> Bool {
      guard !hasLeapt else { return false }
      let seconds = fix.timestamp.timeIntervalSince(here[here.count - 1].timestamp)
      return seconds > configuration.gapSeconds && seconds <= configuration.maximumRideSeconds
        && Geodesic.shortMeters(from: center, to: fix.coordinate)
          >= max(configuration.minimumUnseenDistance, configuration.rideSpeed * seconds)
    }

    /// Returns the departure, beginning with the last fix close to the centre.
    ///
    /// The departure includes the fixes between that fix and the first fix outside the stay point, because it may have
    /// been slow at first.
    private func departure(_ configuration: Configuration) -> Departure {
      let last = outside[outside.count - 1]
      let away = Geodesic.shortMeters(from: center, to: outside[0].coordinate)
      if hasLeapt {
        return departure(
          from: outside[0].coordinate, outside, TripDecision(.appeared, at: outside[0].timestamp, meters: away))
      }
      let latest = here[here.count - 1]
      let silence = outside[0].timestamp.timeIntervalSince(latest.timestamp)
      let recent = here.drop { latest.timestamp.timeIntervalSince($0.timestamp) > 600 }
      let index = recent.lastIndex { Geodesic.shortMeters(from: center, to: $0.coordinate) <= max(Self.scatter, noise) }
      let slow = recent[(index ?? recent.endIndex - 1)...]
      guard silence > configuration.gapSeconds else {
        let route = Array(slow) + outside
        // Start the departure no earlier than the last gap between the fixes near the centre.
        let resumed = route.indices.dropFirst().last { index in
          index <= slow.count && route[index].timestamp.timeIntervalSince(route[index - 1].timestamp) > Self.silence
        }
        if let resumed {
          return departure(resumedAt: Array(route[resumed...]), after: route[resumed - 1].timestamp, configuration)
        }
        let start = slow[slow.startIndex]
        return departure(
          from: index == nil ? start.coordinate : center, route,
          TripDecision(
            .departed, at: start.timestamp, seconds: last.timestamp.timeIntervalSince(start.timestamp),
            meters: Geodesic.shortMeters(from: center, to: last.coordinate),
            limit: max(configuration.departureDistance, 8 * noise)))
      }
      if hasMovedUnseen(to: outside[0], configuration) { return departureAfterUnseenMove(configuration) }
      // After a long gap, start at a distant position, because the route from the stay point is unknown.
      guard Self.isNear(center, outside, after: silence, configuration) else {
        return departure(
          from: outside[0].coordinate, outside,
          TripDecision(.appeared, at: outside[0].timestamp, seconds: silence, meters: away))
      }
      return departure(resumedAt: outside, after: latest.timestamp, configuration)
    }

    /// Returns whether the fixes after a gap continue a route from `place`, without a stop elsewhere.
    ///
    /// A sleeping phone wakes up when it leaves a place, though sometimes late. The gap, the distance or the travel
    /// time must therefore be too short for another stop.
    private static func isNear(
      _ place: Coordinate, _ fixes: [Location], after silence: TimeInterval, _ configuration: Configuration
    ) -> Bool {
      silence <= configuration.maximumGapSeconds
        || Geodesic.shortMeters(from: place, to: fixes[0].coordinate) <= configuration.wakingDistance
        || secondsGone(from: place, to: fixes) <= configuration.gapSeconds
    }

    /// Returns the travel time in seconds from a place to the first fix, at the average speed of the fixes.
    static func secondsGone(from place: Coordinate, to fixes: [Location]) -> TimeInterval {
      let (first, last) = (fixes[0], fixes[fixes.count - 1])
      var distance = 0.0
      var from = first
      // Sum over steps of at least 20 m. Between consecutive fixes, the errors can exceed the distance walked.
      for fix in fixes.dropFirst() {
        let step = Geodesic.shortMeters(from: from.coordinate, to: fix.coordinate)
        guard step >= DirectionalPersistence.length || fix == last else { continue }
        distance += step
        from = fix
      }
      // The lower limit is the speed below which the detector considers the user stationary.
      let pace = min(
        15, max(SlowDepartureDetector.pace, distance / max(1, last.timestamp.timeIntervalSince(first.timestamp))))
      return (Geodesic.shortMeters(from: place, to: first.coordinate) / pace).rounded()
    }

    /// Returns the departure of a phone that slept at the stay point and woke up after leaving it.
    private func departure(
      resumedAt fixes: [Location], after date: Date, _ configuration: Configuration
    ) -> Departure {
      let first = fixes[0]
      return departure(
        from: center, Self.addingStart(center, for: fixes, after: date, configuration),
        TripDecision(
          .woke, at: first.timestamp, seconds: first.timestamp.timeIntervalSince(date),
          meters: Geodesic.shortMeters(from: center, to: first.coordinate)),
        name: first, lastSeen: date)
    }

    /// Prepends an estimated start at `place` to the fixes, no earlier than `date`.
    ///
    /// The estimate assumes that the user travelled to the first fix at the average speed of the fixes. It is limited
    /// to ``longestEstimate``, unless the distance shows that part of the trip has no fixes.
    private static func addingStart(
      _ place: Coordinate, for fixes: [Location], after date: Date, _ configuration: Configuration
    ) -> [Location] {
      let first = fixes[0]
      let metres = Geodesic.shortMeters(from: place, to: first.coordinate)
      let longest = metres >= configuration.minimumUnseenDistance ? .infinity : longestEstimate
      let start = first.timestamp.addingTimeInterval(-min(longest, secondsGone(from: place, to: fixes)))
      let left = Location(
        coordinate: place, horizontalAccuracy: first.horizontalAccuracy, timestamp: max(date, start))
      return (left.timestamp < first.timestamp ? [left] : []) + fixes
    }

    private func departureAfterUnseenMove(_ configuration: Configuration) -> Departure {
      let latest = here[here.count - 1]
      return departure(
        from: center, Self.addingStart(center, for: outside, after: latest.timestamp, configuration),
        TripDecision(
          .carried, at: latest.timestamp, seconds: outside[0].timestamp.timeIntervalSince(latest.timestamp),
          meters: Geodesic.shortMeters(from: center, to: outside[0].coordinate)),
        name: latest, lastSeen: latest.timestamp)
    }

    private func departure(
      from place: Coordinate, _ fixes: [Location], _ decision: TripDecision, name: Location? = nil,
      lastSeen: Date? = nil
    ) -> Departure {
      var decisions = decisions
      decisions.forget(before: fixes[0].timestamp.addingTimeInterval(-1800))
      decisions.add(decision)
      return Departure(
        place: place, fixes: fixes, name: name ?? fixes[0], lastSeen: lastSeen ?? fixes[0].timestamp, noise: noise,
        decisions: decisions)
    }

    private static let limit = 600
    /// Maximum time in seconds between an estimated start and the first fix. The speed after the first fix does not
    /// show how long the user took to get there.
    private static let longestEstimate: TimeInterval = 300
    /// Minimum duration of a gap in seconds. Almost every receiver records more often while moving.
    static let silence: TimeInterval = 60
  }
}
