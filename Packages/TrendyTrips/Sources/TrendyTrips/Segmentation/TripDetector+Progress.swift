import TrendyFoundation
import TrendyModels

extension TripDetector.MovingState {
  /// Progress of a trip up to a fix.
  struct TripProgress: Hashable, Codable {
    var fix: Location
    var distance = 0.0
    var reach = 0.0
    /// Lengths in metres of the longest and the second-longest step.
    var longestHop = 0.0
    var secondHop = 0.0
    /// Path length in metres, measured with one fix every 30 s.
    var coarse = 0.0
    /// Time in seconds away from the start.
    var away: TimeInterval = 0
    var drift = StraightnessEstimator.Sums()
    var course = DirectionalPersistence.Sums()
    /// Total duration in seconds of gaps without reception.
    var unheard: TimeInterval = 0
    /// Total time in seconds at skip places.
    var paused: TimeInterval = 0
    /// Sum of the distances in metres between the circles in which the fixes stayed. Unlike the path length, the sum is
    /// insensitive to noise.
    var progress = 0.0
    /// Part of the path length in metres that was travelled at a measured ground speed.
    var measuredMetres = 0.0
    var estimate = PathLengthEstimator.Estimate()
    var topSpeed: Double?
    var routeCount = 1
    var fixCount = 1

    init(fix: Location, distance: Double) {
      self.fix = fix
      self.distance = distance
    }

    init(_ earlier: TripProgress, progress: Double) {
      self = earlier
      self.progress = progress
    }

    init(_ earlier: TripProgress, at fix: Location) {
      self = earlier
      self.fix = fix
    }
  }
}
