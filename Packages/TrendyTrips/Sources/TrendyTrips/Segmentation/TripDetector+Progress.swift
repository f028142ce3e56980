import TrendyFoundation
import TrendyModels

extension TripDetector.MovingState {
  /// How far the trip had come with a fix.
  struct TripProgress: Hashable, Codable {
    var fix: Location
    var distance = 0.0
    var reach = 0.0
    /// Metres of the longest hop between two fixes, and of the next longest.
    var longestHop = 0.0
    var secondHop = 0.0
    /// Metres along the way as seen twice a minute.
    var coarse = 0.0
    /// Seconds away from where it began.
    var away: TimeInterval = 0
    var drift = StraightnessEstimator.Sums()
    var course = DirectionalPersistence.Sums()
    /// Seconds without reception, of which nobody knows whether it stood.
    var unheard: TimeInterval = 0
    /// Seconds at skip places.
    var paused: TimeInterval = 0
    /// Metres from circle to circle, which noise adds little to.
    var progress = 0.0
    /// Metres of the way that go at a speed which the receiver measured.
    var measuredMetres = 0.0
    /// What of the length is estimated.
    var estimate = PathLengthEstimator.Estimate()
    var topSpeed: Double?
    var routeCount = 1

    init(fix: Location, distance: Double) {
      self.fix = fix
      self.distance = distance
    }

    init(_ mark: TripProgress, progress: Double) {
      self = mark
      self.progress = progress
    }

    init(_ mark: TripProgress, at fix: Location) {
      self = mark
      self.fix = fix
    }
  }
}
