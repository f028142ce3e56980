import TrendyFoundation
import TrendyModels

extension TripDetector.MovingState {
  /// Returns whether the trip so far is only noise, regardless of movement in a later gap.
  func isNoise(_ configuration: TripDetector.Configuration) -> Bool {
    guard case .cancelled(let record) = ended(.silence, at: now.fix.timestamp, configuration) else { return false }
    return [.homebound, .zigzag, .thrown, .aimless].contains(record.decisions.last?.rule)
  }

  /// Returns the reason why a movement is not a trip, or `nil` if the movement is a trip.
  func refusal(
    _ end: TripProgress, _ record: TripRecord, _ configuration: TripDetector.Configuration, isLeap: Bool
  ) -> TripDecision? {
    let time = end.fix.timestamp
    guard end.distance >= configuration.minimumDistance else {
      return TripDecision(.short, at: time, meters: end.distance, limit: configuration.minimumDistance)
    }
    // Require a larger reach for a round trip, because noise and outliers end at the start too.
    let back = Geodesic.shortMeters(
      from: record.trip.startCoordinate, to: record.trip.endCoordinate ?? record.trip.startCoordinate)
    let reach =
      back >= configuration.departureDistance ? configuration.minimumReach : configuration.minimumLoopReach
    // Directional persistence over enough steps proves a movement, even in a small circle.
    let goesInRounds = end.course.isKept && end.course.metres >= configuration.minimumLoopReach
    guard end.reach >= reach || goesInRounds else {
      return TripDecision(.near, at: time, meters: end.reach, limit: reach)
    }
    let seconds = max(1, (record.duration ?? 0) - end.paused)
    guard seconds >= configuration.minimumSeconds else {
      return TripDecision(.brief, at: time, seconds: seconds, limit: configuration.minimumSeconds)
    }
    // Exclude gaps, because the positions during gaps are unknown.
    let heard = max(1, seconds - end.unheard)
    // Reject a stationary receiver whose position jumps, and which is at the start most of the time.
    guard end.away >= heard / 2 || goesInRounds else {
      return TripDecision(.homebound, at: time, seconds: end.away, limit: heard / 2)
    }
    // Noise results in a long path that consists of many short steps and leads nowhere.
    let led = max(end.coarse, end.reach)
    let isNoise =
      end.drift.directness < StraightnessEstimator.aimless && end.reach < configuration.undeniableDistance
      || end.drift.directness < StraightnessEstimator.wandering && end.reach < 0.15 * end.drift.single / 2
    // The receiver jumped away and back, without fixes in between.
    let isThrown =
      seconds < configuration.noisyStopSeconds && back < configuration.departureDistance
      && end.secondHop >= 0.75 * end.reach
    let isTossed = seconds < configuration.errorSeconds && end.reach < 0.4 * end.distance
    // Accept a trip with measured ground speeds, which displacements do not affect.
    let isMeasured = isMeasured(end, configuration)
    guard goesInRounds || isMeasured || led >= 0.3 * end.distance && !isNoise && !isTossed && !isThrown else {
      return TripDecision(.zigzag, at: time, meters: end.distance, limit: led / 0.3)
    }
    let leaps = (appeared ? 1 : 0) + (isLeap ? 1 : 0)
    if end.reach < configuration.maximumDisplacement {
      switch hops.reason(
        distance: end.distance, seconds: seconds, leaps: leaps, least: configuration.minimumSeconds)
      {
      case .hops(let metres): return TripDecision(.thrown, at: time, meters: metres, limit: end.distance)
      case .atOnce(let seconds):
        return TripDecision(.atOnce, at: time, seconds: seconds, meters: end.distance)
      case nil: break
      }
    }
    // A slow path without a direction is noise, unless it reaches far from the start or is straight in steps of 30 s.
    let isGoing = goesInRounds || isMeasured || end.reach >= configuration.maximumDisplacement || end.drift.isStraight
    guard isGoing || end.progress >= 2 * heard || end.reach >= 0.3 * end.progress else {
      return TripDecision(.aimless, at: time, meters: end.reach, limit: 0.3 * end.progress)
    }
    return nil
  }

  /// Returns a decision if the movement is a trip only because of its measured ground speed, or `nil` if it is not.
  func acceptance(
    _ end: TripProgress, _ record: TripRecord, _ configuration: TripDetector.Configuration, isLeap: Bool
  ) -> TripDecision? {
    guard isMeasured(end, configuration) else { return nil }
    var unmeasured = end
    unmeasured.measuredMetres = 0
    guard refusal(unmeasured, record, configuration, isLeap: isLeap) != nil else { return nil }
    return TripDecision(.measured, at: end.fix.timestamp, meters: end.measuredMetres, limit: end.distance)
  }

  private func isMeasured(_ end: TripProgress, _ configuration: TripDetector.Configuration) -> Bool {
    end.measuredMetres >= max(configuration.minimumReach, end.distance / 2)
  }
}
