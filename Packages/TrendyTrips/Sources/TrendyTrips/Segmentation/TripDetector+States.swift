import TrendyFoundation
import TrendyModels

extension TripDetector {
  /// At a place, with what may be the beginning of a departure.
  struct Rest: Hashable, Sendable, Codable {
    /// Where it rests.
    private(set) var center: Coordinate
    private let since: Date
    /// Metres that the fixes are away from it, on average: a receiver under a roof scatters more than one in the open.
    private(set) var noise = 0.0
    /// The fixes at the place, of the last minutes.
    private var here: [Location]
    /// The fixes outside it since it was left, if it was.
    private var outside: [Location] = []
    /// Those came there at an impossible speed.
    private var hasLeapt = false
    /// The motion sensor holds them back.
    private var isHeldBack = false
    /// Whether it goes in rounds that lead to no other place.
    private var course: Course
    /// Whether it is left at less than a stroll.
    private var slowCourse: SlowCourse
    private(set) var decisions = DecisionLog()

    init(at fix: Location) {
      center = fix.coordinate
      since = fix.timestamp
      here = [fix]
      course = Course(at: fix)
      slowCourse = SlowCourse(at: fix)
    }

    /// - Parameters:
    ///   - fixes: those taken there so far, not empty.
    ///   - isNoisy: they are known to scatter widely, and how widely follows from them.
    ///   - noise: metres known of before.
    ///   - course: the steps up to the last of the fixes, if they go on here.
    init(
      at place: Coordinate, fixes: [Location], isNoisy: Bool = false, noise: Double = 0, course: Course? = nil
    ) {
      center = place
      since = fixes[0].timestamp
      here = Array(fixes.suffix(Self.limit))
      self.course = course ?? Course(at: fixes[fixes.count - 1])
      slowCourse = SlowCourse(at: fixes[fixes.count - 1])
      if isNoisy {
        let away = fixes.map { Geodesic.shortMeters(from: place, to: $0.coordinate) }.sorted()
        self.noise = min(max(noise, away[away.count / 2]), 60)
      } else {
        self.noise = noise
      }
    }

    /// Metres about the very place within which a resting receiver's fixes mostly are.
    static let scatter = 15.0

    /// From where it left, and the fixes since, the last one at rest first.
    struct Departure {
      var place: Coordinate
      var fixes: [Location]
      /// The recorded fix that names the trip: the first of `fixes`, or the first one heard where that is reckoned back.
      var name: Location
      /// When it was last seen before it had left: earlier than the first of `fixes` if that was reckoned back.
      var lastSeen: Date
      /// Metres that the fixes at the place scattered by.
      var noise: Double
      var decisions: DecisionLog
    }

    /// The last fix at the place.
    var last: Location { here[here.count - 1] }

    mutating func note(_ decision: TripDecision) {
      decisions.forget(before: decision.time.addingTimeInterval(-1800))
      decisions.add(decision)
    }

    /// - Returns: the departure, once there is one: none or one.
    mutating func add(
      _ fix: Location, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool = false
    ) -> [Departure] {
      departure(with: fix, configuration, motion, isLeap: isLeap).map { [$0] } ?? []
    }

    private mutating func departure(
      with fix: Location, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool
    ) -> Departure? {
      let away = Geodesic.shortMeters(from: center, to: fix.coordinate)
      if let departed = goInRounds(fix, away, configuration, motion, isLeap: isLeap) { return departed }
      if let departed = goSlowly(fix, away, configuration, motion) { return departed }
      if away <= max(configuration.restRadius, fix.horizontalAccuracy, 4 * noise) {
        // Known after a quarter of an hour, so that a slow departure is not taken for noise.
        let seconds = fix.timestamp.timeIntervalSince(here[here.count - 1].timestamp)
        // What it did once it may do again, so that it is forgotten more slowly.
        let scatter = min(away, configuration.restRadius)
        noise += (scatter - noise) * min(0.1, seconds / (scatter > noise ? 900 : 3600))
        // Gone out and come back: part of the way, if it leaves before it is at the very place again.
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
        // By no way from the last fix. On a way that had begun, what was seen for a few seconds only is the receiver's error where the way
        // to here is possible without it: a phone that wakes first says where its cell is. Else what was seen before says nothing of
        // how it came here, and here may be an error still.
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
        guard isHeld(fix, away, configuration, motion) else { return departure(configuration) }
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
      if wasCarried(to: first, configuration) { return carried() }
      // They stayed together at another place: the receiver was wrong before, or is now.
      if isFull || secondsOutside >= configuration.errorSeconds {
        let recent = Array(outside.suffix(outside.count / 2))
        let before = self
        self = Rest(at: recent.first ?? fix)
        decisions = before.decisions
        course = before.course
        slowCourse = before.slowCourse
        let moved = Geodesic.shortMeters(from: before.center, to: center)
        // What came here by no way was thrown here, and will be thrown back.
        if moved <= 2 * configuration.departureDistance, !slowCourse.isBegun { noise = max(before.noise, moved / 4) }
        for fix in recent.dropFirst() {
          if let departed = departure(with: fix, configuration, motion, isLeap: false) { return departed }
        }
      }
      return nil
    }

    /// Takes a fix of somebody who may go in rounds, and never gets as far as a departure.
    /// - Returns: the departure, once the way is as long as that of a trip that leads back here.
    private mutating func goInRounds(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory, isLeap: Bool
    ) -> Departure? {
      guard !isLeap else {
        course = Course(at: fix)
        return nil
      }
      course.add(fix)
      guard away < max(configuration.departureDistance, 8 * noise), course.run.isKept,
        course.run.metres >= configuration.minimumLoopReach, !isHeld(fix, away, configuration, motion)
      else { return nil }
      let first = course.fixes[0]
      return departure(
        from: first.coordinate, course.fixes + (course.fixes.last == fix ? [] : [fix]),
        TripDecision(
          .rounds, at: first.timestamp, seconds: fix.timestamp.timeIntervalSince(first.timestamp),
          meters: course.run.metres, limit: away))
    }

    /// Takes a fix of somebody who may leave so slowly that the place of rest seems to follow.
    /// - Returns: the departure, once the way leads as far away as one.
    private mutating func goSlowly(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory
    ) -> Departure? {
      guard slowCourse.add(fix, radius: max(configuration.stopRadius, 4 * noise)), let metres = slowCourse.metresAway,
        metres >= max(configuration.departureDistance, 8 * noise), !isHeld(fix, away, configuration, motion)
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
        from: origin.coordinate, Self.leaving(origin.coordinate, for: fixes, after: origin.timestamp), decision,
        name: first, lastSeen: origin.timestamp)
    }

    /// Seconds for which it was seen outside. Of a silence little is known.
    private var secondsOutside: TimeInterval {
      zip(outside, outside.dropFirst()).reduce(0) { $0 + min(60, $1.1.timestamp.timeIntervalSince($1.0.timestamp)) }
    }

    /// Whether one can have gone from one fix to another.
    private func isReachable(_ fix: Location, from last: Location, _ configuration: Configuration) -> Bool {
      let seconds = fix.timestamp.timeIntervalSince(last.timestamp)
      return seconds <= configuration.gapSeconds
        && Geodesic.shortMeters(from: last.coordinate, to: fix.coordinate) <= configuration.maximumSpeed * seconds
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
      // Slower than a stroll is drift.
      let seconds = last.timestamp.timeIntervalSince(first.timestamp)
      return walked <= 2 * away && walked >= 0.6 * seconds
        && gained >= max(configuration.departureDistance / 3, 4 * noise) && places >= 3
        && gainedEarly >= gained / 10 && gainedEarly <= gained
    }

    /// The sensor says that nobody moves, and the fixes do not say it loud enough: no speed of their own, no great way.
    private func isHeld(
      _ fix: Location, _ away: Double, _ configuration: Configuration, _ motion: MotionHistory
    ) -> Bool {
      guard away < configuration.undeniableDistance, let activity = motion.activity(at: fix.timestamp),
        activity.state == .stationary, activity.confidence >= .medium
      else { return false }
      return !outside.contains { $0.speed ?? 0 >= 3 }
    }

    /// It was last seen here, and came elsewhere faster than by foot with nothing between: a flight, a tunnel.
    private func wasCarried(to fix: Location, _ configuration: Configuration) -> Bool {
      guard !hasLeapt else { return false }
      let seconds = fix.timestamp.timeIntervalSince(here[here.count - 1].timestamp)
      return seconds > configuration.gapSeconds && seconds <= configuration.maximumRideSeconds
        && Geodesic.shortMeters(from: center, to: fix.coordinate)
          >= max(2000, configuration.rideSpeed * seconds)
    }

    /// From the last fix that is at the very place on; those of a departure that was slow at first come after it.
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
        let row = Array(slow) + outside
        // It did not leave before the last silence that it came out of.
        let heard = row.indices.dropFirst().last { index in
          index <= slow.count && row[index].timestamp.timeIntervalSince(row[index - 1].timestamp) > Self.silence
        }
        if let heard { return departure(heardAt: Array(row[heard...]), after: row[heard - 1].timestamp) }
        let start = slow[slow.startIndex]
        return departure(
          from: index == nil ? start.coordinate : center, row,
          TripDecision(
            .departed, at: start.timestamp, seconds: last.timestamp.timeIntervalSince(start.timestamp),
            meters: Geodesic.shortMeters(from: center, to: last.coordinate),
            limit: max(configuration.departureDistance, 8 * noise)))
      }
      if wasCarried(to: outside[0], configuration) { return carried() }
      // A place last seen long ago says nothing of by which way a far one was reached.
      guard Self.isNear(center, outside, after: silence, configuration) else {
        return departure(
          from: outside[0].coordinate, outside,
          TripDecision(.appeared, at: outside[0].timestamp, seconds: silence, meters: away))
      }
      return departure(heardAt: outside, after: latest.timestamp)
    }

    /// Whether who is heard again after a silence is still on the way from a place, and not from another one at which nothing was heard:
    /// a phone asleep is woken by leaving, though late at times, and no other way takes so little time.
    private static func isNear(
      _ place: Coordinate, _ fixes: [Location], after silence: TimeInterval, _ configuration: Configuration
    ) -> Bool {
      silence <= configuration.maximumGapSeconds
        || Geodesic.shortMeters(from: place, to: fixes[0].coordinate) <= configuration.wakingDistance
        || secondsGone(from: place, to: fixes) <= configuration.gapSeconds
    }

    /// Seconds from a place to the first of some fixes, at the pace of all of them.
    static func secondsGone(from place: Coordinate, to fixes: [Location]) -> TimeInterval {
      let (first, last) = (fixes[0], fixes[fixes.count - 1])
      var way = 0.0
      var from = first
      // From fix to fix the errors would be most of the way of somebody slow.
      for fix in fixes.dropFirst() {
        let step = Geodesic.shortMeters(from: from.coordinate, to: fix.coordinate)
        guard step >= Course.length || fix == last else { continue }
        way += step
        from = fix
      }
      // Slower than that somebody has come to rest.
      let pace = min(15, max(SlowCourse.pace, way / max(1, last.timestamp.timeIntervalSince(first.timestamp))))
      return (Geodesic.shortMeters(from: place, to: first.coordinate) / pace).rounded()
    }

    /// A phone asleep is woken by leaving, and was on the way by then.
    private func departure(heardAt fixes: [Location], after date: Date) -> Departure {
      let first = fixes[0]
      return departure(
        from: center, Self.leaving(center, for: fixes, after: date),
        TripDecision(
          .woke, at: first.timestamp, seconds: first.timestamp.timeIntervalSince(date),
          meters: Geodesic.shortMeters(from: center, to: first.coordinate)),
        name: first, lastSeen: date)
    }

    /// Some fixes, and before them when it left a place for the first of them at the pace that it went on with, though not before a date.
    private static func leaving(_ place: Coordinate, for fixes: [Location], after date: Date) -> [Location] {
      let first = fixes[0]
      let start = first.timestamp.addingTimeInterval(-secondsGone(from: place, to: fixes))
      let left = Location(
        coordinate: place, horizontalAccuracy: first.horizontalAccuracy, timestamp: max(date, start))
      return (left.timestamp < first.timestamp ? [left] : []) + fixes
    }

    private func carried() -> Departure {
      let latest = here[here.count - 1]
      return departure(
        from: center, Self.leaving(center, for: outside, after: latest.timestamp),
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
    /// Seconds without a fix, longer than any recorder on the way waits but those that save most.
    static let silence: TimeInterval = 60
  }
}
