public import TrendyFoundation
public import TrendyModels

/// Detects the trips of one device, and its entries into and exits from places.
///
/// Trips and crossings are detected in the same fixes, from which outliers are removed first. A route through a place
/// between two fixes counts as a visit only if both fixes belong to a trip. Fixes must be in chronological order.
public struct MovementDetector: Hashable, Sendable, Codable {
  var trips: TripDetector
  var places: GeofenceMonitor

  /// Effects of a fix, or of the passage of time.
  public struct Effects: Hashable, Sendable {
    /// Changes to the current trip, in order.
    public var trips: [TripDetector.Effect] = []
    /// Confirmed crossings, in order.
    public var crossings: [GeofenceMonitor.Effect] = []
  }

  /// Creates a detector that has processed no fixes.
  public init(trips: TripDetector = TripDetector(), places: GeofenceMonitor = GeofenceMonitor()) {
    self.trips = trips
    self.places = places
  }

  /// Processes the next fix. Its effects may be returned only with a later fix.
  ///
  /// `tripStart` is the start of a trip that the user started, which takes precedence over a detected one.
  public mutating func onLocation(_ location: Location, onTripSince tripStart: Date? = nil) -> Effects {
    var accepted: [Location] = []
    var effects = Effects(trips: trips.onLocation(location) { accepted.append($0) })
    // Use fixes that are too inaccurate for trips, because they can still show that the user is in a large place.
    if location.horizontalAccuracy >= trips.configuration.maximumAccuracy, !trips.isHoldingFixes {
      accepted.append(location)
    }
    effects.crossings = crossings(accepted, onTripSince: tripStart)
    return effects
  }

  /// Processes the passage of time. All fixes up to `date` must have been processed before.
  public mutating func onTick(at date: Date, onTripSince tripStart: Date? = nil) -> Effects {
    var accepted: [Location] = []
    var effects = Effects(trips: trips.onTick(at: date) { accepted.append($0) })
    effects.crossings = crossings(accepted, onTripSince: tripStart)
    // Wait for delayed fixes, because they may still contradict an entry.
    if !trips.isHoldingFixes { effects.crossings += places.onTick(at: date) }
    return effects
  }

  /// Ends the trip in progress at the end of a recording.
  public mutating func finish(onTripSince tripStart: Date? = nil) -> Effects {
    var accepted: [Location] = []
    let start = tripStart ?? trips.currentTrip?.startTime
    var effects = Effects(trips: trips.finish { accepted.append($0) })
    effects.crossings = crossings(accepted, onTripSince: start)
    return effects
  }

  /// Evaluates a fix against each place, sorted by id, without changing the state.
  public func readings(of location: Location) -> [GeofenceEvaluation] { places.readings(of: location) }

  private mutating func crossings(_ fixes: [Location], onTripSince tripStart: Date?) -> [GeofenceMonitor.Effect] {
    let start = tripStart ?? trips.currentTrip?.startTime
    var crossings: [GeofenceMonitor.Effect] = []
    for fix in fixes {
      crossings += places.onTick(at: fix.timestamp) + places.onLocation(fix, onTripSince: start)
    }
    return crossings
  }
}
